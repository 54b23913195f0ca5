#include "harness/cli/cli_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>

#include "harness/judge/stats.hpp"
#include "harness/text/terminal.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

constexpr const char* kEmpty = "an empty value is not allowed; leave it out instead";

using Units = std::map<std::string, double>;

/// A number above 0 with one of the units.
std::optional<double> measure(const std::string& text, const Units& units, double most) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const auto unit = units.find(end);
  if (end == text.c_str() || unit == units.end()) return std::nullopt;
  const auto value = positive(number * unit->second);
  return value && *value <= most ? value : std::nullopt;
}

}  // namespace

CLI::Validator time_option() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        static const Units units = {{"", 1},   {"ms", 1e-3}, {"s", 1},
                                    {"m", 60}, {"h", 3600},  {"d", 86400}};
        constexpr double kLongest_s = 1e9;  // 30 years: more is a slip, and too much for a clock
        const auto seconds = measure(text, units, kLongest_s);
        if (!seconds) {
          return fmt::format("'{}' is not a time above 0, such as 500ms, 90s, 20m, 8h", text);
        }
        text = fmt::format("{}", *seconds);
        return "";
      },
      "TIME", "time");
}

CLI::Validator share_option() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        static const Units units = {{"%", 0.01}, {" %", 0.01}};
        const auto share = measure(text, units, 1);
        if (!share)
          return fmt::format("'{}' is not a percentage from 0% to 100%, such as 2%", text);
        text = fmt::format("{}", *share);
        return "";
      },
      "PERCENT", "share");
}

CLI::Validator whole_number_option() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        std::uint64_t number = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        if (error == std::errc() && stop == end) return "";
        return fmt::format("'{}' is not a whole number from 0 to {}", text,
                           std::numeric_limits<std::uint64_t>::max());
      },
      "", "whole number");
}

CLI::Validator size_option() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        static const Units units = {{"", 1},
                                    {"B", 1},
                                    {"kB", 1e3},
                                    {"KB", 1e3},
                                    {"MB", 1e6},
                                    {"GB", 1e9},
                                    {"TB", 1e12},
                                    {"KiB", 1u << 10},
                                    {"MiB", 1u << 20},
                                    {"GiB", 1u << 30},
                                    {"TiB", 1024.0 * (1u << 30)}};
        constexpr double kLargest = 1e18;  // what 64 bits hold
        const auto bytes = measure(text, units, kLargest);
        if (!bytes || *bytes < 1) {
          return fmt::format("'{}' is not a size above 0, such as 500MB, 2GB", text);
        }
        text = fmt::format("{:.0f}", *bytes);
        return "";
      },
      "SIZE", "size");
}

std::string sentence_of(std::string text) {
  constexpr size_t kLongest = 1000;
  text.erase(text.find_last_not_of(" \n") + 1);
  return cut_middle(one_line(std::move(text)), kLongest);  // what is wrong often stands at the end
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
