// A benchmark whose work is in a library that lies beside the program.
#include <benchmark/benchmark.h>

int step(int n);

namespace {

void steps(benchmark::State& state) {
  int n = 0;
  for (auto _ : state) benchmark::DoNotOptimize(n = step(n));
}
BENCHMARK(steps);

}  // namespace

BENCHMARK_MAIN();
