#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "harness/print/verdicts.hpp"
#include "harness/text/terminal.hpp"

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

}  // namespace
}  // namespace cliffbench
