// Rows: what is read, is written and read again as the same. The input is a line, given with and
// without a right checksum.
#include "harness/core/record/row.hpp"

#include <cstdlib>

using namespace cliffbench;

namespace {

void try_line(std::string_view line) {
  try {
    const Row row = parse_row(line);
    const std::string written = row_line(row);
    if (row_line(parse_row(written)) != written) std::abort();
  } catch (const CannotMeasure&) {  // refused
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  try_line(line);
  try_line(with_checksum(std::string(line.substr(0, line.rfind('}')))));
  return 0;
}
