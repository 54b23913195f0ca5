// A C++ program that is linked with Google Benchmark and does nothing: the floor of a trial's cost.
#include <benchmark/benchmark.h>

int main() {
  benchmark::TimeUnit linked = benchmark::kSecond;
  benchmark::DoNotOptimize(linked);
}
