// A program without the kit that says where its heap, stack and environment begin.
#include <benchmark/benchmark.h>

#include "harness/tests/programs/place.hpp"

static void placed(benchmark::State& state) {
  const auto found = places();
  for (auto _ : state) {
    for (int i = 0; i < 10000; ++i) benchmark::ClobberMemory();
  }
  for (const auto& [name, value] : found) state.counters["stage:" + name] = value;
}
BENCHMARK(placed);
BENCHMARK(placed)->Name("again");  // of two, a process measures both
BENCHMARK_MAIN();
