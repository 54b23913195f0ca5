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

#include "harness/text/text.hpp"

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

/// Prints the text, made printable, folded to the screen's width.
void say_folded(std::string_view text);

/// Like `say_folded`, in colour where the terminal has colours.
void say_coloured(std::string_view text);

/// Columns that a text takes: 2 for an ideograph, 1 for any other character of UTF-8.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// "a_long_variant" -> "a_lon…iant" for 10. A text that fits stays.
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t width);

/// A name or a reason as printable text on one line: line ends and tabs become spaces.
[[nodiscard]] std::string one_line(std::string_view text);

/// Lines of at most `width` columns (0: any); only a word that is longer exceeds it. `first` and
/// `indent` come before the first line and the others.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width,
                                               std::string_view first = "",
                                               std::string_view indent = "");

/// The text with each line at most `width` wide (0: as it is). A longer line continues below its
/// last column; two spaces separate columns.
[[nodiscard]] std::string folded(std::string_view text, std::size_t width);

/// Colours a verdict or a ruling that begins or ends a line, and makes headings bold (questions,
/// and lines after an empty one that have neither columns nor a colon). Returns the text unchanged
/// when `on` is false. Pure.
[[nodiscard]] std::string coloured(std::string_view text, bool on);

/// COLUMNS, else the terminal's width, else 0: without both nothing is wrapped.
[[nodiscard]] std::size_t terminal_width();

/// The terminal's width when standard output is a terminal, else 0: a program that reads a pipe
/// gets whole lines.
[[nodiscard]] std::size_t screen_width();

/// Whether standard output is a terminal with colours: not TERM=dumb, no NO_COLOR (no-color.org).
[[nodiscard]] bool shows_colour();

/// Rows with aligned columns, and whole lines between them. Where something is wider than `width`
/// (0: never), lines are wrapped, and each row's first cell stands above the others, so that
/// nothing is cut.
class Table {
 public:
  /// `numbers` are aligned on the right.
  explicit Table(std::size_t width = 0, std::vector<std::size_t> numbers = {})
      : width_(width), numbers_(std::move(numbers)) {}

  void row(std::vector<std::string> cells);
  void line(std::string_view text) { rows_.push_back({one_line(text)}); }
  [[nodiscard]] std::string text() const;

 private:
  std::size_t width_;
  std::vector<std::size_t> numbers_;
  std::vector<std::vector<std::string>> rows_;  // one cell: a whole line
};

}  // namespace cliffbench
