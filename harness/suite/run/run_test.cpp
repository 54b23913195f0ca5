/// A whole run, in this process, with a program that is a shell script: its files, its words, its
/// ends.

#include "harness/suite/run/run.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/core/host/exit_code.hpp"
#include "harness/core/host/file.hpp"
#include "harness/core/program/made_program_test.hpp"
#include "harness/core/record/folder.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/record/session.hpp"
#include "harness/core/text/error_of_test.hpp"
#include "harness/suite/run/estimate.hpp"
#include "harness/suite/run/made_case_test.hpp"
#include "harness/suite/run/run_folder.hpp"
#include "harness/suite/run/status.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// Two variants at two sizes, two rounds: eight trials.
struct WholeRun {
  explicit WholeRun(const std::string& program = made_program()) {
    const fs::path path = folder.script("made@it", program);
    folder.write("README.md", "what it is");
    Description description = made_case();
    description.declared.readme = folder.path() / "README.md";
    request.programs = {{"made@it", {path, description}}};
    request.filter.rounds = 2;
    request.folder = folder.path() / "run";
    request.seed = 1;
    request.paths = "PATH ";
    request.quiet = true;
  }
  int run() {
    testing::internal::CaptureStdout();
    const int code = run_benchmarks(request);
    said = testing::internal::GetCapturedStdout();
    return code;
  }
  [[nodiscard]] std::string refusal() const {
    return error_of([&] { (void)run_benchmarks(request); });
  }
  [[nodiscard]] std::vector<Row> rows() const {
    std::vector<LeftOut> left_out;
    return read_rows(request.folder / "rows.jsonl", left_out);
  }
  [[nodiscard]] std::string status() const {
    const std::string text = run_status_text(request.folder);
    return text.substr(text.find(", ") + 2);
  }
  [[nodiscard]] size_t processes() const {
    return asked_of(request.programs.at("made@it").path).size();
  }

  Folder folder;
  RunRequest request;
  std::string said;
};

using RunTest = Measuring;

TEST_F(RunTest, KeepsItsPlanItsSessionAndWhatItMeasured) {
  WholeRun whole;
  whole.request.command = "cliffbench run made";
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_EQ(whole.said, "4 cells, 8 trials; how long they take is unknown\n");
  EXPECT_EQ(whole.rows().size(), 8u);
  EXPECT_EQ(whole.status(), "8 of 8 trials (100 %)\n");
  const fs::path folder = whole.request.folder;
  const Plan plan = read_plan(folder / "plan.json");
  EXPECT_EQ(plan.cells.size(), 4u);
  EXPECT_EQ(plan.seed, 1u);
  EXPECT_TRUE(plan.run.ends_with("-0001")) << plan.run;
  EXPECT_EQ(plan.programs.count("made@it"), 1u);
  const auto sessions = read_sessions(folder);
  ASSERT_EQ(sessions.size(), 1u);
  const SessionRecord& session = sessions.begin()->second;
  EXPECT_EQ(session.run, plan.run);
  EXPECT_EQ(session.command, "cliffbench run made");
  EXPECT_EQ(session.seed, 1u);
  EXPECT_TRUE(session.ended);
  const auto kept = nlohmann::json::parse(read_file(folder / "programs/made@it.json"));
  EXPECT_EQ(kept["file"], "made@it");
  EXPECT_EQ(kept["readme"], "cases/made.md");
  EXPECT_FALSE(kept.contains("libraries"));
  EXPECT_EQ(read_file(folder / "cases/made.md"), "what it is");
  EXPECT_FALSE(fs::exists(folder / "scratch"));
}

TEST_F(RunTest, GoesOnWhereItsBudgetEnded) {
  WholeRun whole(made_program("sleep 0.05"));
  whole.request.budget_s = 0.01;
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_NE(whole.said.find("the time budget is used up; continue with: cliffbench run PATH "),
            whole.said.npos)
      << whole.said;
  EXPECT_EQ(whole.rows().size(), 2u);
  EXPECT_EQ(whole.status(), "2 of 8 trials (25 %), not running\n");
  whole.request.resume = true;
  whole.request.budget_s = 0;
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_EQ(whole.said, "4 cells, 6 trials; how long they take is unknown\n");
  EXPECT_EQ(whole.rows().size(), 8u);
  EXPECT_EQ(read_sessions(whole.request.folder).size(), 2u);
  const size_t processes = whole.processes();
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_EQ(whole.processes(), processes);
}

