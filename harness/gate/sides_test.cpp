/// The two sides of a gate on programs that are shell scripts: which benchmarks belong together,
/// when a program is unchanged, how sides that differ in kind are measured.

#include "harness/gate/sides.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "harness/core/program/made_program_test.hpp"
#include "harness/core/text/error_of_test.hpp"

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

/// Has these names, of a library that takes counts of iterations or an older one.
std::string program_of(const std::string& names, bool takes_counts) {
  const std::string refuses =
      "case \"$*\" in *min_time=1x*) echo 'is expected to be a double' >&2; exit 1;; esac\n";
  return (takes_counts ? "" : refuses) + made_program("", "", names);
}

TEST(Sides, TakeCountsOnlyWhereBothDo) {
  for (const bool base : {true, false}) {
    for (const bool head : {true, false}) {
      const Folder folder;
      const GateRequest request{.base = folder.script("base/program", program_of("a b", base)),
                                .head = folder.script("head/program", program_of("b c", head))};
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
    for (int i = 0; i < counts.second; ++i) both += " both" + std::to_string(i);
    std::string one = both;
    for (int i = 0; i < counts.first; ++i) one += " only" + std::to_string(i);
    const GateRequest request{.base = folder.script("base/program", program_of(one, true)),
                              .head = folder.script("head/program", program_of(both, true))};
    const Budget budget;
    const Sides sides(request, budget);
    EXPECT_EQ(sides.common(sides.programs().at(0)).notes.at(0), first);
  }
}

TEST(Sides, AreCalledByTwoFilters) {
  const auto common = [](const std::string& base, const std::string& head,
                         const std::string& filter) {
    const Folder folder;
    const GateRequest request{.base = folder.script("base/program", program_of(base, true)),
                              .head = folder.script("head/program", program_of(head, true)),
                              .filter = filter,
                              .head_filter = "new"};
    const Budget budget;
    const Sides sides(request, budget);
    return sides.common(sides.programs().at(0));
  };
  const CommonBenchmarks both = common("old/8 old/64 old/1", "new/8 new/64", "old");
  ASSERT_EQ(both.names.size(), 2u);
  for (const BenchmarkNames& one : both.names) {
    EXPECT_EQ(one.base, "old" + one.head.substr(3));
    EXPECT_EQ(one.name, one.base + " -> " + one.head);
  }
  EXPECT_EQ(both.notes, Strings{"only the base has benchmark */1"});
  EXPECT_EQ(error_of([&] { (void)common("old/8 older/8", "new/8", "[a-z]+"); }),
            "old/8 and older/8 differ only in what [a-z]+ matches; let it match less");
}

}  // namespace
}  // namespace cliffbench
