#pragma once

/// The one place that knows colour. What is written to a file or a pipe stays plain.

#include <string>
#include <string_view>

namespace cliffbench {

/// Whether standard output is a terminal with colours: not TERM=dumb, no NO_COLOR (no-color.org).
[[nodiscard]] bool shows_colour();

/// Lines whose first or last words are a verdict or a ruling have these in its colour; headings
/// (after an empty line, no columns and no colon; and questions) are bold. Pure; `on` false: the
/// text.
[[nodiscard]] std::string coloured(std::string_view text, bool on);

/// Prints what is printable of the text, folded to the screen's width, coloured where it can be.
void say_coloured(std::string_view text);

}  // namespace cliffbench
