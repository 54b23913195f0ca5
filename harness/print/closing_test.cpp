#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/print/verdicts.hpp"
#include "harness/text/terminal.hpp"

namespace cliffbench {
namespace {

Case declared(const std::string& subject = "old-1") {
  Case made{.name = "made",
            .subject = {.name = subject},
            .axes = {{"size", "", {"1", "2"}}},
            .variants = {{"baseline", Role::baseline, ""},
                         {"one", Role::patch, "", {"one"}},
                         {"both", Role::patch, "", {"one", "two"}}},
            .headline = Headline{"Issue 7: what helps?",
                                 "one matrix of {size}",
                                 {},
                                 {{"with both patches", "both"}, {"one alone gives", "one"}}}};
  made.claims = {{.id = "c", .text = "twice as fast", .variant = "both", .range = {2}}};
  return made;
}

/// `times`: {size, variant} -> seconds; the baseline's grow a little from round to round.
std::vector<Row> rows(const std::map<std::pair<std::string, std::string>, double>& times,
                      int rounds = 6) {
  std::vector<Row> all;
  for (int round = 1; round <= rounds; ++round) {
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

const std::map<std::pair<std::string, std::string>, double> kTimes = {
    {{"1", "baseline"}, 1}, {{"1", "one"}, 0.5}, {{"1", "both"}, 0.1},
    {{"2", "baseline"}, 8}, {{"2", "one"}, 2},   {{"2", "both"}, 0.2}};

Judged judged(const Case& made, const std::vector<Row>& all) {
  return {{"m1", "2026-01-01", "abc"},
          made.name + "@" + made.subject.name,
          &made,
          judge_program(made, all)};
}

std::map<std::string, SessionRecord> sessions() {
  return {{"r.1",
           {.machine = {.cpu = "A CPU", .arch = "", .cores = 2}, .machine_id = "m1", .load = 1.5}}};
}

std::string closing(std::span<const Judged> all, size_t width = 0) {
  return closing_text(all, summarise(all), sessions(), "Report: there", width);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Closing, AnswersTheDeclaredQuestionWhereTheBaselineTakesLongest) {
  const Case made = declared();
  const Judged one = judged(made, rows(kTimes));
  const std::string text = closing({&one, 1}, 120);
  EXPECT_NE(text.find("Issue 7: what helps?\n"
                      "  one matrix of 2: 8.28 s -> 200 ms with both patches (41.4x [40.4, 42.4]); "
                      "one alone gives 4.14x [4.04, 4.24]\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Machine: A CPU, 2 cores; load 1.50 at the start (busy"), std::string::npos);
  EXPECT_TRUE(text.ends_with("Report: there\n")) << text;
}

TEST(Closing, ComparesWithAnotherSubjectUnpaired) {
  Case old = declared();
  old.headline->answers.push_back({"upgrading gives", "baseline", "new-2"});
  const Case fresh = declared("new-2");
  const Judged both[] = {judged(old, rows(kTimes)),
                         judged(fresh, rows({{{"2", "baseline"}, 4}, {{"2", "both"}, 0.2}}))};
  const std::string text = closing(both, 200);
  EXPECT_NE(text.find("upgrading gives 2.00x [1.91, 2.10] (not paired)"), std::string::npos)
      << text;
  const std::string alone = closing({both, 1}, 120);
  EXPECT_EQ(alone.find("upgrading"), std::string::npos) << "it was not measured";
}

TEST(Closing, SaysWhyThereIsNoAnswer) {
  const Case made = declared();
  auto all = rows(kTimes);
  for (Row& row : all) {
    if (row.variant != "both") continue;
    row.status = Status::skipped;
    row.reason = "there is no compiler for it";
    row.wall_s.reset();
  }
  const Judged skipped = judged(made, all);
  const std::string text = closing({&skipped, 1}, 120);
  EXPECT_NE(
      text.find("made@old-1: no answer: both at size:1: skipped: there is no compiler for it"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("Not measured here: 2 claims, as there is no compiler for it"),
            std::string::npos)
      << text;
  const Judged none = judged(made, {});
  EXPECT_NE(closing({&none, 1}, 120).find("no answer: this run did not measure both"),
            std::string::npos);
}

TEST(Closing, HasRoomForEveryQuestionBeforeMoreOfOne) {
  Case made = declared();
  made.headline->answers.assign(30, {"a long answer that says again what was said before", "both"});
  Case second = declared();
  second.headline->question = "Issue 8: and there?";
  const Judged all[] = {judged(made, rows(kTimes)), judged(made, rows(kTimes)),
                        judged(second, rows(kTimes))};
  const std::string text = closing(all, 80);
  EXPECT_LE(lines_of(text).size(), 14);
  EXPECT_NE(text.find("Issue 8: and there?\n  one matrix of 2: 8.28 s -> 200 ms"),
            std::string::npos)
      << text;
}

TEST(Closing, SaysThatRoundsWereTooFew) {
  const Case made = declared();
  const Judged three = judged(made, rows(kTimes, 3));
  const std::string text = closing({&three, 1}, 120);
  EXPECT_NE(text.find("3 rounds, no interval"), std::string::npos) << text;
  EXPECT_NE(text.find("Undecided: 2 with too few rounds for an interval"), std::string::npos)
      << text;
}

TEST(Closing, SaysWhatThisMachineDoesNotDecide) {
  Case made = declared();
  made.claims = {{.id = "fine", .variant = "one", .range = {1.5}},
                 {.id = "m1", .variant = "one", .machine = "Apple M1", .range = {1.5}}};
  Judged hosted = judged(made, {});
  hosted.judgement = judge_program(made, rows(kTimes), {.kind = "a VM", .hosted_mac = true});
  const std::string text = closing({&hosted, 1}, 120);
  EXPECT_NE(text.find("Undecided: 2 as a virtual macOS decides only claims of 2x and more\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Not measured here: 1 claim, as it is claimed of Apple M1 only\n"),
            std::string::npos)
      << text;
}

TEST(Closing, OfCasesThatAskNothingSaysWhatThePatchesGive) {
  Case made = declared();
  made.headline.reset();
  const Judged one = judged(made, rows(kTimes));
  EXPECT_NE(closing({&one, 1}, 120)
                .find("made@old-1: 8.28 s -> 200 ms with both (41.4x [40.4, 42.4]) at size:2"),
            std::string::npos)
      << closing({&one, 1}, 120);
  made.variants.pop_back();
  made.variants.pop_back();
  const Judged nothing = judged(made, rows({{{"1", "baseline"}, 1}}));
  EXPECT_NE(closing({&nothing, 1}, 120).find("No answer: "), std::string::npos);
}

TEST(Closing, IsShortAndFitsTheTerminalWhateverWentOtherwise) {
  Case made = declared();
  const std::string words = "a claim of very many words that would fill a line of any terminal ";
  made.claims = {{.id = "no", .text = words + words, .variant = "both", .range = {100}},
                 {.id = "maybe", .text = words, .variant = "one", .range = {1.5, 4.1}},
                 {.id = "never", .text = words, .variant = "gone"},
                 {.id = "same", .variant = "one", .range = {0.9, 4.1}, .control = true}};
  made.headline->answers.assign(12, {words, "both"});
  auto all = rows(kTimes);
  all.push_back(all.front());
  all.back().round = 7;
  all.back().status = Status::crash;
  std::vector<Judged> many(9, judged(made, all));
  for (const size_t width : {80, 100, 120}) {
    const std::string text = closing(many, width);
    const auto lines = lines_of(text);
    EXPECT_LE(lines.size(), width < 100 ? 20 : 18) << text;
    EXPECT_EQ(text.find("…"), std::string::npos) << text;
    EXPECT_NE(text.find("17 more in the table"), std::string::npos) << text;
    for (const std::string& line : lines) EXPECT_LE(display_width(line), width) << line;
    const auto has = [&](const char* start) {
      return std::any_of(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.starts_with(start); });
    };
    for (const char* start : {"Issue 7", "Wrong or broken", "Not as expected", "Undecided",
                              "Not measured here", "Machine", "Report"}) {
      EXPECT_TRUE(has(start)) << start;
    }
  }
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
  const std::string text = table_text({&one, 1}, 0);
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
    const std::string text = table_text({&one, 1}, width);
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
