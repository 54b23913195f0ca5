// The benchmarks of impact_test.py. Each calls one function of work.cpp; `quiet` calls none that
// any change touches.
#include <benchmark/benchmark.h>

#include <functional>
#include <map>
#include <string>

using Work = long (*)(long);
extern "C" {
long quiet(long), direct(long), inlined(long), table(long), constant(long), virtually(long),
    jumps(long), text(long), real(long), rare(long), flag(long), throws(long), pointers(long),
    renamed(long), folded(long), aliased(long), threaded(long), weakly(long), allocates(long),
    shared_code(long), shared_table(long), line(long), template_(long), before_table(long),
    member(long), getters(long), inserted(long), zeroed(long), thread_local_(long), cases(long),
    strings(long), biased(long), wide(long), shift(long), by_hand(long), rerouted(long);
}

int main(int argc, char** argv) {
  const std::map<std::string, Work> all = {{"quiet", quiet},
                                           {"direct", direct},
                                           {"inlined", inlined},
                                           {"table", table},
                                           {"constant", constant},
                                           {"virtually", virtually},
                                           {"jumps", jumps},
                                           {"text", text},
                                           {"real", real},
                                           {"rare", rare},
                                           {"flag", flag},
                                           {"throws", throws},
                                           {"pointers", pointers},
                                           {"renamed", renamed},
                                           {"folded", folded},
                                           {"aliased", aliased},
                                           {"threaded", threaded},
                                           {"weakly", weakly},
                                           {"allocates", allocates},
                                           {"shared_code", shared_code},
                                           {"shared_table", shared_table},
                                           {"line", line},
                                           {"template", template_},
                                           {"before_table", before_table},
                                           {"member", member},
                                           {"getters", getters},
                                           {"inserted", inserted},
                                           {"zeroed", zeroed},
                                           {"thread_local", thread_local_},
                                           {"cases", cases},
                                           {"strings", strings},
                                           {"biased", biased},
                                           {"wide", wide},
                                           {"shift", shift},
                                           {"by_hand", by_hand},
                                           {"rerouted", rerouted}};
  for (const auto& [name, work] : all) {
    benchmark::RegisterBenchmark(name.c_str(), [run = work](benchmark::State& state) {
      long i = 0;
      for (auto _ : state) benchmark::DoNotOptimize(run(++i));
    });
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
