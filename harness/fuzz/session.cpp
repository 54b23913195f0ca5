// Sessions: what is read has a number, a date of ten characters, and a shard that there is.
#include "harness/record/session.hpp"

#include <cstdlib>

#include "harness/fuzz/json_input.hpp"

using namespace cliffbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = read_input(data, size, parse_session);
  if (!input) return 0;
  const SessionRecord& session = *input;
  if (session.number < 1 || session.date.size() != 10) std::abort();
  if (session.shard.index < 1 || session.shard.index > session.shard.count) std::abort();
  return 0;
}