TEST_F(RunTest, MeasuresAgainWhatIsDamaged) {
  WholeRun whole(made_program("case $1 in *n:2*fast) exit 3 ;; esac"));
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_EQ(whole.status(), "8 of 8 trials (100 %), 2 crash\n");
  std::string text = read_file(whole.request.folder / "rows.jsonl");
  text[text.find("\"round\":1") + 8] = '2';
  text.resize(text.size() - 9);
  write_file(whole.request.folder / "rows.jsonl", text);
  whole.request.resume = true;
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_NE(whole.said.find("ended in an unfinished line; it is measured again\n"),
            whole.said.npos);
  EXPECT_NE(whole.said.find(" cells, 2 trials"), whole.said.npos) << whole.said;
  EXPECT_EQ(whole.rows().size(), 8u);
}

TEST_F(RunTest, RefusesWhatIsNotItsOwn) {
  WholeRun whole;
  const std::string folder = whole.request.folder.string();
  whole.request.filter.variants = {"fats"};
  EXPECT_NE(whole.refusal().find("fats"), std::string::npos);
  whole.request.filter.variants = {};
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_EQ(whole.refusal(), folder + " already holds a run; continue it with --resume " + folder +
                                 ", or choose another folder");
  whole.request.resume = true;
  const std::string run = "run " + read_plan(whole.request.folder / "plan.json").run;
  whole.folder.script("made@it", made_program("ms=2"));
  EXPECT_TRUE(whole.refusal().ends_with(" since " + run + " was planned; start a new run instead"))
      << whole.refusal();
  whole.request.programs = {};
  EXPECT_EQ(whole.refusal().find(run + " was planned with the program made@it, which is not built"),
            0u);
}

TEST_F(RunTest, ADryRunOnlySaysWhatItWouldTake) {
  WholeRun whole;
  whole.request.dry_run = true;
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_EQ(whole.said, "4 cells, 8 trials; how long they take is unknown\n");
  EXPECT_FALSE(fs::exists(whole.request.folder));
  EXPECT_EQ(whole.processes(), 0u);
}

TEST_F(RunTest, MeasuresAShardOfAPlanFile) {
  WholeRun whole;
  const Plan plan = make_plan(whole.request.programs, whole.request.filter, 1);
  whole.request.plan_file = whole.folder.path() / "plan.json";
  write_record(whole.request.plan_file, plan_json(plan));
  size_t rows = 0;
  for (const int shard : {1, 2}) {
    whole.request.shard = {shard, 2};
    whole.request.folder = whole.folder.path() / "shards" / std::to_string(shard);
    EXPECT_EQ(whole.run(), Exit::fine);
    const std::string end = "shard " + std::to_string(shard) + "/2 is complete\n";
    EXPECT_TRUE(whole.said.ends_with(end)) << whole.said;
    EXPECT_EQ(read_sessions(whole.request.folder).begin()->second.shard, whole.request.shard);
    rows += whole.rows().size();
  }
  EXPECT_EQ(rows, 8u);
  const std::string status = run_status_text(whole.folder.path() / "shards");
  EXPECT_TRUE(status.ends_with("run " + plan.run + ": 8 of 8 trials (100 %)\n")) << status;
  EXPECT_NE(status.find("/1: run " + plan.run + " shard 1/2, "), status.npos) << status;
  EXPECT_EQ(std::ranges::count(status, '\n'), 3);
  whole.request.shard = {1, 2};
  EXPECT_EQ(whole.refusal(), whole.request.folder.string() +
                                 " holds another plan or another shard; choose another folder");
}

TEST(Estimate, IsOfWhatIsKnown) {
  Plan plan{.run = "r", .cells = choose_cells("made@it", made_case(), {.rounds = 2})};
  const auto text = [&](const Costs& costs) {
    return estimate_text(plan, estimate(plan, schedule(plan.cells, 1), costs));
  };
  EXPECT_EQ(text(Costs(4, 10)), "4 cells, 8 trials, about 1:20 by earlier runs");
  EXPECT_EQ(text({10, {}, 20, {}}),
            "4 cells, 8 trials, about 1:00 by earlier runs, and 4 trials never measured before");
  plan.shard = {1, 2};
  EXPECT_EQ(text(Costs(4)), "shard 1/2: 4 cells, 8 trials; how long they take is unknown");
}

}  // namespace
}  // namespace cliffbench
