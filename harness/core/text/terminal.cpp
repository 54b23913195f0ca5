#include "harness/core/text/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <sstream>

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

/// The line in as many lines as `width` takes.
std::string wrapped_line(const std::string& line, std::size_t width) {
  if (display_width(line) <= width) return line;
  const std::size_t gap = line.substr(0, 2 * width / 3).rfind("  ");
  const std::size_t column = gap == line.npos ? 0 : gap + 2;
  std::string text = line.substr(0, column);
  std::size_t used = display_width(text);
  const std::string indent(std::max<std::size_t>(used, 2), ' ');
  std::istringstream words(line.substr(column));
  bool begun = false;  // the line has a word
  for (std::string word; std::getline(words, word, ' '); begun = true) {
    if (begun && used + 1 + display_width(word) > width) {
      text.erase(text.find_last_not_of(' ') + 1);
      text += "\n" + indent;
      used = indent.size();
    } else if (begun) {
      text += ' ';
      ++used;
    }
    text += word;
    used += display_width(word);
  }
  return text;
}

bool shows_colour() {
  const auto value_of = [](const char* name) -> std::string_view {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  return !value_of("TERM").empty() && value_of("TERM") != "dumb" && value_of("NO_COLOR").empty();
}

}  // namespace

void say_wrapped(std::string_view text) {
  fmt::print("{}", wrapped(printable(text), screen().width));
}

void say_styled(std::string_view text) { fmt::print("{}", text); }

std::size_t display_width(std::string_view text) {
  // fmt knows how wide characters are; its padding tells us.
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

std::string wrapped(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::istringstream lines{std::string(text)};
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    all += wrapped_line(line, width);
    if (!lines.eof()) all += '\n';
  }
  return all;
}

std::size_t terminal_width() {
  if (const char* columns = std::getenv("COLUMNS")) {
    const int given = std::atoi(columns);
    if (given > 0) return static_cast<std::size_t>(given);
  }
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

Screen screen() {
  if (isatty(STDOUT_FILENO) != 1) return {};
  return {terminal_width(), shows_colour()};
}

std::string styled(std::string_view text, Style style, bool colours) {
  const char* codes[] = {"", "1", "32", "31", "33"};
  const std::string shown = printable(text);
  if (!colours || style == Style::plain) return shown;
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<int>(style)], shown);
}

void Table::row(std::vector<std::string> cells, Style style) {
  for (std::string& cell : cells) cell = one_line(cell);
  rows_.push_back({std::move(cells), style});
}

std::string Table::line_of(const Row& row, const std::vector<std::size_t>& widths,
                           std::size_t first) const {
  std::string line;
  for (std::size_t i = first; i < row.cells.size(); ++i) {
    const std::string& cell = row.cells[i];
    const bool last = i + 1 == row.cells.size();
    const bool right = std::count(numbers_.begin(), numbers_.end(), i) > 0;
    const std::string space(widths[i] - display_width(cell), ' ');
    line += (right ? space : "") + styled(cell, last ? row.style : Style::plain, screen_.colours);
    if (!last) line += (right ? "" : space) + "  ";
  }
  return line.erase(line.find_last_not_of(' ') + 1);
}

std::string Table::text() const {
  constexpr std::size_t kBetween = 2;  // columns between two columns
  constexpr std::size_t kBelow = 4;    // least indent of a continued line
  std::vector<std::size_t> widths;
  for (const auto& [cells, style] : rows_) {
    if (cells.size() < 2) continue;
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(cells[i]));
    }
  }
  const std::size_t all = std::accumulate(widths.begin(), widths.end(), kBetween * widths.size());
  const bool above = screen_.width && all > screen_.width + kBetween;
  std::string text;
  for (const Row& row : rows_) {
    const std::string& first = row.cells[0];
    if (row.cells.size() == 1 || above) text += wrapped(first, screen_.width) + '\n';
    if (row.cells.size() == 1) continue;
    const std::size_t start = std::min(first.find_first_not_of(' '), first.size());
    if (above) text.append(std::max(kBelow, start + 2), ' ');
    text += line_of(row, widths, above ? 1 : 0) + '\n';
  }
  return text;
}

}  // namespace cliffbench
