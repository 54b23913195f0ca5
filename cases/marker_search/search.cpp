// One source, built once with libstdc++ and once with libc++ (Apple's), as a library each.
#include "cases/marker_search/search.h"

#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patches/halide/regex_filter.hpp"

namespace {

std::regex regex_of(std::string_view marker) {
  std::string pattern;
  for (const char c : marker) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return std::regex(pattern);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] SearchMarkers search_markers;

extern "C" void search_markers(const char* listing, size_t size, const char* const* markers,
                               int count, int filter, int* lines) {
  std::istringstream stream(std::string(listing, size));
  if (filter) {
    std::ostringstream cut;
    patches::halide::cut_long_lines(stream, cut, patches::halide::kHalide19);
    stream = std::istringstream(cut.str());
  }
  std::vector<std::pair<int, std::regex>> left;
  for (int i = 0; i < count; ++i) {
    lines[i] = 0;
    left.emplace_back(i, regex_of(markers[i]));
  }
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    std::vector<std::pair<int, std::regex>> unmatched;
    for (auto& marker : left) {
      if (std::regex_search(line, marker.second))
        lines[marker.first] = number;
      else
        unmatched.push_back(marker);
    }
    if (unmatched.size() < left.size()) left = std::move(unmatched);
  }
}
