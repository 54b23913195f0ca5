/// A whole run, in this process, with a program that is a shell script: its files, its words, its
/// ends.

#include "harness/suite/run/run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/core/host/exit_code.hpp"
#include "harness/core/host/file.hpp"
#include "harness/core/program/made_program_test.hpp"
#include "harness/core/record/folder.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/record/session.hpp"
#include "harness/core/text/error_of_test.hpp"
#include "harness/core/text/printed_by_test.hpp"
#include "harness/suite/run/estimate.hpp"
#include "harness/suite/run/judge_folder.hpp"
#include "harness/suite/run/made_case_test.hpp"
#include "harness/suite/run/merge.hpp"
#include "harness/suite/run/prepare.hpp"
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
    int code = -1;
    said = printed_by([&] { code = run_benchmarks(request); });
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
  {
    const RowWriter writer(whole.request.folder / "rows.jsonl");
    EXPECT_EQ(whole.status(), "2 of 8 trials (25 %), running\n");
  }
  whole.request.resume = true;
  whole.request.budget_s = 0;
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_EQ(whole.said, "4 cells, 6 trials; how long they take is unknown\n");
  EXPECT_EQ(whole.rows().size(), 8u);
  EXPECT_EQ(read_sessions(whole.request.folder).size(), 2u);
  const size_t processes = whole.processes();
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_EQ(whole.processes(), processes);
  const std::string status = run_status_text(whole.folder.path());
  EXPECT_EQ(status, run_status_text(whole.request.folder));  // no line of all: it has no shards
}

TEST_F(RunTest, EndsWhereAProgramIsReplaced) {
  WholeRun whole(made_program("echo : >> $0"));
  const std::string refusal = whole.refusal();
  EXPECT_NE(refusal.find("made@it"), std::string::npos) << refusal;
  EXPECT_LE(whole.processes(), 4u);  // at most the warm-ups
}

