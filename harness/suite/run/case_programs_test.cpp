/// Which cases are meant by words, of programs that are shell scripts.

#include "harness/suite/run/case_programs.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/core/host/file.hpp"
#include "harness/core/host/made_folder_test.hpp"
#include "harness/core/text/error_of_test.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

using Strings = std::vector<std::string>;

/// A program that declares these cases, each of the subject `subject`.
std::string program_of(const Strings& cases) {
  std::string script;
  for (const std::string& name : cases) {
    Description made;
    made.declared = {.name = name,
                     .why = "because",
                     .subject = {"subject", "1", ""},
                     .axes = {{"n", "things", {"1"}}},
                     .variants = {{"baseline", Role::baseline, "b"}},
                     .profiles = {{"quick", "w", {{{{"n", {"1"}}}, {"baseline"}, 3, 9}}}},
                     .limit_s = 4};
    script += "echo '" + describe(made).dump() + "'\n";
  }
  return script;
}

TEST(WantedCases, AreMeantByTheirNamesAndThoseOfTheirPrograms) {
  const Folder folder;
  folder.script("one@x", program_of({"one"}));
  folder.script("one@y", program_of({"one"}));
  folder.script("several", program_of({"two", "three"}));
  const auto names = [&](const Strings& words) {
    Strings found;
    for (const auto& [name, program] : wanted_cases(words, folder.path())) found.push_back(name);
    return found;
  };
  EXPECT_EQ(names({}), (Strings{"one@x", "one@y", "three@subject", "two@subject"}));
  EXPECT_EQ(names({"one"}), (Strings{"one@x", "one@y"}));
  EXPECT_EQ(names({"one@y"}), Strings{"one@y"});
  EXPECT_EQ(names({"two"}), Strings{"two@subject"});
  EXPECT_EQ(names({"two@subject", "one@x"}), (Strings{"one@x", "two@subject"}));
  EXPECT_EQ(names({"several"}), (Strings{"three@subject", "two@subject"}));
  EXPECT_EQ(names({(folder.path() / "one@x").string()}), Strings{"one@x"});
  EXPECT_EQ(wanted_cases({"two"}, folder.path()).at("two@subject").path, folder.path() / "several");
  for (const char* word : {"on", "one@z", "x", "subject", "one@"}) {
    EXPECT_THROW((void)names({word}), UserError) << word;
  }
}

TEST(WantedCases, AreAskedForOfEachProgramOnce) {
  const Folder folder;
  folder.script("several", "echo asked >> $0.asked\n" + program_of({"two", "three"}));
  EXPECT_EQ(wanted_cases({"two", "three", "two@subject"}, folder.path()).size(), 2u);
  EXPECT_EQ(read_file(folder.path() / "several.asked"), "asked\n");
}

TEST(WantedCases, AreNamedWhereAWordMeansNone) {
  const Folder folder;
  const auto refusal = [&](const Strings& words) {
    return error_of([&] { (void)wanted_cases(words, folder.path()); });
  };
  EXPECT_EQ(refusal({}), "there are no case programs in " + folder.path().string() +
                             "; run in a checkout: make build");
  folder.script("several", program_of({"first", "second"}));
  folder.script("broken@it", "echo no");
  EXPECT_NE(refusal({"secnd"}).find("second"), std::string::npos) << refusal({"secnd"});
  EXPECT_EQ(refusal({"secnd"}).find("path"), std::string::npos) << refusal({"secnd"});
  const std::string all = refusal({"marker"});
  EXPECT_TRUE(all.ends_with(", or the path of a program")) << all;
  for (const char* name : {"first@subject", "second@subject", "broken@it"}) {
    EXPECT_NE(all.find(name), std::string::npos) << all;
  }
}

TEST(CaseProgram, HasItsFileAndItsLibraries) {
  CaseProgram program{.path = "p", .description = {}};
  program.description.libraries = {"a.so", "b.so"};
  EXPECT_EQ(files_of(program), (std::vector<std::filesystem::path>{"p", "a.so", "b.so"}));
}

TEST(WantedCases, OfAProgramThatEndsBadlyOrPrintsAnythingElseAreRefused) {
  const Folder folder;
  folder.script("bad", program_of({"bad"}) + "echo sorry >&2; exit 3");
  folder.script("words", "echo hello");
  const auto refusal = [&](const char* word) {
    return error_of([&] { (void)wanted_cases({word}, folder.path()); });
  };
  const std::string bad = refusal("bad");
  EXPECT_NE(bad.find("bad --describe "), std::string::npos) << bad;
  EXPECT_TRUE(bad.ends_with("sorry")) << bad;
  EXPECT_NE(refusal("words").find("words --describe did not print a case's declaration ("),
            std::string::npos);
}

TEST(WantedCases, OfAProgramThatDescribesNothingAreRefused) {
  const Folder folder;
  folder.script("good", program_of({"good"}));
  folder.script("empty", program_of({}));
  EXPECT_EQ(wanted_cases({"good"}, folder.path()).size(), 1u);
  EXPECT_THROW((void)wanted_cases({"empty"}, folder.path()), CannotMeasure);
  EXPECT_THROW((void)wanted_cases({}, folder.path()), CannotMeasure);
}

}  // namespace
}  // namespace cliffbench
