#include "harness/text/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

namespace cliffbench {
namespace {

/// A byte of UTF-8 that does not begin a character.
bool is_inside(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

std::size_t next(std::string_view text, std::size_t at) {
  do ++at;
  while (at < text.size() && is_inside(text[at]));
  return at;
}

std::size_t before(std::string_view text, std::size_t at) {
  do --at;
  while (at > 0 && is_inside(text[at]));
  return at;
}

/// The text with `change` of each of its lines.
std::string each_line(std::string_view text,
                      const std::function<std::string(std::string_view)>& change) {
  std::string changed;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    changed += change(text.substr(0, end));
    if (end < text.size()) changed += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return changed;
}

constexpr std::string_view kBold = "1", kRed = "31", kGreen = "32", kYellow = "33";

struct ColouredWord {
  std::string_view text, colour;
};
constexpr ColouredWord kFirst[] = {{"ok ", kGreen},           {"improved ", kGreen},
                                   {"REGRESSION", kRed},      {"WRONG", kRed},
                                   {"inconclusive", kYellow}, {"LAYOUT-SUSPECT", kYellow}};
constexpr ColouredWord kLast[] = {{"  held", kGreen},
                                  {"  control quiet", kGreen},
                                  {"  refuted", kRed},
                                  {"  control MOVED", kRed},
                                  {"  unproven", kRed},
                                  {"  undecided", kYellow},
                                  {"  control too wide", kYellow}};

std::string painted(std::string_view text, std::string_view colour) {
  return fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

std::string coloured_line(std::string_view line, bool heading) {
  for (const auto& [word, colour] : kFirst) {
    if (!line.starts_with(word)) continue;
    return painted(word, colour) + std::string(line.substr(word.size()));
  }
  for (const auto& [word, colour] : kLast) {
    if (!line.ends_with(word)) continue;
    return std::string(line.substr(0, line.size() - word.size())) + painted(word, colour);
  }
  const auto has = [line](std::string_view text) { return line.find(text) != line.npos; };
  const bool bold = heading && !has("  ") && !has(": ");
  return !line.empty() && line.front() != ' ' && bold ? painted(line, kBold) : std::string(line);
}

}  // namespace

void say_folded(std::string_view text) { say("{}", folded(text, screen_width())); }

void say_coloured(std::string_view text) {
  fmt::print("{}", coloured(folded(printable(text), screen_width()), shows_colour()));
}

std::size_t display_width(std::string_view text) {
  // fmt knows the widths of characters and says them by how much it pads.
  const std::size_t wide = 2 * text.size() + 1;
  return wide - (fmt::format("{:<{}}", text, wide).size() - text.size());
}

std::string cut_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  const std::size_t right = (width - 1) / 2;
  const std::size_t left = width - 1 - right;
  std::size_t end = 0;
  while (display_width(text.substr(0, next(text, end))) <= left) end = next(text, end);
  std::size_t start = text.size();
  while (display_width(text.substr(before(text, start))) <= right) start = before(text, start);
  return fmt::format("{}…{}", text.substr(0, end), text.substr(start));
}

std::string one_line(std::string_view text) {
  std::string line = printable(text);
  for (char& c : line) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return line;
}

std::vector<std::string> wrapped(std::string_view given, std::size_t width, std::string_view first,
                                 std::string_view indent) {
  const std::string clean = one_line(given);
  std::string_view text = clean;
  std::vector<std::string> lines;
  std::string line(first);
  bool begun = false;  // the line has a word
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    const std::string longer = fmt::format("{}{}{}", line, begun ? " " : "", word);
    if (!begun || width == 0 || display_width(longer) <= width) {
      line = longer;
      begun = true;
      continue;
    }
    lines.push_back(line);
    line = fmt::format("{}{}", indent, word);
  }
  if (begun) lines.push_back(line);
  return lines;
}

std::string folded(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  return each_line(text, [width](std::string_view line) {
    if (display_width(line) <= width) return std::string(line);
    const std::size_t gap = line.substr(0, 2 * width / 3).rfind("  ");
    const std::size_t column = gap == line.npos ? 0 : gap + 2;
    const std::string_view first = line.substr(0, column);
    const std::string indent(std::max<std::size_t>(display_width(first), 2), ' ');
    return fmt::format("{}", fmt::join(wrapped(line.substr(column), width, first, indent), "\n"));
  });
}

std::string coloured(std::string_view text, bool on) {
  if (!on) return std::string(text);
  bool heading = true;
  return each_line(text, [&heading](std::string_view line) {
    return coloured_line(line, std::exchange(heading, line.empty()));
  });
}

std::size_t terminal_width() {
  if (const char* columns = std::getenv("COLUMNS")) {
    const int given = std::atoi(columns);
    if (given > 0) return static_cast<std::size_t>(given);
  }
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::size_t screen_width() { return isatty(STDOUT_FILENO) == 1 ? terminal_width() : 0; }

bool shows_colour() {
  const auto value_of = [](const char* name) -> std::string_view {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  return isatty(STDOUT_FILENO) && !value_of("TERM").empty() && value_of("TERM") != "dumb" &&
         value_of("NO_COLOR").empty();
}

void Table::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = one_line(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  constexpr std::size_t kBetween = 2;  // columns between two columns
  constexpr std::size_t kBelow = 4;    // columns before what stands below its beginning, at least
  std::vector<std::size_t> widths;
  for (const auto& cells : rows_) {
    if (cells.size() < 2) continue;
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(cells[i]));
    }
  }
  const std::size_t all = std::accumulate(widths.begin(), widths.end(), kBetween * widths.size());
  const bool above = width_ && all > width_ + kBetween;
  std::string text;
  for (const auto& cells : rows_) {
    const std::size_t start = std::min(cells[0].find_first_not_of(' '), cells[0].size());
    const std::string below(std::max(kBelow, start + 2), ' ');
    const bool whole = cells.size() == 1;
    if (whole || above) {
      for (const std::string& line : wrapped(cells[0], width_, "", below)) text += line + '\n';
    }
    if (whole) continue;
    std::string line = above ? below : "";
    for (std::size_t i = above ? 1 : 0; i < cells.size(); ++i) {
      const bool right = std::count(numbers_.begin(), numbers_.end(), i) > 0;
      line += right ? fmt::format("{:>{}}", cells[i], widths[i])
                    : fmt::format("{:<{}}", cells[i], widths[i]);
      line.append(kBetween, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace cliffbench
