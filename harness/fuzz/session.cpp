// Sessions: what is read has a number, a date of ten characters, and a shard that there is.
#include "harness/record/session.hpp"

#include <cstdlib>

using namespace cliffbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* text = reinterpret_cast<const char*>(data);  // libc++ knows no text of other bytes
  const auto json = nlohmann::json::parse(text, text + size, nullptr, false);
  SessionRecord session;
  try {
    session = parse_session(json);
  } catch (const nlohmann::json::exception&) {
    return 0;
  } catch (const std::runtime_error&) {
    return 0;
  }
  if (session.number < 1 || session.date.size() != 10) std::abort();
  if (session.shard.index < 1 || session.shard.index > session.shard.count) std::abort();
  return 0;
}
