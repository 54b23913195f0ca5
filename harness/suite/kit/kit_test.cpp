/// What a trial reports of its loop: in each iteration alike, and nothing of what is between two.
#include "harness/suite/kit/kit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/core/host/file.hpp"
#include "harness/core/host/machine.hpp"
#include "harness/core/host/made_folder_test.hpp"
#include "harness/core/host/process.hpp"
#include "harness/core/text/printed_by_test.hpp"

namespace cliffbench {
namespace {

constexpr int kIterations = 4;
constexpr int kInside = 200, kBetween = 2000;           // page faults of each iteration
constexpr double kInside_s = 0.005, kBetween_s = 0.03;  // CPU time
constexpr double kStage_s = 8;                          // over all iterations

void touch_pages(int count) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t size = page * static_cast<size_t>(count);
  void* fresh = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(fresh, MAP_FAILED);
#ifdef MADV_NOHUGEPAGE
  madvise(fresh, size, MADV_NOHUGEPAGE);
#endif
  for (size_t at = 0; at < size; at += page) static_cast<volatile char*>(fresh)[at] = 1;
  munmap(fresh, size);
}

void use_cpu(double seconds) {
  const auto used_s = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return cpu_seconds(used);
  };
  for (const double start = used_s(); used_s() - start < seconds;) {
  }
}

struct Kept : benchmark::BenchmarkReporter {
  std::vector<Run> runs;
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& more) override {
    runs.insert(runs.end(), more.begin(), more.end());
  }
};

/// The result of a benchmark with this function.
benchmark::BenchmarkReporter::Run run_of(
    const std::string& name, const std::function<void(benchmark::State&, Trial&)>& body) {
  benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State& state) {
    Trial trial(state, {}, {.name = "fast", .patches = {"one"}});
    body(state, trial);
  })->Iterations(kIterations);
  Kept kept;
  benchmark::RunSpecifiedBenchmarks(&kept, "^" + name + "/.*$");
  return kept.runs.at(0);
}

TEST(Kit, CountsEachIterationAndNothingBetweenTwo) {
  const auto run = run_of("counted", [](benchmark::State& state, Trial& trial) {
    touch_pages(kBetween);  // set-up
    trial.ready();
    for (auto _ : state) {
      trial.between([] {
        touch_pages(kBetween);
        use_cpu(kBetween_s);
      });
      touch_pages(kInside);
      const auto timer = trial.stage("timed");
      use_cpu(kInside_s);
    }
    trial.add_to_stage("work", kStage_s);
    trial.done();
    touch_pages(kBetween);  // the check
  });
  const auto counter = [&](const char* name) { return run.counters.at(name).value; };
  EXPECT_EQ(counter("stage:work"), kStage_s / kIterations);
  EXPECT_GE(counter("stage:timed"), kInside_s);
  EXPECT_GE(counter("cliff:rss_bytes"), static_cast<double>(kBetween * sysconf(_SC_PAGESIZE)));
  EXPECT_GE(counter("cliff:page_faults"), kInside);
  EXPECT_LT(counter("cliff:page_faults"), 2 * kInside);
  EXPECT_GE(counter("cliff:cpu_s"), kInside_s);
  EXPECT_LT(counter("cliff:cpu_s"), kBetween_s / 2);
  EXPECT_GE(run.cpu_accumulated_time, kIterations * kInside_s);
  EXPECT_LT(run.cpu_accumulated_time, kIterations * kBetween_s / 2);
}

TEST(Kit, TellsTheHarnessWhereTheLoopBeginsAndEnds) {
  if (std::getenv("CLIFFBENCH_EMULATED")) GTEST_SKIP() << "the system starts no emulated program";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own
  const auto print_what_is_told = [] {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    setenv("CLIFFBENCH_READY_FD", std::to_string(ends[1]).c_str(), 1);
    (void)run_of("told", [](benchmark::State& state, Trial& trial) {
      trial.ready();
      for (auto _ : state) {
      }
      trial.done();
    });
    char told[8];
    const auto size = read(ends[0], told, sizeof(told));
    std::cerr << "told " << std::string(told, static_cast<size_t>(std::max<ssize_t>(size, 0)));
    std::exit(0);
  };
  EXPECT_EXIT(print_what_is_told(), testing::ExitedWithCode(0), "^told rd$");
}

