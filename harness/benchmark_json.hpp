#pragma once

/// The JSON that Google Benchmark writes (--benchmark_out_format=json), of any program.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cliffbench {

struct BenchmarkResult {
  std::string name;
  std::string run_type;         ///< "iteration" or "aggregate"; "" in files of old versions
  std::int64_t iterations = 0;  ///< of the loop
  double wall_s = 0;            ///< "real_time", an iteration; NaN when the file has none
  double cpu_s = 0;             ///< "cpu_time", of the main thread, an iteration; NaN when none
  std::string label;
  bool failed = false;  ///< the benchmark called SkipWithError
  std::string error;    ///< with these words
  std::map<std::string, double> counters;
};

/// All results of a file, in its order. Throws CannotMeasure (text.hpp) when the text is no such
/// file or a field is of another kind than the library writes. Numbers are as they stand: a time
/// may be negative.
[[nodiscard]] std::vector<BenchmarkResult> parse_benchmark_json(std::string_view text);

}  // namespace cliffbench
