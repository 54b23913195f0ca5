#include "harness/text/width.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "harness/text/say.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

constexpr std::size_t kBetween = 2;  // columns between two columns
constexpr std::string_view kCut = "…";
constexpr std::size_t kBelow = 4;  // columns before what stands below its beginning, at least

/// A byte of UTF-8 that does not begin a character.
bool is_inside(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

std::size_t next(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && is_inside(text[at])) ++at;
  return at;
}

/// The longest beginning of at most `width` columns.
std::string_view start_of(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  while (end < text.size() && display_width(text.substr(0, next(text, end))) <= width) {
    end = next(text, end);
  }
  return text.substr(0, end);
}

/// The longest end of at most `width` columns.
std::string_view end_of(std::string_view text, std::size_t width) {
  std::size_t start = text.size();
  while (start > 0) {
    std::size_t before = start - 1;
    while (before > 0 && is_inside(text[before])) --before;
    if (display_width(text.substr(before)) > width) break;
    start = before;
  }
  return text.substr(start);
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return right ? space + text : text + space;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  // fmt knows the widths of characters and says them by how much it pads.
  const std::size_t wide = 2 * text.size() + 1;
  return wide - (fmt::format("{:<{}}", text, wide).size() - text.size());
}

std::string cut_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  const std::size_t end = (width - 1) / 2;
  return fmt::format("{}{}{}", start_of(text, width - 1 - end), kCut, end_of(text, end));
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
  const std::string clean = one_line(std::string(given));
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
  const bool ends = text.ends_with('\n');
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t gap = line.substr(0, 2 * width / 3).rfind("  ");
    const std::size_t start = gap == std::string_view::npos ? 0 : gap + 2;
    if (display_width(line) <= width) {
      out += fmt::format("{}\n", line);
      continue;
    }
    const std::string indent(std::max<std::size_t>(display_width(line.substr(0, start)), 2), ' ');
    for (const std::string& part :
         wrapped(line.substr(start), width, line.substr(0, start), indent)) {
      out += part + '\n';
    }
  }
  if (!ends) out.erase(out.find_last_not_of('\n') + 1);
  return out;
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

void say_folded(std::string_view text) { say("{}", folded(text, screen_width())); }

void Table::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = one_line(std::move(cell));
  rows_.push_back(std::move(cells));
}

void Table::line(std::string text) { rows_.push_back({one_line(std::move(text))}); }

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const auto& cells : rows_) {
    if (cells.size() < 2) continue;
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(cells[i]));
    }
  }
  return widths;
}

std::string Table::columns(const std::vector<std::string>& cells,
                           const std::vector<std::size_t>& widths, std::size_t first) const {
  std::string line;
  for (std::size_t i = first; i < cells.size(); ++i) {
    const bool right = std::find(numbers_.begin(), numbers_.end(), i) != numbers_.end();
    if (i > first) line.append(kBetween, ' ');
    line += padded(cells[i], widths[i], right);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string Table::text() const {
  const std::vector<std::size_t> widths = this->widths();
  const std::size_t all = std::accumulate(widths.begin(), widths.end(), kBetween * widths.size());
  const bool above = width_ && all > width_ + kBetween;
  std::string text;
  for (const auto& cells : rows_) {
    const std::size_t start = std::min(cells[0].find_first_not_of(' '), cells[0].size());
    const std::string below(std::max(kBelow, start + 2), ' ');
    if (cells.size() == 1 || above) {
      for (const std::string& part : wrapped(cells[0], width_, "", below)) {
        text += part + '\n';
      }
    }
    if (cells.size() > 1) {
      text += above ? below + columns(cells, widths, 1) : columns(cells, widths, 0);
    }
  }
  return text;
}

}  // namespace cliffbench
