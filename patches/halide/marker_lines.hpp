#pragma once

#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/suite/case/patch.hpp"
#include "patches/halide/regex_filter.hpp"

namespace patches::halide {

inline const cliffbench::Patch kMarkerLines{
    .name = "marker_lines",
    .before =
        "The viewer tries every marker on every line of the assembly, so without any large line it "
        "still takes lines times markers: a third of what is left with 16 buffers.",
    .after =
        "The viewer gets only the lines that can carry a marker, each text once. In its page the "
        "line numbers are put back, and the whole listing into the assembly pane.",
    .cost = "None: the page is the same, byte for byte. The page is read and written once more.",
    .source = "ours; Halide 21 (PR #8748) has the half of it that skips lines without a marker.",
    .left_out = "Lowering and the generation of the pipeline's own code."};

/// Lines of a listing on which the first match of any marker must lie, and their numbers in it.
struct MarkerLines {
  std::string text;          ///< a listing of its own
  std::vector<int> numbers;  ///< the place of each of its lines in the whole listing, from 1
};

/// The text before the first marker of a line cannot match (but see viewer_names.hpp), and among
/// lines with the same text after it the first is the one that is mapped.
inline MarkerLines marker_lines(std::string_view listing, const LongLine& shown) {
  MarkerLines lines;
  std::set<std::string> seen;
  int number = 0;
  for (size_t start = 0; start < listing.size();) {
    const size_t end = std::min(listing.find('\n', start), listing.size());
    const std::string_view line = listing.substr(start, end - start);
    start = end + 1;
    ++number;
    if (line.find(kMarkerStart) == std::string_view::npos) continue;
    const std::string searched = searched_line(line, shown);
    const size_t marker = searched.find(kMarkerStart);
    if (marker == std::string::npos || !seen.insert(searched.substr(marker)).second) continue;
    lines.text.append(searched, marker).append("\n");
    lines.numbers.push_back(number);
  }
  return lines;
}

/// The text as it stands in HTML, as the viewer escapes it.
inline std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      case '/':
        html += "&#x2F;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

/// The page that the viewer would have made of `listing`, from the one that it made of its marker
/// lines. "" when the page is not built as Halide 19 to 21 build it.
inline std::string with_whole_listing(std::string_view page, const MarkerLines& lines,
                                      std::string_view listing, const LongLine& shown) {
  constexpr std::string_view kJump = "onclick='scrollToHostAsm(";
  constexpr std::string_view kPane = "<div id='host-assembly-pane'";
  constexpr std::string_view kListing = "<pre>\n";
  const size_t pane = page.find(kPane);
  const size_t pre = page.find(kListing, pane);
  const size_t rest = page.find("\n</pre>", pre);
  if (pane == page.npos || pre == page.npos || rest == page.npos) return "";

  std::string whole;
  whole.reserve(page.size() + 2 * listing.size());
  size_t copied = 0;
  for (size_t jump; (jump = page.find(kJump, copied)) < pane;) {
    const size_t number = jump + kJump.size();
    int line = 0;
    const auto parsed = std::from_chars(page.data() + number, page.data() + page.size(), line);
    if (line < 1 || static_cast<size_t>(line) > lines.numbers.size()) return "";
    whole.append(page.substr(copied, number - copied));
    whole.append(std::to_string(lines.numbers[static_cast<size_t>(line) - 1]));
    copied = static_cast<size_t>(parsed.ptr - page.data());
  }
  whole.append(page.substr(copied, pre + kListing.size() - copied));
  for (size_t start = 0; start < listing.size();) {
    const size_t end = std::min(listing.find('\n', start), listing.size());
    whole.append(escaped(shown_line(listing.substr(start, end - start), shown))).append("\n");
    start = end + 1;
  }
  whole.append(page.substr(rest));
  return whole;
}

}  // namespace patches::halide
