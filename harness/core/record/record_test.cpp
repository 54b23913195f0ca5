#include "harness/core/record/record.hpp"

#include <gtest/gtest.h>

#include "harness/core/record/session.hpp"
#include "harness/core/text/error_of_test.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

using Json = nlohmann::json;

constexpr const char* kNoChecksum =
    "FILE has no checksum: it is damaged, or cliffbench did not write it";

std::string refusal(const std::string& text) {
  return error_of([&] { (void)parse_record(text, "FILE"); });
}

TEST(Record, SurvivesItsText) {
  const Json json = {{"schema", 1}, {"text", "a \"check\": \""}, {"list", {1, 2.5, nullptr}}};
  EXPECT_EQ(parse_record(record_text(json), "FILE"), json);
}

TEST(Record, NoFlippedBitGoesUnnoticed) {
  const std::string text = record_text({{"schema", 1}, {"hi", 1.1}, {"against", "baseline"}});
  for (size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      EXPECT_NE(refusal(flipped), "") << i << ' ' << bit;
    }
  }
}

TEST(Record, OneThatWasWrittenAnewByHandIsDamaged) {
  Json json = Json::parse(record_text({{"schema", 1}, {"hi", 1.1}}));
  EXPECT_EQ(refusal(json.dump()), kNoChecksum);
}

TEST(Record, SaysWhatIsWrong) {
  for (const std::string text : {"", "{", "[]", "{}"}) EXPECT_EQ(refusal(text), kNoChecksum);
  EXPECT_EQ(refusal(std::string(100000, '[')), kNoChecksum);
  EXPECT_EQ(refusal(record_text({{"schema", 99}})),
            "FILE has schema 99, this program reads schema 1");
}

Json session() {
  return {{"schema", 1},
          {"run", "r"},
          {"session", 2},
          {"command", "c"},
          {"profile", "p"},
          {"seed", 7},
          {"shard", {2, 4}},
          {"started", "2026-11-21T20:44:34Z"},
          {"machine", machine_json({})},
          {"load_before", {0.5, 1, 2}}};
}

TEST(Session, MachinesOfOneNameAndOtherCachesAreTwoKinds) {
  const Machine half_as_fast{.cpu = "AMD EPYC", .arch = "x86_64", .caches = "L1d 32K, L2 512K"};
  Machine fast = half_as_fast;
  fast.caches = "L1d 48K, L2 1024K";
  EXPECT_NE(machine_id(fast), machine_id(half_as_fast));
}

TEST(Session, IsReadExactly) {
  const SessionRecord read = parse_session(session());
  EXPECT_EQ(read.run, "r");
  EXPECT_EQ(read.number, 2);
  EXPECT_EQ(read.date(), "2026-11-21");
  EXPECT_EQ(read.shard, (Shard{2, 4}));
  EXPECT_EQ(read.machine.id, machine_id({}));
  EXPECT_EQ(read.load(), 0.5);
  EXPECT_EQ(session_json(read), session());
  const auto refused = [](const char* pointer, const Json& value) {
    Json json = session();
    json[Json::json_pointer(pointer)] = value;
    return error_of([&] { (void)parse_session(json); });
  };
  EXPECT_EQ(refused("/started", "yesterday"), "has a field 'started' that is not a time");
  EXPECT_EQ(refused("/ended", "soon"), "has a field 'ended' that is not a time");
  EXPECT_EQ(refused("/load_before", {-1}), "has malformed loads in field 'load_before'");
  EXPECT_EQ(refused("/load_after", {1, 2, 3, 4}), "has malformed loads in field 'load_after'");
  EXPECT_EQ(refused("/more", 1), "has an unknown field 'more'");
  EXPECT_EQ(refused("/schema", 2), "has no field 'schema' of 1");
  EXPECT_EQ(refused("/machine/virtualised", 0),
            "has 0 in field 'virtualised' instead of: boolean (a virtual machine)");
  EXPECT_EQ(refused("/machine/more", 0), "has an unknown field 'more'");
  EXPECT_EQ(refused("/machine", 3), "is not a JSON object");
  EXPECT_NE(refused("/shard", {5, 4}), "");
  EXPECT_NE(refused("/shard", {1, 2, 3}), "");
  EXPECT_EQ(refused("/session", 0), "has a session below 1");
  const Json whole = session();
  for (const auto& [field, value] : whole.items()) {
    Json json = session();
    json.erase(field);
    EXPECT_NE(error_of([&] { (void)parse_session(json); }), "") << field;
  }
}

}  // namespace
}  // namespace cliffbench