TEST_F(RunTest, MeasuresAgainWhatIsDamaged) {
  WholeRun whole(made_program("case $1 in *n:2*fast) exit 3 ;; esac"));
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_EQ(whole.status(), "8 of 8 trials (100 %), 2 crash\n");
  std::string text = read_file(whole.request.folder / "rows.jsonl");
  std::string damaged = text;
  damaged[damaged.find("\"round\":1") + 8] = '3';
  write_file(whole.request.folder / "rows.jsonl", damaged);
  EXPECT_EQ(whole.status(), "7 of 8 trials (87 %), 1 crash, 1 line left out, not running\n");
  const fs::path plan = whole.folder.write("broken/plan.json", "{");
  const std::string all = run_status_text(whole.folder.path());
  EXPECT_NE(all.find(plan.parent_path().string() + ": " + plan.string()), all.npos) << all;
  fs::remove_all(plan.parent_path());
  const fs::path none = whole.folder.path() / "none";
  fs::create_directory(none);
  EXPECT_EQ(error_of([&] { (void)run_status_text(none); }),
            none.string() + " holds no run (a folder with a plan.json)");
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
  Case& declared = whole.request.programs.at("made@it").description.declared;
  declared.profiles = {{"some", "w", {{{{"n", {"1"}}}, {"baseline"}, 3, 9}}}};
  whole.request.filter.profile = "some";
  whole.request.filter.variants = {"fast"};
  EXPECT_EQ(whole.refusal(),
            "no cell matches the flags; cliffbench list CASE shows the axes and variants");
  whole.request.filter.variants = {};
  const Plan plan = make_plan(whole.request.programs, whole.request.filter, 1);
  EXPECT_EQ(plan.profile, "some");
  EXPECT_EQ(plan.cells.size(), 1u);
  CasePrograms two = whole.request.programs;
  two["other@it"] = two.at("made@it");
  two.at("other@it").description.declared.profiles = {};
  EXPECT_EQ(make_plan(two, whole.request.filter, 1).programs.count("other@it"), 0u);
  whole.request.filter.profile = "";
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

/// Both shards of a plan file, in shards/1 and shards/2.
struct ShardedRun : WholeRun {
  ShardedRun() : plan(make_plan(request.programs, request.filter, 1)) {
    request.plan_file = folder.path() / "plan.json";
    write_record(request.plan_file, plan_json(plan));
    for (const int shard : {1, 2}) {
      request.shard = {shard, 2};
      request.folder = shards / std::to_string(shard);
      EXPECT_EQ(run(), Exit::fine);
      const std::string end = "shard " + std::to_string(shard) + "/2 is complete\n";
      EXPECT_TRUE(said.ends_with(end)) << said;
    }
  }
  Plan plan;
  fs::path shards = folder.path() / "shards";
};

TEST_F(RunTest, MeasuresAShardOfAPlanFile) {
  ShardedRun whole;
  size_t rows = 0;
  for (const int shard : {1, 2}) {
    whole.request.folder = whole.shards / std::to_string(shard);
    EXPECT_EQ(read_sessions(whole.request.folder).begin()->second.shard, (Shard{shard, 2}));
    rows += whole.rows().size();
  }
  EXPECT_EQ(rows, 8u);
  const std::string status = run_status_text(whole.shards);
  EXPECT_TRUE(status.ends_with("run " + whole.plan.run + ": 8 of 8 trials (100 %)\n")) << status;
  EXPECT_NE(status.find("/1: run " + whole.plan.run + " shard 1/2, "), status.npos) << status;
  EXPECT_EQ(std::ranges::count(status, '\n'), 3);
  whole.request.shard = {1, 2};
  EXPECT_EQ(whole.refusal(), whole.request.folder.string() +
                                 " holds another plan or another shard; choose another folder");
  whole.request.folder = whole.shards / "link";
  fs::create_directory_symlink(whole.shards / "1", whole.request.folder);
  EXPECT_EQ(whole.refusal(), whole.request.folder.string() + " is a link; name the folder itself");
}

TEST_F(RunTest, IsOneAgainWhenItsShardsAreMerged) {
  const ShardedRun whole;
  const fs::path one = whole.shards / "1";
  const fs::path two = whole.shards / "2";
  const auto folder = [&](const char* name) { return whole.folder.path() / name; };
  const auto merged = [&](const std::vector<fs::path>& folders, const char* name) {
    const fs::path target = folder(name);
    const std::string said = printed_by([&] { merge_folders(folders, target); });
    const size_t end = said.find(" in " + target.string() + "\n");
    return said.substr(0, end) + "; " + said.substr(end + 5 + target.string().size());
  };
  EXPECT_EQ(merged({one, two}, "all"),
            "8 rows of 2 folders; run " + whole.plan.run + ": 8 of 8 planned trials\n");
  EXPECT_EQ(plan_json(read_plan(folder("all") / "plan.json")), plan_json(whole.plan));
  EXPECT_EQ(read_file(folder("all") / "cases/made.md"), "what it is");
  EXPECT_EQ(read_sessions(folder("all")).size(), 2u);
  EXPECT_EQ(read_descriptions(folder("all")).count("made@it"), 1u);
  merged({two, one, two}, "turned");
  const auto rows = [&](const char* name) { return read_file(folder(name) / "rows.jsonl"); };
  EXPECT_EQ(rows("turned"), rows("all"));
  EXPECT_TRUE(merged({one}, "part").ends_with(" planned trials; the others are missing\n"));
  const std::string judged =
      printed_by([&] { (void)error_of([&] { (void)judge_folder(folder("part")); }); });
  const std::string missing =
      fmt::format("{} of 8 planned trials are missing", 8 - std::ranges::count(rows("part"), '\n'));
  EXPECT_NE(judged.find(missing), std::string::npos) << judged;
  fs::remove(one / "plan.json");
  EXPECT_TRUE(merged({one, two}, "less")
                  .starts_with("note: " + (one / "plan.json").string() +
                               " is not there, so missing trials cannot be counted\n"));
  EXPECT_FALSE(fs::exists(folder("less") / "plan.json"));
}

/// Goes to a folder until the end of its life.
struct WorkingIn {
  explicit WorkingIn(const fs::path& folder) { fs::current_path(folder); }
  ~WorkingIn() { fs::current_path(before); }
  fs::path before = fs::current_path();
};

TEST_F(RunTest, IsEstimatedByTheNewestRunsThatHadItsCells) {
  WholeRun whole;
  const WorkingIn its_folder(whole.folder.path());
  whole.request.plan_file = whole.folder.path() / "plan.json";
  const Plan plan = make_plan(whole.request.programs, whole.request.filter, 1);
  write_record(whole.request.plan_file, plan_json(plan));
  whole.request.folder.clear();
  EXPECT_EQ(whole.run(), Exit::fine);
  const fs::path first = "results/local/" + plan.run;
  EXPECT_TRUE(is_there(first / "rows.jsonl"));
  whole.request.shard = {2, 2};
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_TRUE(whole.said.starts_with("shard 2/2: ")) << whole.said;
  EXPECT_NE(whole.said.find(" trials, about 0:0"), std::string::npos) << whole.said;
  const fs::path second = first.string() + "-2of2";
  EXPECT_TRUE(is_there(second / "rows.jsonl"));
  // Each cell takes 2 s in the one run, and 5 s where the other has it, too.
  const auto now_takes = [&](const fs::path& run, double seconds) {
    std::vector<LeftOut> left_out;
    std::string text;
    for (Row row : read_rows(run / "rows.jsonl", left_out)) {
      row.process_s = row.round == 1 ? seconds - 1 : seconds + 1;
      text += row_line(row) + "\n";
      row.status = Status::crash;  // tells nothing
      row.reason = "signal 11";
      row.wall_s = row.cpu_s = {};
      row.process_s = 100;
      text += row_line(row) + "\n";
    }
    write_file(run / "rows.jsonl", text);
    return std::ranges::count(text, '\n') / 4;
  };
  now_takes(first, 2);
  const auto newer = static_cast<size_t>(now_takes(second, 5));
  const auto hour = std::chrono::hours(1);
  const auto costs = [&](int older) {
    const auto time = fs::last_write_time(whole.request.plan_file);
    fs::last_write_time(first / "rows.jsonl", time - older * hour);
    fs::last_write_time(second / "rows.jsonl", time + older * hour);
    std::vector<double> seconds;
    for (const auto& cost : costs_before(plan)) seconds.push_back(cost.value_or(0));
    std::ranges::sort(seconds, std::greater());
    return seconds;
  };
  std::vector<double> expected(plan.cells.size(), 2);
  EXPECT_EQ(costs(-1), expected);
  std::fill_n(expected.begin(), newer, 5);
  EXPECT_EQ(costs(1), expected);
  // A published run tells of what no local one has.
  fs::create_directories("results/published");
  fs::rename(first, "results/published/first");
  const auto known = [&] {
    const Costs all = costs_before(plan);
    return std::ranges::count_if(all, [](const auto& cost) { return cost.has_value(); });
  };
  EXPECT_EQ(known(), std::ssize(plan.cells));
  fs::create_directory_symlink(fs::absolute(second), "results/local/latest");
  EXPECT_EQ(known(), std::ssize(plan.cells));
}

TEST_F(RunTest, SaysEachTrial) {
  WholeRun whole(made_program("case $1 in *fast) ms=2 ;; *) ms=6 ;; esac"));
  whole.request.quiet = false;
  EXPECT_EQ(whole.run(), Exit::fine);
  std::istringstream lines(whole.said);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "4 cells, 8 trials; how long they take is unknown");
  int trials = 0;
  int ratios = 0;
  int warm_ups = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("warming up made@it ")) {
      EXPECT_EQ(trials, 0);
      ++warm_ups;
      continue;
    }
    EXPECT_TRUE(line.starts_with(fmt::format("[{}/8] made@it ", ++trials))) << line;
    EXPECT_TRUE(line.ends_with(" left")) << line;
    ratios += line.find("2.00 ms, 3.00x so far  ") != line.npos;
  }
  EXPECT_GE(warm_ups, 1);
  EXPECT_EQ(trials, 8);
  EXPECT_GE(ratios, 2);
}

