#include "harness/core/program/benchmark_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/core/text/text.hpp"

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

/// Every number that is not one of the library's own fields.
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

/// The length of the character of UTF-8 at the start of the text; 0 when there is none.
size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const size_t length = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                                       : 4;
  if (first > 0xf4 || length > text.size()) return 0;
  // The parser refuses what is too long a form, or half of a pair: rare enough to be left to it.
  const auto more = text.substr(1, length > 0 ? length - 1 : 0);
  const bool whole = std::all_of(more.begin(), more.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
  });
  return whole ? length : 0;
}

/// The library writes numbers that JSON does not have (NaN, Infinity), which become null, and
/// labels and names as they are: their bytes that are no text become escapes.
std::string repaired(std::string_view text) {
  std::string json;
  json.reserve(text.size());
  bool quoted = false;
  while (!text.empty()) {
    size_t length = character_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0 || (quoted && first < 0x20)) {
      json += fmt::format("\\\\x{:02x}", first);
      text.remove_prefix(1);
      continue;
    }
    if (first == '"') quoted = !quoted;
    if (quoted && first == '\\') length = std::min<size_t>(2, text.size());
    std::string_view number;
    for (const std::string_view word :
         {"-NaN", "NaN", "-Infinity", "Infinity", "-nan", "nan", "-inf", "inf"}) {
      if (!quoted && number.empty() && text.starts_with(word)) number = word;
    }
    json += number.empty() ? text.substr(0, length) : "null";
    text.remove_prefix(number.empty() ? length : number.size());
  }
  return json;
}

/// A text of lines in which numbers are written as a locale has it ("iterations": 1.234.567,
/// "real_time": 5,1e+00), with numbers of JSON. The library writes a member a line, times and
/// counters with an exponent, so that any other number is whole.
std::string without_locale(std::string_view text) {
  std::string json;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.find("\"load_avg\": [") != line.npos) {  // it is never read
      json.append("\"load_avg\": [],\n");
      continue;
    }
    const size_t colon = line.find("\": ");
    std::string_view number = colon == line.npos ? "" : line.substr(colon + 3);
    if (number.ends_with(',')) number.remove_suffix(1);
    const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    const auto is_other = [&](unsigned char c) {
      return is_digit(c) || c == '-' || c == '+' || c == 'e';
    };
    const bool is_number = !number.empty() && (is_digit(number.front()) || number.front() == '-') &&
                           is_digit(number.back()) && number.find_first_of("\"[]{}") == number.npos;
    if (!is_number) {
      json.append(line).append("\n");
      continue;
    }
    const bool has_exponent = number.find('e') != number.npos;
    json.append(line.substr(0, colon + 3));
    bool separated = false;
    for (const char c : number) {
      if (!is_other(static_cast<unsigned char>(c))) {
        if (has_exponent && !separated) json += '.';
        separated = true;
      } else {
        json += c;
      }
    }
    json.append(line.substr(colon + 3 + number.size())).append("\n");
  }
  return json;
}

/// The report as JSON. A counter that is named like a field of the library stands behind it: the
/// first of two equal keys counts.
Json parse_report(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  const auto first_only = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    return event != Json::parse_event_t::key ||
           keys.back().insert(parsed.get<std::string>()).second;
  };
  return Json::parse(text, first_only, false);
}

std::vector<std::string> without_number(const Json& json) {
  std::vector<std::string> names;
  for (const auto& [key, value] : json.items()) {
    if (value.is_null() && key != "real_time" && key != "cpu_time") names.push_back(key);
  }
  return names;
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
    result.skipped = true;
    result.error = text(json, "error_message");
    if (result.error.empty()) result.error = "failed without a reason";
    return result;
  }
  if (json.value("skipped", Json()) == true) {  // since 1.8
    result.skipped = result.with_message = true;
    result.error = text(json, "skip_message");
    if (result.error.empty()) result.error = "skipped without a reason";
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
  // The library writes NaN for the relative scatter of a counter that is 0.
  if (text(json, "run_type") != "aggregate") result.no_numbers = without_number(json);
  return result;
}

}  // namespace

std::string BenchmarkResult::note() const {
  if (no_numbers.empty()) return "";
  return fmt::format("{} {} is not a finite number and is left out",
                     no_numbers.size() == 1 ? "its counter" : "each of its counters",
                     joined(no_numbers));
}

std::vector<BenchmarkResult> parse_benchmark_json(std::string_view given) {
  Json json = parse_report(given);
  if (json.is_discarded()) json = parse_report(repaired(given));
  if (json.is_discarded()) json = parse_report(repaired(without_locale(given)));
  if (json.is_discarded()) {
    throw CannotMeasure(
        "is not valid JSON; a usual cause is std::locale::global in the program, which changes how "
        "numbers are written");
  }
  if (!json.is_object() || !json.contains("benchmarks") || !json["benchmarks"].is_array()) {
    throw CannotMeasure("is not a Google Benchmark report (it has no list of benchmarks)");
  }
  std::vector<BenchmarkResult> results;
  for (const Json& result : json["benchmarks"]) {
    if (!result.is_object()) throw CannotMeasure("has a result that is not an object");
    results.push_back(parse_result(result));
  }
  return results;
}

}  // namespace cliffbench