TEST(Kit, AVariantMustBeAskedForItsPatches) {
  const auto complete = [](const char* name, const auto& ask) {
    bool asked = true;
    (void)run_of(name, [&](benchmark::State& state, Trial& trial) {
      for (auto _ : state) {
      }
      trial.done();
      ask(trial);
      try {
        trial.require_complete();
      } catch (const std::logic_error& error) {
        EXPECT_STREQ(error.what(), "the case never called has_patch() for one");
        asked = false;
      }
    });
    return asked;
  };
  EXPECT_TRUE(
      complete("its own", [](Trial& trial) { EXPECT_TRUE(trial.has_patch({.name = "one"})); }));
  EXPECT_FALSE(
      complete("another", [](Trial& trial) { EXPECT_FALSE(trial.has_patch({.name = "two"})); }));
  EXPECT_TRUE(complete("all", [](Trial& trial) { EXPECT_EQ(trial.patches().size(), 1u); }));
}

TEST(Kit, ATrialMustCallDone) {
  (void)run_of("no done", [](benchmark::State& state, Trial& trial) {
    for (auto _ : state) {
    }
    EXPECT_TRUE(trial.has_patch({.name = "one"}));
    EXPECT_THROW(trial.require_complete(), std::logic_error);
  });
}

TEST(Kit, AWrongTrialIsLabelledWhateverItsDigest) {
  const auto run = run_of("wrong", [](benchmark::State& state, Trial& trial) {
    for (auto _ : state) {
    }
    trial.digest("before");
    trial.wrong("2 and 2 made 5");
    trial.digest("after");
  });
  EXPECT_EQ(run.report_label, "wrong after");
  const auto last = run_of("wrong at last", [](benchmark::State& state, Trial& trial) {
    for (auto _ : state) {
    }
    trial.digest("before");
    trial.wrong("2 and 2 made 5");
  });
  EXPECT_EQ(last.report_label, "wrong before");
}

using Strings = std::vector<std::string>;

/// A program of one case, whose variant `fast` runs once only, and `bad` ends in another way at
/// each n.
int main_of(Strings words) {
  benchmark::ClearRegisteredBenchmarks();
  Bench bench;
  bench.declared = {.name = "made",
                    .axes = {{"n", "", {"1", "2", "3", "4", "5"}}},
                    .variants = {{"baseline", Role::baseline, ""},
                                 {"fast", Role::patch, ""},
                                 {"bad", Role::patch, ""}},
                    .profiles = {{"gate", "", {{{{"n", {"2"}}}, {"baseline"}, 3, 9}}}},
                    .once = [](const Params&, const std::string& name) { return name == "fast"; }};
  bench.function = [](benchmark::State& state, Trial& trial) {
    for (auto _ : state) {
    }
    const std::string n = trial.params.at("n");
    if (trial.variant == "bad") {
      if (n == "1") throw std::runtime_error("no room");
      if (n == "2") throw std::bad_alloc();
      if (n == "3") throw Skipped("not here");
      if (n == "4") return;
      trial.wrong("2 and 2 made 5");
    }
    trial.digest(n + trial.variant);
    trial.done();
  };
  const Verb verb = {"--add", [](const Strings& more) { return static_cast<int>(more.size()); }};
  words.insert(words.begin(), "program");
  return case_main({bench}, static_cast<int>(words.size()), pointers_to(words).data(), {verb});
}

/// What `main_of` prints in a process of its own: the library keeps its flags until a process ends.
std::string printed(const Strings& words) {
  const Folder folder;
  const std::filesystem::path file = folder.path() / "printed";
  const auto print = [&] {
    int code = -1;
    write_file(file, printed_by([&] { code = main_of(words); }));
    std::exit(code);
  };
  EXPECT_EXIT(print(), testing::ExitedWithCode(0), "");
  return read_file(file);
}

