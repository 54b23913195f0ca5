// The map of marker lines: their numbers rise, their texts are lines of the listing, and the page
// can be put together again from any page. The input is a listing and a page, separated by the
// first byte 0.
#include <cstdint>
#include <cstdlib>

#include "patches/halide/marker_lines.hpp"

using namespace patches::halide;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t middle = std::min(input.find('\0'), size);
  const std::string_view listing = input.substr(0, middle);
  const std::string_view page = input.substr(std::min(middle + 1, size));
  const MarkerLines lines = marker_lines(listing, kHalide19);
  size_t count = 0;
  for (size_t start = 0; start < lines.text.size(); ++count) {
    const size_t end = lines.text.find('\n', start);
    if (end == std::string::npos || count >= lines.numbers.size()) std::abort();
    if (listing.find(lines.text.substr(start, end - start)) == listing.npos) std::abort();
    if (count > 0 && lines.numbers[count] <= lines.numbers[count - 1]) std::abort();
    start = end + 1;
  }
  if (count != lines.numbers.size()) std::abort();
  (void)with_whole_listing(page, lines, listing, kHalide19);
  return 0;
}
