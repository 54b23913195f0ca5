/// The processes of pairs, in this process, of programs that are shell scripts.

#include "harness/gate/trials.hpp"

#include <gtest/gtest.h>

#include <map>

#include "harness/core/program/made_program_test.hpp"
#include "harness/core/record/folder.hpp"

namespace cliffbench {
namespace {

/// A gate of two made programs, and its benchmarks of them.
struct MadePairs {
  explicit MadePairs(const std::string& base, const std::string& head, double limit_s = 60)
      : pair{"made", folder.script("base", base), folder.script("head", head)},
        request{.folder = folder.path() / "gate", .limit_s = limit_s},
        session(request, Budget()) {
    session.place.begin_session({.run = "run", .profile = "gate"});
  }

  ComparedBenchmark& add(const std::string& base_name, const std::string& head_name) {
    ComparedBenchmark made{.id = {"made", head_name, base_name, head_name},
                           .timing = {.round_s = 1}};
    made.judge();
    return benchmarks.emplace_back(made);
  }
  bool measure() {
    std::vector<ComparedBenchmark*> suite;
    for (ComparedBenchmark& benchmark : benchmarks) suite.push_back(&benchmark);
    for (ComparedBenchmark* one : suite) one->timing.shares_process = suite.size() > 1;
    return measure_once(suite, pair, session, random, 1);
  }
  [[nodiscard]] std::vector<Row> kept() const {
    std::vector<LeftOut> left_out;
    std::vector<Row> rows = read_rows(request.folder / "rows.jsonl", left_out);
    EXPECT_TRUE(left_out.empty());
    return rows;
  }

  Folder folder;
  ProgramPair pair;
  GateRequest request;
  GateSession session;
  std::mt19937_64 random{1};
  std::vector<ComparedBenchmark> benchmarks;
};

using MeasureOnce = Measuring;

TEST_F(MeasureOnce, RunsEachSideByItsOwnNameAndKeepsItsRows) {
  MadePairs gate(made_program(), made_program("ms=2"));
  const ComparedBenchmark& benchmark = gate.add("was", "is");
  ASSERT_TRUE(gate.measure());
  EXPECT_EQ(asked_of(gate.pair.base), (std::vector<std::string>{"was", "was"}));  // one: control
  EXPECT_EQ(asked_of(gate.pair.head), std::vector<std::string>{"is"});
  const std::vector<Row> rows = gate.kept();
  std::map<std::string, double> times;
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].position, static_cast<int>(i));
    EXPECT_EQ(rows[i].name, "is");
    EXPECT_EQ(rows[i].program, "made");
    EXPECT_EQ(rows[i].run, "run");
    EXPECT_EQ(rows[i].status, Status::ok) << rows[i].reason;
    times[rows[i].variant] = rows[i].wall_s.value_or(0);
  }
  EXPECT_EQ(times,
            (std::map<std::string, double>{{"base", 1e-3}, {"control", 1e-3}, {"head", 2e-3}}));
  EXPECT_EQ(benchmark.seen.rows.size(), 3u);
  EXPECT_EQ(benchmark.judged.finding.pairs, 1);
  EXPECT_GT(benchmark.seen.rounds_s, 0);
}

TEST_F(MeasureOnce, HasASuiteInOneProcessAndMeasuresAloneWhatHadNoResult) {
  MadePairs gate(made_program(), made_program("ms=2; without=two"));
  for (const char* name : {"one", "two", "three"}) gate.add(name, name);
  ASSERT_TRUE(gate.measure());
  EXPECT_EQ(asked_of(gate.pair.base), (std::vector<std::string>(2, "one two three")));
  EXPECT_EQ(asked_of(gate.pair.head), std::vector<std::string>{"one two three"});
  std::map<std::string, int> rows;
  for (const Row& row : gate.kept()) {
    ++rows[row.name];
    EXPECT_EQ(row.wall_s, row.variant == "head" ? 2e-3 : 1e-3);
  }
  EXPECT_EQ(rows, (std::map<std::string, int>{{"one", 3}, {"three", 3}, {"two", 2}}));
  for (const ComparedBenchmark& one : gate.benchmarks) {
    EXPECT_EQ(one.timing.shares_process, one.id.name != "two");
    EXPECT_EQ(one.judged.finding.pairs, one.id.name == "two" ? 0 : 1);
  }
}

