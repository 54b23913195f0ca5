#include "harness/core/cli/cli_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>

#include "harness/core/stats/stats.hpp"
#include "harness/core/text/expression.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

constexpr const char* kEmpty = "an empty value is not allowed; leave it out instead";

/// The numbers and units that an option accepts.
struct NumberOption {
  const char* type;  ///< in the help
  std::map<std::string, double> units;
  double least, most;         ///< above 0, in the unit of 1
  const char* what_is_right;  ///< "a time above 0, such as 90s"
  bool whole = false;         ///< rounded to a whole number
};

/// Converts a number above 0 with one of the units to the unit of 1.
CLI::Validator number_option(const NumberOption& option) {
  const auto convert = [option](std::string& text) -> std::string {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const auto unit = option.units.find(end);
    const bool understood = end != text.c_str() && unit != option.units.end();
    const auto value = understood ? positive(number * unit->second) : std::nullopt;
    if (!value || *value < option.least || *value > option.most) {
      return fmt::format("'{}' is not {}", text, option.what_is_right);
    }
    text = option.whole ? fmt::format("{:.0f}", *value) : fmt::format("{}", *value);
    return "";
  };
  return CLI::Validator(convert, option.type, option.type);
}

}  // namespace

CLI::Validator time_option() {
  constexpr double kLongest_s = 1e9;  // 30 years: more is a slip, and too much for a clock
  return number_option({"TIME",
                        {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}},
                        0,
                        kLongest_s,
                        "a time above 0, such as 500ms, 90s, 20m, 8h"});
}

CLI::Validator share_option() {
  return number_option(
      {"PERCENT", {{"%", 0.01}, {" %", 0.01}}, 0, 1, "a percentage from 0% to 100%, such as 2%"});
}

CLI::Validator own_share_option() {
  const auto convert = [](std::string& text) -> std::string {
    const size_t equals = text.rfind('=');
    const bool is_own = equals != std::string::npos;
    const std::string expression = is_own ? text.substr(0, equals) : "";
    std::string share = is_own ? text.substr(equals + 1) : text;
    if (std::string error = share_option()(share); !error.empty()) return error;
    if (is_own && expression.empty()) return "'" + text + "' has no expression before its =";
    try {
      (void)Expression(expression);
    } catch (const UserError& error) {
      return error.what();
    }
    text = (is_own ? expression + "=" : "") + share;
    return "";
  };
  return CLI::Validator(convert, "[REGEX=]PERCENT", "share");
}

CLI::Validator size_option() {
  constexpr double kLargest = 1e18;  // what 64 bits hold
  constexpr double kKi = 1024;
  return number_option({"SIZE",
                        {{"", 1},
                         {"B", 1},
                         {"kB", 1e3},
                         {"KB", 1e3},
                         {"MB", 1e6},
                         {"GB", 1e9},
                         {"TB", 1e12},
                         {"KiB", kKi},
                         {"MiB", kKi * kKi},
                         {"GiB", kKi * kKi * kKi},
                         {"TiB", kKi * kKi * kKi * kKi}},
                        1,
                        kLargest,
                        "a size above 0, such as 500MB, 2GB",
                        true});
}

CLI::Validator whole_number_option() {
  const auto check = [](std::string& text) -> std::string {
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && stop == end) return "";
    return fmt::format("'{}' is not a whole number from 0 to {}", text,
                       std::numeric_limits<std::uint64_t>::max());
  };
  return CLI::Validator(check, "", "whole number");
}

std::string sentence_of(std::string text) {
  constexpr size_t kLongest = 1000;
  text.erase(text.find_last_not_of(" \n") + 1);
  return cut_middle(one_line(std::move(text)), kLongest);  // the error is often at the end
}

std::map<std::string, std::vector<std::string>> parse_axes(const std::vector<std::string>& words) {
  std::map<std::string, std::vector<std::string>> axes;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
      throw UserError(fmt::format("--axis takes NAME=VALUE[,VALUE...], not '{}'", word));
    }
    for (const std::string& value : CLI::detail::split(word.substr(equals + 1), ',')) {
      axes[word.substr(0, equals)].push_back(value);
    }
  }
  return axes;
}

std::vector<std::string> parse_variants(const std::vector<std::string>& words) {
  std::vector<std::string> variants;
  for (const std::string& word : words) {
    for (const std::string& name : CLI::detail::split(word + ',', ',')) {
      if (name.empty()) {
        throw UserError(fmt::format("--variant takes NAME[,NAME...], not '{}'", word));
      }
      variants.push_back(name);
    }
  }
  return variants;
}

void refuse_empty_texts(CLI::App& app) {
  const CLI::Validator given(
      [](std::string& text) -> std::string { return text.empty() ? kEmpty : ""; }, "", "given");
  const auto refuse = [&](CLI::App* verb) {
    for (CLI::Option* option : verb->get_options()) {
      if (option->get_items_expected_max() > 0) option->transform(given);  // before all others
    }
  };
  refuse(&app);
  for (CLI::App* verb : app.get_subcommands({})) refuse(verb);
}

void refuse_empty_texts(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") return;  // what follows is no option
    if (word.starts_with("--") && word.ends_with("=")) {
      throw UserError(word.substr(0, word.size() - 1) + ": " + kEmpty);
    }
  }
}

}  // namespace cliffbench
