#include "harness/core/record/row.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/core/record/fields.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

Row made() {
  Row row;
  row.run = "r";
  row.session = 2;
  row.round = 1;
  row.program = "case@subject";
  row.params = {{"n", "1"}};
  row.variant = "a \"quoted\"\nname";
  row.status = Status::ok;
  row.wall_s = 0.1;
  row.cpu_s = 0.1;
  row.rss_bytes = 123456789012;
  row.page_faults = 59967.5;
  row.stages = {{"search", 0.05}};
  return row;
}

/// The complaint about a line's start, or a JSON object, that is given a right checksum.
std::string refusal_of(std::string start) {
  if (start.ends_with('}')) start.pop_back();
  try {
    (void)parse_row(with_checksum(start));
  } catch (const CannotMeasure& error) {
    return error.what();
  }
  return "";
}

TEST(Row, SurvivesItsLine) {
  const std::string line = row_line(made());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(row_line(parse_row(line)), line);
  EXPECT_EQ(parse_row(line).wall_s, 0.1);
  EXPECT_EQ(parse_row(line).rss_bytes, 123456789012);
  EXPECT_EQ(parse_row(line).page_faults, 59967.5);
}

TEST(Row, SaysWhatIsWrongWithALine) {
  EXPECT_EQ(refusal_of("[\"schema\""), "is not a JSON object");
  EXPECT_EQ(refusal_of("{\"schema\":2}"), "has schema 2, this program reads schema 1");
  EXPECT_EQ(refusal_of("{\"more\":2}"), "has schema null, this program reads schema 1");
  EXPECT_EQ(refusal_of("{\"schema\":1}"), "has no field 'run'");
  auto json = nlohmann::json::parse(row_line(made()));
  json.erase("check");
  json["wall_s"] = "fast";
  EXPECT_NE(refusal_of(json.dump()).find("\"fast\" in field 'wall_s'"), std::string::npos);
  json["wall_s"] = nullptr;
  EXPECT_EQ(refusal_of(json.dump()), "has status ok, but no wall_s");
  json["wall_s"] = 1;
  json["status"] = "fine";
  EXPECT_NE(refusal_of(json.dump()).find("\"fine\" in field 'status'"), std::string::npos);
}

TEST(Row, NoFlippedBitGoesUnnoticed) {
  const std::string line = row_line(made());
  for (size_t i = 0; i < line.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = line;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      EXPECT_THROW((void)parse_row(flipped), DamagedRow) << i << ' ' << bit;
    }
  }
}

TEST(Row, WithoutItsChecksumIsDamaged) {
  auto json = nlohmann::json::parse(row_line(made()));
  json.erase("check");
  EXPECT_THROW((void)parse_row(json.dump()), DamagedRow);
}

TEST(Row, MayLackAnyFieldThatIsNotNeeded) {
  for (const Field<Row>& field : row_fields()) {
    auto json = nlohmann::json::parse(row_line(made()));
    json.erase("check");
    json.erase(std::string(field.name));
    if (field.name == "wall_s") json["status"] = "timeout";  // only what is ok must have one
    EXPECT_EQ(refusal_of(json.dump()),
              field.needed ? "has no field '" + std::string(field.name) + "'" : "");
  }
  auto json = nlohmann::json::parse(row_line(made()));
  for (const char* field : {"check", "cpu_s", "rss_bytes", "stages"}) json.erase(field);
  const std::string text = json.dump();
  const Row row = parse_row(with_checksum(text.substr(0, text.size() - 1)));
  EXPECT_FALSE(row.cpu_s);
  EXPECT_FALSE(row.rss_bytes);
  EXPECT_TRUE(row.stages.empty());
}

TEST(Row, OfALaterVersionIsRead) {
  std::string line = row_line(made());
  line.resize(line.rfind(",\"check\""));
  EXPECT_EQ(row_line(parse_row(with_checksum(line + ",\"more\":1"))), row_line(made()));
}

TEST(Row, FractionsAndTooLargeNumbersAreRefusedInIntegerFields) {  // 1e30: found by fuzzing
  for (const char* number : {"1e30", "1.5", "-1e300", "99999999999999999999", "4294967297"}) {
    auto json = nlohmann::json::parse(row_line(made()));
    json.erase("check");
    json["round"] = nlohmann::json::parse(number);
    EXPECT_NE(refusal_of(json.dump()).find("in field 'round'"), std::string::npos) << number;
  }
}

TEST(Row, ImpossibleValuesAreRefused) {
  const auto refused = [](const char* field, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(row_line(made()));
    json.erase("check");
    json[field] = value;
    return refusal_of(json.dump());
  };
  EXPECT_EQ(refused("wall_s", -1.0), "has a wall_s that is not a time");
  EXPECT_EQ(refused("cpu_s", -1e-9), "has a cpu_s that is not a time");
  EXPECT_EQ(refused("cpu_s", nullptr), "");
  EXPECT_EQ(refused("process_s", -1), "has a process_s that is not a time");
  EXPECT_EQ(refused("limit_s", -1), "has a limit_s that is not a time");
  EXPECT_EQ(refused("stages", {{"search", -1}}), "has a stage search that is not a time");
  EXPECT_EQ(refused("rss_bytes", -1), "has a negative memory");
  EXPECT_EQ(refused("page_faults", -1), "has a page_faults that is not a count");
  EXPECT_EQ(refused("iterations", -1), "has negative iterations");
  EXPECT_EQ(refused("round", 0), "has a round that is not 1 to 100000");
  EXPECT_EQ(refused("session", 0), "has a session below 1");
  EXPECT_EQ(refused("position", -1), "has a position below 0");
  EXPECT_EQ(refused("status", "failed"), "has a wall_s, but not the status ok");
}

TEST(Row, WhatCannotBeReadIsNotWrittenEither) {
  const auto refuse = [](const std::string& name, auto of_row) {
    for (const double none : {std::nan(""), HUGE_VAL, -1.0}) {
      Row row = made();
      of_row(row) = none;
      EXPECT_EQ(impossible(row), "has a " + name + " that is not a time");
    }
  };
  refuse("wall_s", [](Row& row) -> auto& { return row.wall_s; });
  refuse("cpu_s", [](Row& row) -> auto& { return row.cpu_s; });
  refuse("mean_wall_s", [](Row& row) -> auto& { return row.mean_wall_s; });
  refuse("mean_cpu_s", [](Row& row) -> auto& { return row.mean_cpu_s; });
  refuse("process_s", [](Row& row) -> auto& { return row.process_s; });
  refuse("process_cpu_s", [](Row& row) -> auto& { return row.process_cpu_s; });
  refuse("blocked_s", [](Row& row) -> auto& { return row.blocked_s; });
  refuse("limit_s", [](Row& row) -> auto& { return row.limit_s; });
  refuse("stage search", [](Row& row) -> auto& { return row.stages["search"]; });
}

TEST(Row, AFieldTwiceIsRefused) {
  std::string line = row_line(made());
  line.resize(line.rfind(",\"check\""));
  EXPECT_EQ(refusal_of(line + ",\"wall_s\":0.2"), "has a field twice");
  const size_t stage = line.find("\"search\":");
  line.insert(stage, "\"search\":0.01,");
  EXPECT_EQ(refusal_of(line), "has a field twice");
}

TEST(Row, BadBytesInADigestDoNotBreakTheLine) {
  Row row = made();
  row.digest = "\xff\xfe";
  EXPECT_NO_THROW((void)parse_row(row_line(row)));
}

}  // namespace
}  // namespace cliffbench
