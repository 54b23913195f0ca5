#pragma once

#include <Halide.h>

#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "harness/patch.hpp"

namespace patches::halide {

inline const cliffbench::Patch kRegexFilter{
    .name = "regex_filter",
    .before =
        "The viewer tries one std::regex per loop marker on every line of the assembly, also on "
        "the one "
        "line of tens of megabytes that holds an embedded buffer.",
    .after =
        "Lines of more than 500 characters are cut before the viewer reads the assembly; it would "
        "cut them for display anyway, after the search.",
    .cost = "None that is visible: no marker stands in such a line. One more pass over the file.",
    .source =
        "Proposed in halide/Halide #8717 (\"bump the line length filter to earlier in the "
        "pipeline\"); "
        "released in another form in Halide 21 (PR #8748).",
    .left_out =
        "The deep copy of the module and the emission of the listing still grow with the buffers."};

/// A line of the listing as the viewer shows it; Halide 21 shows more of a long one.
inline std::string shown_line(std::string_view line) {
  constexpr size_t kLongest = 500;
  constexpr bool kFixed = HALIDE_VERSION_MAJOR >= 21;
  constexpr size_t kKept = kFixed ? 200 : 100;
  constexpr std::string_view kInstead = kFixed ? "\" # omitted the remainder of the buffer"
                                               : "\" # omitted the remainder of the ASCII buffer";
  if (line.size() <= kLongest) return std::string(line);
  return std::string(line.substr(0, kKept)).append(kInstead);
}

/// Copies a listing with every line over 500 characters cut as the viewer cuts it for display.
/// Other bytes are left as they are (NUL and bad UTF-8 included).
inline void cut_long_lines(std::istream& listing, std::ostream& cut) {
  for (std::string line; std::getline(listing, line);) {
    cut << shown_line(line);
    if (!listing.eof()) cut << '\n';
  }
}

}  // namespace patches::halide
