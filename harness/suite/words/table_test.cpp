#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "harness/core/text/terminal.hpp"
#include "harness/suite/judge/control.hpp"
#include "harness/suite/words/verdicts.hpp"

namespace cliffbench {
namespace {

Case declared() {
  return {.name = "made",
          .subject = {.name = "x"},
          .axes = {{"size", "", {"1", "2"}}},
          .variants = {{"baseline", Role::baseline, ""}, {"one", Role::patch, "", {"one"}}}};
}

/// `times`: {size, variant} -> seconds; the baseline's grow a little from round to round.
std::vector<Row> rows(const std::map<std::pair<std::string, std::string>, double>& times) {
  std::vector<Row> all;
  for (int round = 1; round <= 6; ++round) {
    for (const auto& [key, seconds] : times) {
      Row row;
      row.params = {{"size", key.first}};
      row.variant = key.second;
      row.round = round;
      row.status = Status::ok;
      row.wall_s = seconds * (key.second == "baseline" ? 1 + 0.01 * round : 1);
      row.digest = "d";
      all.push_back(row);
    }
  }
  return all;
}

Judged judged(const Case& made, const std::vector<Row>& all) {
  return {{"m1", "2026-01-01", "abc"},
          made.name + "@" + made.subject.name,
          &made,
          judge_program(made, all)};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Table, SaysWhatWasNotMeasuredHereApartFromWhatWasNotChosen) {
  Case made = declared();
  made.claims = {{.id = "libcxx_claim", .variant = "one", .range = {2}},
                 {.id = "other_size", .variant = "one", .where = {{"size", "4"}}}};
  auto all = rows({{{"1", "baseline"}, 1}, {{"1", "one"}, 1}});
  for (Row& row : all) {
    if (row.variant != "one") continue;
    row.status = Status::skipped;
    row.reason = "no such compiler";
    row.wall_s.reset();
  }
  const Judged one = judged(made, all);
  const std::string text = table_text({&one, 1});
  EXPECT_NE(text.find("  not measured here: libcxx_claim: no such compiler\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  not in this run: other_size\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("undecided"), std::string::npos) << text;
}

TEST(Table, TellsClaimsOfOneTextApartAndFitsTheTerminal) {
  Case made = declared();
  const std::string promise = "one patch makes the whole program at least three times as fast";
  made.claims = {
      {.id = "a", .text = promise, .variant = "one", .where = {{"size", "1"}}, .range = {2}},
      {.id = "b", .text = promise, .variant = "one", .where = {{"size", "2"}}, .range = {2}}};
  const auto all =
      rows({{{"1", "baseline"}, 4}, {{"1", "one"}, 1}, {{"2", "baseline"}, 9}, {{"2", "one"}, 3}});
  const Judged one = judged(made, all);
  for (const size_t width : {0, 120, 80, 60}) {
    const std::string text = table_text({&one, 1}, {.width = width});
    for (const char* claim : {"(size:1)", "(size:2)"}) {
      EXPECT_NE(text.find(claim), std::string::npos) << text;
    }
    EXPECT_EQ(text.find("…"), std::string::npos) << text;
    for (const std::string& line : lines_of(text)) {
      if (width) {
        EXPECT_LE(display_width(line), width) << line;
      }
    }
  }
}

TEST(Table, MarksARatioWhoseControlMovedAndSaysWhichCountersDiffer) {
  Case made = declared();
  made.variants.push_back({"control", Role::control, ""});
  made.claims = {{.id = "same", .variant = "control", .range = {0.9, 1.1}, .control = true}};
  auto all = rows({{{"1", "baseline"}, 3}, {{"1", "one"}, 1}, {{"1", "control"}, 1}});
  for (Row& row : all) row.page_faults = row.variant == "baseline" ? 1000000 : 4;
  Judged one = judged(made, all);
  rule_controls(one.judgement, 1);
  const std::string text = table_text({&one, 1});
  for (const char* words : {"      its control moved: decides nothing\n      baseline 1000000 page "
                            "faults a call, one 4\n",
                            "control MOVED\n    its median is outside 0.9 to 1.1x; ",
                            "\n    baseline 1000000 page faults a call, control 4\n"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << text;
  }
}

}  // namespace
}  // namespace cliffbench
