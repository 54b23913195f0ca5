/// Which cases are meant by words, of programs that are shell scripts.

#include "harness/suite/run/case_programs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

/// Adds a program that declares these cases, each of the subject `subject`.
void add_program(const fs::path& file, const Strings& cases) {
  std::ofstream script(file);
  script << "#!/bin/sh\n";
  for (const std::string& name : cases) {
    Description made;
    made.declared = {.name = name,
                     .why = "because",
                     .subject = {"subject", "1", ""},
                     .axes = {{"n", "things", {"1"}}},
                     .variants = {{"baseline", Role::baseline, "b"}},
                     .profiles = {{"quick", "w", {{{{"n", {"1"}}}, {"baseline"}, 3, 9}}}},
                     .limit_s = 4};
    script << "echo '" << describe(made).dump() << "'\n";
  }
  script.close();
  fs::permissions(file, fs::perms::owner_all);
}

TEST(WantedCases, AreMeantByTheirNamesAndThoseOfTheirPrograms) {
  const fs::path folder = fs::path(testing::TempDir()) / "wanted_cases";
  fs::remove_all(folder);
  fs::create_directories(folder);
  add_program(folder / "one@x", {"one"});
  add_program(folder / "one@y", {"one"});
  add_program(folder / "several", {"two", "three"});
  const auto names = [&](const Strings& words) {
    Strings found;
    for (const auto& [name, program] : wanted_cases(words, folder)) found.push_back(name);
    return found;
  };
  EXPECT_EQ(names({}), (Strings{"one@x", "one@y", "three@subject", "two@subject"}));
  EXPECT_EQ(names({"one"}), (Strings{"one@x", "one@y"}));
  EXPECT_EQ(names({"one@y"}), Strings{"one@y"});
  EXPECT_EQ(names({"two"}), Strings{"two@subject"});
  EXPECT_EQ(names({"two@subject", "one@x"}), (Strings{"one@x", "two@subject"}));
  EXPECT_EQ(names({"several"}), (Strings{"three@subject", "two@subject"}));
  EXPECT_EQ(names({(folder / "one@x").string()}), Strings{"one@x"});
  EXPECT_EQ(wanted_cases({"two"}, folder).at("two@subject").path, folder / "several");
  for (const char* word : {"on", "one@z", "x", "subject", "one@"}) {
    EXPECT_THROW((void)names({word}), UserError) << word;
  }
}

TEST(WantedCases, OfAProgramThatDescribesNothingAreRefused) {
  const fs::path folder = fs::path(testing::TempDir()) / "no_cases";
  fs::remove_all(folder);
  fs::create_directories(folder);
  add_program(folder / "good", {"good"});
  add_program(folder / "empty", {});
  EXPECT_EQ(wanted_cases({"good"}, folder).size(), 1u);
  EXPECT_THROW((void)wanted_cases({"empty"}, folder), CannotMeasure);
  EXPECT_THROW((void)wanted_cases({}, folder), CannotMeasure);
}

}  // namespace
}  // namespace cliffbench