/// Three share a process which gives no result of the second: its slot is left out, and the third
/// does not take its place.
TEST_F(MeasureOnce, AMissingResultLeavesTheOthersTheirOwn) {
  const std::string text =
      made_program("without=second; each() { case $1 in third) ms=3 ;; *) ms=1 ;; esac; }");
  MadePairs gate(text, text);
  for (const char* name : {"first", "second", "third"}) gate.add(name, name);
  ASSERT_TRUE(gate.measure());
  for (const auto& [at, seconds] : {std::pair(0, 0.001), {2, 0.003}}) {
    const ComparedBenchmark& one = gate.benchmarks[at];
    EXPECT_TRUE(one.timing.shares_process);
    ASSERT_EQ(one.seen.rows.size(), 3u);
    for (int position = 0; const Row& row : one.seen.rows) {
      EXPECT_EQ(row.position, position++);
      EXPECT_EQ(row.name, one.id.name);
      EXPECT_DOUBLE_EQ(row.wall_s.value_or(0), seconds);
    }
  }
  EXPECT_FALSE(gate.benchmarks[1].timing.shares_process);
  EXPECT_TRUE(gate.benchmarks[1].seen.rows.empty());
}

TEST_F(MeasureOnce, ASuiteIsNotShuffledByALibraryThatCannot) {
  const std::string old = made_program("[ -z \"$shuffled\" ] || exit 1");
  MadePairs gate(old, old);
  for (const char* name : {"one", "two"}) gate.add(name, name);
  ASSERT_TRUE(gate.measure());
  EXPECT_FALSE(gate.session.shuffles);
  EXPECT_EQ(gate.kept().size(), 6u);
  EXPECT_EQ(asked_of(gate.pair.base).size() + asked_of(gate.pair.head).size(), 4u);
}

TEST_F(MeasureOnce, AProcessThatIsStoppedAtItsLimitIsARow) {
  MadePairs gate(made_program(), made_program(kHangs), 0.2);
  gate.add("one", "one").timing.batches = {5, 0, 3};
  ASSERT_TRUE(gate.measure());
  const std::vector<Row> rows = gate.kept();
  ASSERT_EQ(rows.size(), 3u);
  for (const Row& row : rows) {
    if (row.variant != "head") continue;
    EXPECT_EQ(row.status, Status::timeout);
    EXPECT_EQ(row.iterations, 15);
    EXPECT_EQ(row.limit_s, 0.2);
  }
}

TEST_F(MeasureOnce, ABadEndAfterWholeResultsIsOneNote) {
  for (const bool together : {false, true}) {
    MadePairs gate(made_program(), made_program("", "kill -ABRT $$"));
    gate.add("one", "one");
    if (together) gate.add("two", "two");
    for (int round = 0; round < 2; ++round) ASSERT_TRUE(gate.measure());
    for (const Row& row : gate.kept()) EXPECT_EQ(row.status, Status::ok);
    ASSERT_EQ(gate.session.notes.size(), 1u);
    EXPECT_EQ(gate.session.notes[0].find("made: the head"), 0u) << gate.session.notes[0];
  }
}

TEST_F(MeasureOnce, NothingIsKeptOfAProcessThatTheBudgetCutsShort) {
  for (const bool together : {false, true}) {
    MadePairs gate(made_program("sleep 9"), made_program("sleep 9"));
    gate.session.budget = Budget(0.1);
    gate.add("one", "one");
    if (together) gate.add("two", "two");
    EXPECT_FALSE(gate.measure());
    EXPECT_TRUE(gate.kept().empty());
    EXPECT_EQ(gate.benchmarks[0].seen.rounds_s, 0);
  }
}

TEST_F(MeasureOnce, NoTrialFollowsAProgramThatWasReplaced) {
  MadePairs gate(made_program(), made_program());
  gate.session.place.watch({gate.pair.base, gate.pair.head});
  gate.add("one", "one");
  ASSERT_TRUE(gate.measure());
  gate.folder.script("head", made_program("ms=3"));
  EXPECT_THROW((void)gate.measure(), CannotMeasure);
  EXPECT_EQ(gate.kept().size(), 3u);
}

}  // namespace
}  // namespace cliffbench
