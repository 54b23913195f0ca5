#include "harness/benchmark_json.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/text.hpp"

namespace cliffbench {
namespace {

TEST(BenchmarkJson, ReadsWhatTheLibraryWrites) {
  const auto results = parse_benchmark_json(R"({"context": {"library_version": "v1.7.1"},
    "benchmarks": [
      {"name": "a/1", "family_index": 0, "run_type": "iteration", "threads": 1, "iterations": 3,
       "real_time": 1.5, "cpu_time": 2, "time_unit": "ms", "label": "abc", "stage:x": 0.25},
      {"name": "b", "error_occurred": true, "error_message": "too small", "iterations": 0}]})");
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].name, "a/1");
  EXPECT_EQ(results[0].iterations, 3);
  EXPECT_DOUBLE_EQ(results[0].wall_s, 1.5e-3);
  EXPECT_DOUBLE_EQ(results[0].cpu_s, 2e-3);
  EXPECT_EQ(results[0].label, "abc");
  EXPECT_EQ(results[0].counters, (std::map<std::string, double>{{"stage:x", 0.25}}));
  EXPECT_TRUE(results[1].failed);
  EXPECT_EQ(results[1].error, "too small");
  EXPECT_TRUE(std::isnan(results[1].wall_s));
}

TEST(BenchmarkJson, RefusesEverythingElse) {
  for (const char* text :
       {"", "[]", "null", "3", "{}", R"({"benchmarks": 3})", R"({"benchmarks": [3]})",
        R"({"benchmarks": [{}]})", R"({"benchmarks": [{"name": 3}]})",
        R"({"benchmarks": [{"name": "a", "real_time": "1"}]})",
        R"({"benchmarks": [{"name": "a", "time_unit": "weeks"}]})",
        R"({"benchmarks": [{"name": "a", "iterations": 1e30}]})",
        R"({"benchmarks": [{"name": "a", "real_time": nan}]})"}) {
    EXPECT_THROW((void)parse_benchmark_json(text), CannotMeasure) << text;
  }
}

}  // namespace
}  // namespace cliffbench
