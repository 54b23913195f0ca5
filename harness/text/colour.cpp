#include "harness/text/colour.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "harness/text/text.hpp"
#include "harness/text/width.hpp"

namespace cliffbench {
namespace {

constexpr std::string_view kBold = "1", kRed = "31", kGreen = "32", kYellow = "33";

struct Word {
  std::string_view text, colour;
};

constexpr std::array kFirst = {Word{"ok ", kGreen},           Word{"improved ", kGreen},
                               Word{"REGRESSION", kRed},      Word{"WRONG", kRed},
                               Word{"inconclusive", kYellow}, Word{"LAYOUT-SUSPECT", kYellow}};
constexpr std::array kLast = {Word{"  held", kGreen},
                              Word{"  control quiet", kGreen},
                              Word{"  refuted", kRed},
                              Word{"  control MOVED", kRed},
                              Word{"  unproven", kRed},
                              Word{"  undecided", kYellow},
                              Word{"  control too wide", kYellow}};

std::string painted(std::string_view text, std::string_view colour) {
  return fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

std::string coloured_line(std::string_view line, bool heading) {
  for (const Word& word : kFirst) {
    if (line.starts_with(word.text)) {
      return painted(word.text, word.colour) + std::string(line.substr(word.text.size()));
    }
  }
  for (const Word& word : kLast) {
    if (line.ends_with(word.text)) {
      const std::size_t start = line.size() - word.text.size();
      return std::string(line.substr(0, start)) + painted(word.text, word.colour);
    }
  }
  const auto has = [line](std::string_view text) { return line.find(text) != line.npos; };
  const bool bold = line.ends_with('?') || (heading && !has("  ") && !has(": "));
  return !line.empty() && line.front() != ' ' && bold ? painted(line, kBold) : std::string(line);
}

}  // namespace

bool shows_colour() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value ? std::string_view(value) : std::string_view();
  };
  return isatty(STDOUT_FILENO) && !set("TERM").empty() && set("TERM") != "dumb" &&
         set("NO_COLOR").empty();
}

std::string coloured(std::string_view text, bool on) {
  if (!on) return std::string(text);
  std::string out;
  bool heading = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    out += coloured_line(line, heading);
    heading = line.empty();
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void say_coloured(std::string_view text) {
  fmt::print("{}", coloured(folded(printable(text), screen_width()), shows_colour()));
}

}  // namespace cliffbench
