#pragma once

/// The reader of what a Google Benchmark program writes with --benchmark_format=json. Pure. Reads
/// every version from 1.5 on (docs/user_guide.md of the library, "Output Formats").

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cliffbench {

/// One line of the library's report.
struct BenchmarkResult {
  std::string name;       ///< as reported: aggregates carry "_mean" and the like
  std::string run_name;   ///< the benchmark's own name
  std::string aggregate;  ///< "mean", "median"...; "" for a measured run
  std::int64_t iterations = 0;
  double wall_s = 0;  ///< per iteration; finite and not negative unless `error` says why
  double cpu_s = 0;   ///< per iteration, of the main thread or of the process as the program chose
  std::string label;
  bool skipped = false;       ///< the program says so itself (SkipWithError, SkipWithMessage)
  bool with_message = false;  ///< by SkipWithMessage: no error
  std::string error;  ///< of SkipWithError, or what is wrong with the numbers; "" when all is well
  std::map<std::string, double> counters;
  std::vector<std::string> no_numbers;     ///< counters that are not finite, and left out
  [[nodiscard]] std::string note() const;  ///< a sentence about them; "" when there are none
};

/// Its results. Throws CannotMeasure (text.hpp) with one clause ("is no JSON ...") when the text
/// is no such report.
[[nodiscard]] std::vector<BenchmarkResult> parse_benchmark_json(std::string_view text);

}  // namespace cliffbench