/// What a process with these words reports: "name iterations label" of each benchmark, with the
/// error in place of the iterations where it has one.
Strings reported(const Strings& words) {
  const Folder folder;
  const std::string out = (folder.path() / "out.json").string();
  Strings all = words;
  all.insert(all.end(), {"--benchmark_out=" + out, "--benchmark_out_format=json"});
  EXPECT_EXIT(std::exit(main_of(all)), testing::ExitedWithCode(0), "");
  Strings found;
  const auto report = nlohmann::json::parse(read_file(out));
  for (const auto& run : report["benchmarks"]) {
    const std::string error = run.value("error_message", "");
    found.push_back(fmt::format("{} {} {}", run["name"].get<std::string>(),
                                error.empty() ? std::to_string(run.value("iterations", 0)) : error,
                                run.value("label", "")));
  }
  return found;
}

TEST(CaseMain, RunsWhatTheFilterMeansAsOftenAsItIsTold) {
  const std::string one = "--benchmark_filter=^((made/n:2/variant:baseline))$";
  EXPECT_EQ(reported({one, "--benchmark_min_time=7x"}),
            Strings{"made/n:2/variant:baseline/iterations:7 7 2baseline"});
  EXPECT_EQ(reported({one, "--benchmark_min_time=0"}),
            Strings{"made/n:2/variant:baseline 1 2baseline"});
  EXPECT_EQ(reported({"--benchmark_min_time=7x", "--benchmark_filter=n:[12]/variant:fast"}),
            (Strings{"made/n:1/variant:fast/iterations:1 1 1fast",
                     "made/n:2/variant:fast/iterations:1 1 2fast"}));
  EXPECT_EQ(reported({"--benchmark_min_time=1x"}).size(), 15u);
}

TEST(CaseMain, RefusesACountThatIsNoPositiveInteger) {
  for (const char* count : {"x", "0x", "-1x", "7yx"}) {
    const std::string word = std::string("--benchmark_min_time=") + count;
    EXPECT_EXIT(std::exit(main_of({word})), testing::ExitedWithCode(2),
                "^" + word + ": for 7 iterations, say --benchmark_min_time=7x\n$");
  }
}

TEST(CaseMain, ReportsHowATrialEnded) {
  EXPECT_EQ(reported({"--benchmark_filter=made.n:./variant:bad/", "--benchmark_min_time=3x"}),
            (Strings{"made/n:1/variant:bad/iterations:3 no room failed",
                     "made/n:2/variant:bad/iterations:3 out of memory (std::bad_alloc) oom",
                     "made/n:3/variant:bad/iterations:3 not here skipped",
                     "made/n:4/variant:bad/iterations:3 the case never called done() failed",
                     "made/n:5/variant:bad/iterations:3 2 and 2 made 5 wrong 5bad"}));
}

TEST(CaseMain, ListsNamesWithoutCountsAndSaysWhatItDeclares) {
  EXPECT_EQ(printed({"--benchmark_list_tests=true", "--benchmark_min_time=7x",
                     "--benchmark_filter=n:1/variant:fast"}),
            "made/n:1/variant:fast\n");
  EXPECT_EQ(printed({"--gate-benchmarks"}), "made/n:2/variant:baseline\n");
  const auto description = nlohmann::json::parse(printed({"--describe"}));
  EXPECT_EQ(description["case"], "made");
  EXPECT_NE(description["build"]["compiler"], "");
  EXPECT_NE(description["build"]["flags"], "");
  EXPECT_FALSE(description["libraries"].empty());
  EXPECT_EQ(main_of({"--add", "1", "2"}), 2);
}

TEST(CaseMain, RefusesWordsThatItDoesNotKnow) {
  EXPECT_EXIT(std::exit(main_of({"--gate"})), testing::ExitedWithCode(1), "unrecognized .*--gate");
}

}  // namespace
}  // namespace cliffbench