TEST_F(RunTest, SaysNoRatioToWhatFailed) {
  WholeRun whole(made_program("case $1 in *baseline) exit 3 ;; esac"));
  whole.request.programs.at("made@it").description.declared.readme = "gone.md";
  whole.request.quiet = false;
  EXPECT_EQ(whole.run(), Exit::fine);
  EXPECT_NE(whole.said.find(" made@it baseline n:1  crash: "), std::string::npos) << whole.said;
  EXPECT_EQ(whole.said.find("so far"), std::string::npos) << whole.said;
  EXPECT_TRUE(fs::is_empty(whole.request.folder / "cases"));
}

TEST(Estimate, IsOfWhatIsKnown) {
  Plan plan{.run = "r", .cells = choose_cells("made@it", made_case(), {.rounds = 2})};
  const auto text = [&](const Costs& costs) {
    return estimate_text(plan, estimate(plan, schedule(plan.cells, 1), costs));
  };
  EXPECT_EQ(text(Costs(4, 10)), "4 cells, 8 trials, about 1:20 by earlier runs");
  EXPECT_EQ(text({10, {}, 20, {}}),
            "4 cells, 8 trials, about 1:00 by earlier runs, and 4 trials never measured before");
  const std::vector<Slot> all = schedule(plan.cells, 1);
  EXPECT_EQ(estimate_text(plan, estimate(plan, {all[0]}, Costs(4, 10))),
            "1 cells, 1 trials, about 0:10 by earlier runs");
  plan.shard = {1, 2};
  EXPECT_EQ(text(Costs(4)), "shard 1/2: 4 cells, 8 trials; how long they take is unknown");
}

}  // namespace
}  // namespace cliffbench
