#pragma once

#include <span>
#include <string>

#include "harness/suite/case/patch.hpp"

namespace patches::strings {

inline const cliffbench::Patch kReserveFirst{
    .name = "reserve_first",
    .before = "A string that grows moves its text each time it runs out of room.",
    .after = "The lengths are added up first, and the string gets all its room at once.",
    .cost =
        "A second pass over the lines, and the lines must all be there before the first is "
        "written.",
    .source = "Common knowledge.",
    .left_out = "Nothing."};

[[nodiscard]] inline std::string reserved(std::span<const std::string> lines) {
  size_t length = 0;
  for (const std::string& line : lines) length += line.size();
  std::string text;
  text.reserve(length);
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace patches::strings
