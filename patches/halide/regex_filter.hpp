#pragma once

#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "harness/suite/case/patch.hpp"

namespace patches::halide {

inline const cliffbench::Patch kRegexFilter{
    .name = "regex_filter",
    .before =
        "The viewer tries one std::regex per loop marker on every line of the assembly, even on "
        "the one line of tens of megabytes that holds an embedded buffer.",
    .after =
        "Lines of more than 500 characters without a marker are cut before the viewer reads the "
        "assembly; it would cut them for display anyway, after the search.",
    .cost = "None that is visible. One more pass over the file.",
    .source =
        "Proposed in halide/Halide #8717 (\"bump the line length filter to earlier in the "
        "pipeline\"); "
        "released in another form in Halide 21 (PR #8748).",
    .left_out =
        "The deep copy of the module and the emission of the listing still grow with the buffers."};

/// How a viewer shows a line of more than 500 characters: its first `kept`, then the text
/// `instead`. `searched_whole`: it looks for markers in the whole line, not in what it shows.
struct LongLine {
  size_t kept = 0;
  std::string_view instead;
  bool searched_whole = false;
};

inline constexpr LongLine kHalide19{100, "\" # omitted the remainder of the ASCII buffer", true};
inline constexpr LongLine kHalide21{200, "\" # omitted the remainder of the buffer", false};

/// Every marker in a line begins with it. In the bytes of a buffer a quote stands behind a '\\'.
inline constexpr std::string_view kMarkerStart = "%\"";

/// A line of the listing as the viewer shows it.
inline std::string shown_line(std::string_view line, const LongLine& shown) {
  constexpr size_t kLongest = 500;
  if (line.size() <= kLongest) return std::string(line);
  return std::string(line.substr(0, shown.kept)).append(shown.instead);
}

/// A line of the listing as the viewer searches it.
inline std::string searched_line(std::string_view line, const LongLine& shown) {
  const bool whole = shown.searched_whole && line.find(kMarkerStart) != std::string_view::npos;
  return whole ? std::string(line) : shown_line(line, shown);
}

/// Copies a listing with the lines over 500 characters cut as the viewer cuts them for display,
/// but for those in which it finds a marker. Other bytes are left as they are (NUL and bad UTF-8
/// included).
inline void cut_long_lines(std::istream& listing, std::ostream& cut, const LongLine& shown) {
  for (std::string line; std::getline(listing, line);) {
    cut << searched_line(line, shown);
    if (!listing.eof()) cut << '\n';
  }
}

}  // namespace patches::halide
