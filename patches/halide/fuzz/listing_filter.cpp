// The filter of long lines: as many lines as before, none above the limit, and a second pass
// changes nothing.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "patches/halide/regex_filter.hpp"

namespace {

std::string cut(const std::string& listing) {
  std::istringstream in(listing);
  std::ostringstream out;
  patches::halide::cut_long_lines(in, out, patches::halide::kHalide19);
  return out.str();
}

size_t longest_line(const std::string& text) {
  size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string listing(reinterpret_cast<const char*>(data), size);
  // Inputs rarely have lines of 500 bytes, so a byte 1 stands for 600 of the next byte.
  std::string grown;
  for (size_t i = 0; i < listing.size(); ++i) {
    grown.append(listing[i] == 1 && i + 1 < listing.size() ? 600 : 1,
                 listing[i + (listing[i] == 1 && i + 1 < listing.size())]);
  }
  for (const std::string& one : {listing, grown}) {
    const std::string once = cut(one);
    if (longest_line(once) > 500 || cut(once) != once) std::abort();
    if (std::count(once.begin(), once.end(), '\n') != std::count(one.begin(), one.end(), '\n'))
      std::abort();
  }
  return 0;
}
