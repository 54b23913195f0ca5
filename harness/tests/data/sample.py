"""The program whose reports are recorded beside it (see README.md)."""

import google_benchmark as benchmark
from google_benchmark import Counter


@benchmark.register(name="sum")
@benchmark.option.arg_name("n")
@benchmark.option.arg(1000)
def total(state):
    while state:
        sum(range(state.range(0)))
    state.items_processed = state.iterations * state.range(0)
    state.set_label('"a"')


@benchmark.register
def broken(state):
    state.skip_with_error("no such file")
    while state:
        pass


@benchmark.register(name="counted")
@benchmark.option.use_real_time()
@benchmark.option.unit(benchmark.kMicrosecond)
def counted(state):
    while state:
        sum(range(10))
    state.counters["rate"] = Counter(1, Counter.kIsRate)


@benchmark.register(name="repeated")
@benchmark.option.repetitions(3)
def repeated(state):
    while state:
        sum(range(10))


if __name__ == "__main__":
    benchmark.main()
