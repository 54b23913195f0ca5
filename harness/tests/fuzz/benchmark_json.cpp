// Google Benchmark's JSON, of any program.
#include "harness/core/program/benchmark_json.hpp"

#include "harness/core/text/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    (void)cliffbench::parse_benchmark_json({reinterpret_cast<const char*>(data), size});
  } catch (const cliffbench::CannotMeasure&) {  // refused
  }
  return 0;
}
