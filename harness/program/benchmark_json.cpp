#include "harness/program/benchmark_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

using Json = nlohmann::json;

double unit_s(const std::string& unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  return unit == "s" ? 1 : NAN;
}

double number(const Json& json, const char* key) {
  const Json value = json.value(key, Json());
  return value.is_number() ? value.get<double>() : NAN;
}

std::string text(const Json& json, const char* key) {
  const Json value = json.value(key, Json());
  return value.is_string() ? value.get<std::string>() : "";
}

/// Everything numeric that is none of the library's own fields.
std::map<std::string, double> counters_of(const Json& json) {
  static const std::set<std::string> own = {"family_index", "per_family_instance_index",
                                            "repetitions",  "repetition_index",
                                            "threads",      "iterations",
                                            "real_time",    "cpu_time"};
  std::map<std::string, double> counters;
  for (const auto& [key, value] : json.items()) {
    if (value.is_number() && !own.contains(key)) counters[key] = value.get<double>();
  }
  return counters;
}

/// The library writes numbers that JSON does not have: NaN, Infinity. They become null.
std::string without_nan(std::string_view text) {
  std::string json;
  json.reserve(text.size());
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\' && i + 1 < text.size()) json += text[i++];
    bool replaced = false;
    for (const std::string_view word : {"-NaN", "NaN", "-Infinity", "Infinity"}) {
      if (quoted || !text.substr(i).starts_with(word)) continue;
      json += "null";
      i += word.size() - 1;
      replaced = true;
      break;
    }
    if (!replaced) json += text[i];
  }
  return json;
}

/// Google Benchmark itself writes such values into aggregates (the relative scatter of a counter
/// that is 0); in a measured run they are the program's mistake.
bool measured_no_number(const Json& result) {
  return result.is_object() && text(result, "run_type") != "aggregate" &&
         std::any_of(result.begin(), result.end(),
                     [](const Json& value) { return value.is_null(); });
}

BenchmarkResult parse_result(const Json& json) {
  BenchmarkResult result;
  result.name = text(json, "name");
  if (result.name.empty()) throw CannotMeasure("has a result without a name");
  result.run_name = text(json, "run_name");
  if (result.run_name.empty()) result.run_name = result.name;
  if (text(json, "run_type") == "aggregate") result.aggregate = text(json, "aggregate_name");
  result.label = text(json, "label");
  if (json.value("error_occurred", Json()) == true) {
    result.error = text(json, "error_message");
    if (result.error.empty()) result.error = "failed without a reason";
    return result;
  }
  const double iterations = number(json, "iterations");
  if (iterations >= 0 && iterations < 9e18) {
    result.iterations = static_cast<std::int64_t>(iterations);
  }
  const double unit = unit_s(text(json, "time_unit"));
  result.wall_s = number(json, "real_time") * unit;
  result.cpu_s = number(json, "cpu_time") * unit;
  const auto usable = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  if (!usable(result.wall_s) || !usable(result.cpu_s)) {
    result.error = "the program reported no usable time";
  }
  result.counters = counters_of(json);
  return result;
}

}  // namespace

std::vector<BenchmarkResult> parse_benchmark_json(std::string_view given) {
  Json json = Json::parse(given, nullptr, false);
  const bool no_json = json.is_discarded();
  if (no_json) json = Json::parse(without_nan(given), nullptr, false);
  if (json.is_discarded()) throw CannotMeasure("is not valid JSON");
  if (!json.is_object() || !json.contains("benchmarks") || !json["benchmarks"].is_array()) {
    throw CannotMeasure("is not a Google Benchmark report (it has no list of benchmarks)");
  }
  std::vector<BenchmarkResult> results;
  for (const Json& result : json["benchmarks"]) {
    if (no_json && measured_no_number(result)) throw CannotMeasure("is not valid JSON");
    if (!result.is_object()) throw CannotMeasure("has a result that is not an object");
    results.push_back(parse_result(result));
  }
  return results;
}

}  // namespace cliffbench
