// README's my_benchmark, for scripts/release/readme.py. With -DMORE `parse` does a fifth more work;
// `sort` is the same.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

void parse(benchmark::State& state) {
#ifdef MORE
  constexpr int kNumbers = 24000;
#else
  constexpr int kNumbers = 20000;
#endif
  const std::string text = "12345 ";
  for (auto _ : state) {
    long sum = 0;
    for (int i = 0; i < kNumbers; ++i) sum += std::strtol(text.c_str(), nullptr, 10);
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(parse);

void sort(benchmark::State& state) {
  std::vector<int> numbers(20000);
  for (auto _ : state) {
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 20011);
    std::sort(numbers.begin(), numbers.end());
    benchmark::DoNotOptimize(numbers.data());
  }
}
BENCHMARK(sort);

}  // namespace

BENCHMARK_MAIN();
