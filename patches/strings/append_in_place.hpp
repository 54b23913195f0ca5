#pragma once

#include <span>
#include <string>

#include "harness/suite/case/patch.hpp"

namespace patches::strings {

inline const cliffbench::Patch kAppendInPlace{
    .name = "append_in_place",
    .before =
        "`text = text + line` makes a new string of everything before, for each line: n lines copy "
        "about n / 2 times the whole text.",
    .after =
        "`text += line` appends. When there is no room left, the string grows "
        "by a factor, so all its moves together copy about as much as the text is long.",
    .cost = "Up to twice the memory of the text, until it is shrunk.",
    .source = "Common knowledge.",
    .left_out = "The moves while it grows, which need the final length: see reserve_first."};

[[nodiscard]] inline std::string appended(std::span<const std::string> lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace patches::strings
