/// The two sides of a gate on programs that are shell scripts: which benchmarks belong together,
/// when a program is unchanged, how sides that differ in kind are measured.

#include "harness/gate/sides.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "harness/core/host/made_folder_test.hpp"
#include "harness/gate/trials.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

Strings shown(const MatchedNames& matched) {
  Strings all;
  for (const BenchmarkNames& one : matched.both)
    all.push_back(one.name + "=" + one.base + "=" + one.head);
  for (const std::string& name : matched.only_base) all.push_back("base " + name);
  for (const std::string& name : matched.only_head) all.push_back("head " + name);
  return all;
}

TEST(MatchNames, ByTheFolderOfTheirSide) {
  struct Case {
    const char *base_folder, *head_folder;
    Strings base, head, matched;
  };
  const Case cases[] = {
      {"/w/old/b", "/w/new/b", {"a", "b"}, {"c", "b"}, {"b=b=b", "base a", "head c"}},
      {"/w/old/b",
       "/w/new/b",
       {"read/w/old/b/x", "z"},
       {"z", "read/w/new/b/x"},
       {"z=z=z", "read*/x=read/w/old/b/x=read/w/new/b/x"}},
      {"/w/old/b",
       "/w/new/b",
       {"read:/w/old/data"},
       {"read:/w/new/data"},
       {"read:*/data=read:/w/old/data=read:/w/new/data"}},
      // Too short a folder may be in a name by chance.
      {"/old", "/new", {"parse/old/8"}, {"parse/new/8"}, {"base parse/old/8", "head parse/new/8"}},
      {"/w/old/b",
       "/w/new/b",
       {"/w/old/b/x", "/w/old/x"},
       {"/w/new/x"},
       {"base /w/old/b/x", "base /w/old/x", "head /w/new/x"}},
      {"/w/b", "/w/b", {"/w/b/x"}, {"/w/b/y"}, {"base /w/b/x", "head /w/b/y"}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(shown(match_names(one.base, one.head, one.base_folder, one.head_folder)),
              one.matched);
  }
}

TEST(Unchanged, OnlyWhereNothingElseCanBeLoaded) {
  const Folder folder;
  const std::string opens = "\x7f..dlopen..", opens_elsewhere = "\x7f..dlmopen..";
  const auto file = [&](const char* name, const std::string& text = "") {
    return LoadedFile{folder.write(name, text), "hash"};
  };
  const auto side = [&](const std::string& where, std::map<std::string, LoadedFile> libraries) {
    return Loaded{file((where + "/program").c_str()), std::move(libraries)};
  };
  const auto change = [](const Loaded& base, const Loaded& head) {
    return change_of("program", base, head, {"program"});
  };
  const LoadedFile shared = file("lib/libshared.so.1"), c = file("lib/libc.so.6", opens);
  const Loaded base = side("base", {{"libshared.so.1", shared}, {"libc.so.6", c}});
  EXPECT_EQ(change(base, side("head", *base.libraries)), "");
  EXPECT_EQ(change(base, base), "");
  EXPECT_EQ(change(base, side("head", {{"libc.so.6", c}})), "it loads other libraries");
  EXPECT_EQ(change(side("base", {{"libc.so.6", c}}), side("head", *base.libraries)),
            "libshared.so.1 differs");
  EXPECT_EQ(change(base, {file("head/program"), std::nullopt}), "its libraries are unknown");
  for (const std::string& text : {opens, opens_elsewhere}) {  // though both sides share it
    const std::map<std::string, LoadedFile> glib = {
        {"libglib.so.0", file("lib/libglib.so.0", text)}};
    EXPECT_EQ(change(side("base", glib), side("head", glib)),
              "libglib.so.0 may load further libraries (dlopen)");
  }
  file("base/program", opens);
  EXPECT_EQ(change({{folder.path() / "base/program", "hash"}, {{{"libc.so.6", c}}}},
                   {file("head/program", opens), {{{"libc.so.6", c}}}}),
            "program may load further libraries (dlopen)");
}

TEST(Unchanged, OnlyWhereTheFilesBesideItAreTheSame) {
  const Folder folder;
  const auto differing = [&] {
    return differing_files(folder.path() / "base", folder.path() / "head", {"program"});
  };
  for (const char* side : {"base/", "head/"}) {
    folder.write(std::string(side) + "program", side);
    folder.write(std::string(side) + "program.runfiles/words.txt", "same");
    folder.write(std::string(side) + "CMakeFiles/made", side);
    folder.write(std::string(side) + ".ninja_log", side);
  }
  EXPECT_EQ(differing(), Strings());
  folder.write("head/program.runfiles/words.txt", "more");
  EXPECT_EQ(differing(), Strings{"program.runfiles/words.txt"});
  folder.write("base/plugin.so", "");
  EXPECT_EQ(differing(), (Strings{"plugin.so", "program.runfiles/words.txt"}));
  EXPECT_EQ(differing_files(folder.path() / "base", folder.path() / "base", {}), Strings());
}

/// Lists these names, as a library that takes counts of iterations or an older one. `run`: what it
/// does to measure, with the path of its result in $out.
std::string program_of(const std::string& names, bool takes_counts, const std::string& run = "") {
  return std::string(
             "for word; do case $word in --benchmark_out=*) out=${word#*=};; esac; done\n") +
         "case \"$*\" in\n" +
         (takes_counts ? "" : "*min_time=1x*) echo 'is expected to be a double' >&2; exit 1;;\n") +
         "*list_tests*filter='^$'*) echo 'Failed to match any benchmarks' >&2;;\n*list_tests*) "
         "printf '" +
         names + "';;\n*) " + run + ";;\nesac\n";
}

TEST(Sides, TakeCountsOnlyWhereBothDo) {
  for (const bool base : {true, false}) {
    for (const bool head : {true, false}) {
      const Folder folder;
      const GateRequest request{
          .base = folder.script("base/program", program_of("a\\nb\\n", base)),
          .head = folder.script("head/program", program_of("b\\nc\\n", head))};
      const Budget budget;
      const Sides sides(request, budget);
      const CommonBenchmarks& both = sides.common(sides.programs().at(0));
      EXPECT_EQ(both.takes_counts, base && head);
      ASSERT_EQ(both.names.size(), 1u);
      EXPECT_EQ(both.names[0].name, "b");
      EXPECT_EQ(both.one_sided, 2u);
      EXPECT_EQ(both.notes,
                (Strings{"2 of 3 benchmarks are on one side only and are not compared",
                         "only the base has benchmark a", "only the head has benchmark c"}));
    }
  }
}

/// The first note, where those on one side only are at least five, or more than half.
TEST(Sides, CountWhatOneSideLacksWhereItIsMuch) {
  const std::pair<std::pair<int, int>, std::string> cases[] = {
      {{1, 1}, "only the base has benchmark only0"},
      {{2, 2}, "only the base has benchmark only0"},
      {{2, 1}, "2 of 3 benchmarks are on one side only and are not compared"},
      {{4, 4}, "only the base has benchmark only0"},
      {{5, 20}, "5 of 25 benchmarks are on one side only and are not compared"}};
  for (const auto& [counts, first] : cases) {
    const Folder folder;
    std::string both;
    for (int i = 0; i < counts.second; ++i) both += "both" + std::to_string(i) + "\\n";
    std::string one = both;
    for (int i = 0; i < counts.first; ++i) one += "only" + std::to_string(i) + "\\n";
    const GateRequest request{.base = folder.script("base/program", program_of(one, true)),
                              .head = folder.script("head/program", program_of(both, true))};
    const Budget budget;
    const Sides sides(request, budget);
    EXPECT_EQ(sides.common(sides.programs().at(0)).notes.at(0), first);
  }
}

/// Three share a process which gives no result of the second: its slot is left out, and the third
/// does not take its place.
TEST(Trials, AMissingResultLeavesTheOthersTheirOwn) {
  const Folder folder;
  const auto result = [](const char* name, int ms) {
    return R"({"name": ")" + std::string(name) +
           R"(", "run_type": "iteration", "iterations": 1, "real_time": )" + std::to_string(ms) +
           R"(, "cpu_time": )" + std::to_string(ms) + R"(, "time_unit": "ms"})";
  };
  const std::string json =
      R"({"benchmarks": [)" + result("first", 1) + ", " + result("third", 3) + "]}";
  const std::string text =
      program_of("first\\nsecond\\nthird\\n", true, "echo '" + json + "' >\"$out\"");
  const GateRequest request{.base = folder.script("base/program", text),
                            .head = folder.script("head/program", text),
                            .folder = folder.path() / "gate"};
  const Budget budget;
  const Sides sides(request, budget);
  GateSession session(request, budget);
  session.place.clear_scratch();
  session.place.begin_session({.run = "run", .command = "", .profile = "gate", .seed = 1});
  std::vector<ComparedBenchmark> benchmarks;
  for (const char* name : {"first", "second", "third"}) {
    benchmarks.push_back({.id = {"program", name, name, name},
                          .timing = {.start_s = 1, .shares_process = true, .round_s = 1}});
  }
  std::vector<ComparedBenchmark*> suite = {&benchmarks[0], &benchmarks[1], &benchmarks[2]};
  std::mt19937_64 random(1);
  EXPECT_TRUE(measure_once(suite, sides.programs().at(0), session, random, 1));
  for (const auto& [at, seconds] : {std::pair(0, 0.001), {2, 0.003}}) {
    EXPECT_TRUE(benchmarks[at].timing.shares_process);
    ASSERT_EQ(benchmarks[at].seen.rows.size(), 3u);
    for (const Row& row : benchmarks[at].seen.rows) {
      EXPECT_EQ(row.name, benchmarks[at].id.name);
      EXPECT_DOUBLE_EQ(row.wall_s.value_or(0), seconds);
    }
  }
  EXPECT_FALSE(benchmarks[1].timing.shares_process);
  EXPECT_TRUE(benchmarks[1].seen.rows.empty());
}

}  // namespace
}  // namespace cliffbench
