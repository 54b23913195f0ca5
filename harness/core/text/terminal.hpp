#pragma once

/// How a text reaches people: printed so that nothing in it acts on their terminal, in columns that
/// fit, coloured. What is written to a file or a pipe stays plain, in whole lines.

#include <fmt/core.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/text/text.hpp"

namespace cliffbench {

/// Like fmt::print, with the text made printable. Throws std::system_error when writing fails.
template <typename... T>
void say(std::FILE* to, fmt::format_string<T...> format, T&&... values) {
  fmt::print(to, "{}", printable(fmt::format(format, std::forward<T>(values)...)));
}

/// Like the other `say`, to standard output.
template <typename... T>
void say(fmt::format_string<T...> format, T&&... values) {
  say(stdout, format, std::forward<T>(values)...);
}

/// Prints the text as `printable` shows it, wrapped to the screen's width.
void say_wrapped(std::string_view text);

/// Prints as it is what `styled` and Table made: there, nothing of a stranger acts on a terminal.
void say_styled(std::string_view text);

/// Columns that a text takes: 2 for an ideograph, 1 for any other character of UTF-8.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// "a_long_variant" -> "a_lon…iant" for 10. A text that fits stays.
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t width);

/// A name or a reason as `printable` shows it, with spaces for its line ends and tabs.
[[nodiscard]] std::string one_line(std::string_view text);

/// The text with each line at most `width` wide (0: as it is); only a word that is longer exceeds
/// it. A longer line continues below its last column; two spaces separate columns.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width);

/// COLUMNS, else the terminal's width, else 0: without both nothing is wrapped.
[[nodiscard]] std::size_t terminal_width();

/// Where a text is shown.
struct Screen {
  std::size_t width = 0;  ///< of a line at most; 0: any
  bool colours = false;
};

/// Standard output; any width where it is no terminal: a program that reads a pipe gets whole
/// lines. Colours: not with TERM=dumb or NO_COLOR (no-color.org).
[[nodiscard]] Screen screen();

enum class Style { plain, bold, good, bad, doubt };

/// The text as `printable` shows it, in its colour if there are colours.
[[nodiscard]] std::string styled(std::string_view text, Style style, bool colours);

/// Rows whose columns line up, with whole lines between them. Where something is wider than the
/// screen, lines are wrapped, and each row's first cell stands above the others, so that nothing is
/// cut.
class Table {
 public:
  /// `numbers` are aligned on the right.
  explicit Table(const Screen& screen = {}, std::vector<std::size_t> numbers = {})
      : screen_(screen), numbers_(std::move(numbers)) {}

  /// `style` is that of the last cell.
  void row(std::vector<std::string> cells, Style style = Style::plain);
  void line(std::string text) { row({std::move(text)}); }
  [[nodiscard]] std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;  // one: a whole line
    Style style = Style::plain;
  };
  [[nodiscard]] std::string line_of(const Row& row, const std::vector<std::size_t>& widths,
                                    std::size_t first) const;

  Screen screen_;
  std::vector<std::size_t> numbers_;
  std::vector<Row> rows_;
};

}  // namespace cliffbench
