#include "harness/benchmark_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/text.hpp"

namespace cliffbench {
namespace {

using Json = nlohmann::json;

double unit_s(const std::string& unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1;
  throw CannotMeasure(fmt::format("has the time unit '{}', which should be ns, us, ms or s", unit));
}

/// What the library itself writes beside the counters, as numbers.
const std::set<std::string>& own_numbers() {
  static const std::set<std::string> names = {"family_index",    "per_family_instance_index",
                                              "repetitions",     "repetition_index",
                                              "threads",         "iterations",
                                              "real_time",       "cpu_time",
                                              "cpu_coefficient", "rms",
                                              "real_coefficient"};
  return names;
}

BenchmarkResult parse_result(const Json& json) {
  BenchmarkResult result;
  result.name = json.at("name");
  result.run_type = json.value("run_type", "");
  result.label = json.value("label", "");
  result.failed = json.value("error_occurred", false);
  result.error = json.value("error_message", "");
  const double unit = unit_s(json.value("time_unit", "ns"));
  result.wall_s = json.value("real_time", NAN) * unit;
  result.cpu_s = json.value("cpu_time", NAN) * unit;
  if (json.contains("iterations")) {
    result.iterations = whole_number<std::int64_t>(json["iterations"]);
  }
  for (const auto& [key, value] : json.items()) {
    if (value.is_number() && !own_numbers().contains(key)) result.counters[key] = value;
  }
  return result;
}

}  // namespace

std::vector<BenchmarkResult> parse_benchmark_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto found = json.find("benchmarks");
  if (!json.is_object() || found == json.end() || !found->is_array()) {
    throw CannotMeasure("is no result of Google Benchmark (JSON with a list 'benchmarks')");
  }
  std::vector<BenchmarkResult> results;
  for (const Json& one : *found) {
    try {
      results.push_back(parse_result(one));
    } catch (const CannotMeasure&) {
      throw;
    } catch (const std::exception& error) {
      throw CannotMeasure(fmt::format("has a field of an unexpected kind in result {} ({})",
                                      results.size() + 1, error.what()));
    }
  }
  return results;
}

}  // namespace cliffbench
