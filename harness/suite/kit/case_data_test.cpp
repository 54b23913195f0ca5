// Reading case.toml: the values, and that every mistake gives one sentence with file and line.
#include "harness/suite/kit/case_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/host/exit_code.hpp"
#include "harness/core/host/made_folder_test.hpp"
#include "harness/core/host/process.hpp"
#include "harness/core/text/error_of_test.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/case/describe.hpp"

namespace cliffbench {
namespace {

constexpr const char* kGood = R"toml(name = "made"
why = "because"
limit_s = 20
claims_at = "format=a"
stages_from = "staged"

[axes]
n = { unit = "things", values = [1, 2, "3x4"] }
format = { unit = "letters", values = ["a", "b"], sizes = { b = 7 } }

[variants]
baseline = "as it was"
control = "again"
staged = { role = "control", why = "in steps", same_output_as = "nothing" }
fast = "quick"
slow = "not so quick"
all = { why = "both", patches = ["fast", "slow"] }
jit = { role = "reference", why = "another way", same_output_as = "jit" }

[groups]
patched = ["fast", "all"]

[[claim]]
id = "quick"
says = "fast helps"
claim = "fast ratio at n=2 >= 1/4"
source = "ours"

[[claim]]
each = "patches"
id = "{}_same"
says = "{} changes nothing in b"
claim = "{} ratio at format=b in 90% 1.1x"
control = true

[[claim]]
id = "later"
says = "in 2 it is worse"
claim = "baseline exponent of work along n <= 1.5"
only = "thing-2*"
origin = "theirs"
figure_by = "bounded"
machine = "M1"
expected = "refuted"
source = "somebody; the figure is ours"

[profiles.quick]
why = "a look"
measure = ["patched, baseline at n=1|2 (3 rounds, limit 2.5 s)", { except = "thing-1", cells = "*" }, "*, !j* at format=*"]
)toml";

CaseContext context(std::string data, const std::string& subject = "thing-1") {
  const Patch fast{"fast", "slow", "quick", "room", "made up", "nothing"};
  Patch slow = fast;
  slow.name = "slow";
  return {std::move(data), "case.toml", {subject, "1.0", ""}, "README.md", {fast, slow}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

Case good(const std::string& subject = "thing-1") {
  return read_cases(context(kGood, subject)).at(0);
}

const Claim* claim_of(const Case& declared, const std::string& id) {
  for (const Claim& claim : declared.claims) {
    if (claim.id == id) return &claim;
  }
  return nullptr;
}

TEST(CaseData, AxesAndVariantsStandInTheOrderOfTheFile) {
  const Case read = good();
  ASSERT_EQ(read.axes.size(), 2u);
  EXPECT_EQ(read.axes[0].name, "n");
  EXPECT_EQ(read.axes[0].values, (std::vector<std::string>{"1", "2", "3x4"}));
  EXPECT_EQ(read.axes[1].sizes.at("b"), 7);
  std::vector<std::string> names;
  for (const Variant& variant : read.variants) names.push_back(variant.name);
  EXPECT_EQ(joined(names), "baseline, control, staged, fast, slow, all, jit");
  EXPECT_EQ(read.readme, "README.md");
  EXPECT_EQ(read.variants[0].role, Role::baseline);
  EXPECT_EQ(read.variants[3].patches, std::vector<std::string>{"fast"});
  EXPECT_EQ(read.variants[2].equals, "");
  EXPECT_EQ(read.variants[6].equals, "jit");
  EXPECT_EQ(read.patches.size(), 2u);
  CaseContext more = context(kGood);
  more.patches.push_back(more.patches[0]);
  more.patches.back().name = "of another case";
  EXPECT_EQ(read_cases(more).at(0).patches.size(), 2u);
}

TEST(CaseData, FamiliesOfClaimsAreWrittenOnce) {
  const Case read = good();
  std::vector<std::string> ids;
  for (const Claim& claim : read.claims) ids.push_back(claim.id);
  EXPECT_EQ(joined(ids), "quick, fast_same, slow_same, all_same");
  EXPECT_EQ(claim_of(read, "quick")->range.lo, 0.25);
  EXPECT_EQ(claim_of(read, "quick")->where, (Params{{"n", "2"}, {"format", "a"}}));
  EXPECT_EQ(claim_of(read, "all_same")->where, (Params{{"format", "b"}}));
  EXPECT_EQ(claim_of(read, "all_same")->variant, "all");
}

TEST(CaseData, WhatDependsOnTheSubjectSaysSo) {
  EXPECT_EQ(claim_of(good(), "later"), nullptr);
  const Case second = good("thing-2");
  ASSERT_NE(claim_of(second, "later"), nullptr);
  EXPECT_EQ(claim_of(second, "later")->expected, Verdict::refuted);
  EXPECT_EQ(claim_of(second, "later")->of, "work");
  EXPECT_EQ(claim_of(second, "later")->machine, "M1");
  EXPECT_EQ(good().profiles.at(0).selections.size(), 2u);
  EXPECT_EQ(second.profiles.at(0).selections.size(), 3u);
}

TEST(CaseData, AFigureIsTheSourcesUnlessItSaysOtherwise) {
  const auto figure_by = [](const std::string& claim, const std::string& from,
                            const std::string& to) {
    return claim_of(read_cases(context(replaced(kGood, from, to), "thing-2")).at(0), claim)
        ->figure_by;
  };
  EXPECT_EQ(figure_by("later", "bounded", "bounded"), FigureBy::bounded);
  EXPECT_EQ(figure_by("later", "figure_by = \"bounded\"\n", ""), FigureBy::issue);
  EXPECT_EQ(figure_by("quick", "bounded", "bounded"), FigureBy::before);
  EXPECT_EQ(figure_by("quick", "source = \"ours\"", "source = \"ours\"\nfigure_by = \"after\""),
            FigureBy::after);
}

TEST(CaseData, ANumberIsAnAxissValueAsItIsWritten) {
  const Case read = read_cases(context(replaced(kGood, "\"3x4\"", "1.5"))).at(0);
  EXPECT_EQ(read.axes[0].values, (std::vector<std::string>{"1", "2", "1.5"}));
}

TEST(CaseData, CellsOfAProfileAreLines) {
  const auto selections = good().profiles.at(0).selections;
  EXPECT_EQ(joined(selections[0].variants), "fast, all, baseline");
  EXPECT_EQ(selections[0].where.at("n"), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(selections[0].rounds, 3);
  EXPECT_EQ(selections[0].limit_s, 2.5);
  EXPECT_EQ(joined(selections[1].variants), "baseline, control, staged, fast, slow, all");
  EXPECT_EQ(selections[1].where.at("format"), (std::vector<std::string>{"a", "b"}));
  const std::string most = replaced(kGood, "(3 rounds, limit 2.5 s)", "(100000 rounds)");
  EXPECT_EQ(read_cases(context(most)).at(0).profiles.at(0).selections[0].rounds, 100000);
}

TEST(CaseData, ACaseMayBeginAsAnother) {
  const std::string two = R"toml([[case]]
name = "one"
why = "because"
axes = { n = { unit = "things", values = ["s", "t"], sizes = { s = 1, t = 2 } } }
variants = { baseline = "as it was", fast = "quick" }
claim = [{ id = "a", says = "a", claim = "fast ratio >= 2", source = "ours" }, { id = "b", says = "b", claim = "fast ratio >= 3", source = "ours" }]
profiles = { quick = { why = "a look", measure = ["fast at n=*"] } }
[[case]]
name = "two"
like = "one"
without = ["a"]
axes = { n = { sizes = { s = 5 } } }
claim = [{ id = "b", says = "more", claim = "fast ratio >= 4", source = "ours" }]
profiles = { quick = { why = "less", measure = ["fast at n=s"] } }
)toml";
  const auto cases = read_cases(context(two));
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[1].why, "because");
  EXPECT_EQ(cases[1].axes[0].sizes, (std::map<std::string, double>{{"s", 5}, {"t", 2}}));
  ASSERT_EQ(cases[1].claims.size(), 1u);
  EXPECT_EQ(cases[1].claims[0].text, "more");
  ASSERT_EQ(cases[1].profiles.size(), 1u);
  EXPECT_EQ(cases[1].profiles[0].why, "less");
  EXPECT_EQ(cases[0].axes[0].sizes.at("s"), 1);
  EXPECT_EQ(error_of([&] { (void)read_cases(context("limit_s = 3\n" + two)); }),
            "case.toml:1: there is no key 'limit_s'; it is one of case");
  const auto sentence = [&](const std::string& from, const std::string& to) {
    return error_of([&] { (void)read_cases(context(replaced(two, from, to))); });
  };
  EXPECT_EQ(sentence("name = \"two\"", "name = \"one\""), "case.toml:9: two cases named 'one'");
  EXPECT_EQ(sentence("like = \"one\"", "like = \"two\""),
            "case.toml:10: there is no case 'two' above");
  EXPECT_EQ(sentence("without = [\"a\"]", "without = [\"c\"]"),
            "case.toml:11: there is no claim 'c' to leave out");
}

struct Mistake {
  const char* from;
  const char* to;
  const char* sentence;  ///< its end, or a part of it
};

const Mistake kMistakes[] = {
    {"name = \"made\"\n", "", "case.toml:1: 'name' is missing"},
    {"name = \"made\"", "name = \"a b\"",
     "case.toml:1: 'a b' cannot be part of a benchmark's name"},
    {"name = \"made\"", "name = \"ma\\u0000de\"", "de' cannot be part of a benchmark's name"},
    {"why = \"because\"", "way = \"because\"",
     "case.toml:2: there is no key 'way'; did you mean 'why'?"},
    {"why = \"because\"", "why = 3", "case.toml:2: a number where a text should be"},
    {"limit_s = 20", "limit_s = \"20\"", "case.toml:3: a text where a number should be"},
    {"limit_s = 20", "limit_s = -1", "case.toml:3: a limit is above 0 s"},
    {"limit_s = 20", "limit_s = inf", "case.toml:3: not a number"},
    {"limit_s = 20", "limit_s = 2026-01-01", "case.toml:3: a date or a time"},
    {"limit_s = 20", "limit_s = ", "case.toml:3: "},
    {"limit_s = 20", "[~", "case.toml:3: "},
    {"limit_s = 20", "limit_s\u00e9 = 20", "case.toml:3: "},
    {"limit_s = 20", "limit_s = 20\nlimit_s = 21", "case.toml:4: "},
    {"format=a\"", "colour=a\"", "case.toml:4: made has no axis 'colour'; it is one of n, format"},
    {"format=a\"", "format=c\"",
     "case.toml:4: the axis format of made has no value 'c'; it is one of a, b"},
    {"format=a\"", "format\"", "case.toml:4: has 'format' where AXIS=VALUE should be"},
    {"stages_from = \"staged\"", "stages_from = \"steps\"",
     "case.toml:5: there is no variant 'steps'; it is one of baseline"},
    {"values = [1, 2, \"3x4\"]", "values = []", "case.toml:8: the axis n has no values"},
    {"values = [1, 2, \"3x4\"]", "values = [1, 1]", "case.toml:8: the axis n has a value twice"},
    {"values = [1, 2, \"3x4\"]", "values = [true]",
     "case.toml:8: true or false where a text should be"},
    {"values = [1, 2, \"3x4\"]", "value = [1]",
     "case.toml:8: there is no key 'value'; did you mean 'values'?"},
    {"\"3x4\"", "\"3/4\"", "case.toml:8: '3/4' cannot be part of a benchmark's name"},
    {"unit = \"things\", ", "", "case.toml:8: the axis n has sizes but no unit"},
    {"n=1|2 (3", "n=1|22 (3", "the axis n of made has no value '22'; it is one of 1, 2, 3x4"},
    {"b = 7", "c = 7", "case.toml:9: the axis format has no value 'c'"},
    {"b = 7", "b = 0", "case.toml:9: a size is above 0"},
    {"baseline = \"as it was\"\n", "", "there must be one variant of role baseline"},
    {"role = \"control\"", "role = \"boss\"",
     "case.toml:14: 'boss' is not one of baseline, control"},
    {"role = \"control\"", "role = \"baseline\"", "there must be one variant of role baseline"},
    {"fast = \"quick\"", "fats = \"quick\"",
     "case.toml:15: there is no patch 'fats'; did you mean 'fast'?"},
    {"[\"fast\", \"slow\"]", "[\"fast\", \"slwo\"]",
     "case.toml:17: there is no patch 'slwo'; did you mean 'slow'?"},
    {"why = \"both\", ", "", "case.toml:17: 'why' is missing"},
    {"same_output_as = \"jit\"", "same_output_as = \"aot\"",
     "jit has the same output as aot, which is not a variant"},
    {"patched = [\"fast\", \"all\"]", "patched = [\"fast\", \"any\"]",
     "case.toml:21: there is no variant 'any'; it is one of baseline"},
    {"patched = [", "fast = [", "case.toml:21: 'fast' is a variant; a group needs another name"},
    {"id = \"quick\"\n", "", "'id' is missing"},
    {"source = \"ours\"\n", "", "case.toml:23: 'source' is missing"},
    {"fast ratio at n=2 >= 1/4", "quick ratio >= 2", "case.toml:26: made has no variant 'quick'"},
    {"fast ratio at n=2 >= 1/4", "fast speed >= 2",
     "has the quantity 'speed', which is not one of"},
    {"fast ratio at n=2 >= 1/4", "fast ratio",
     "case.toml:26: the claim 'fast ratio' ends too early"},
    {"fast ratio at n=2 >= 1/4", "fast ratio at n=7 >= 2",
     "case.toml:26: the axis n of made has no value '7'"},
    {"fast ratio at n=2 >= 1/4", "fast ratio at n=1,n=2 >= 2", "names the axis n twice"},
    {"fast ratio at n=2 >= 1/4", "fast ratio in 3 2", "range is empty"},
    {"fast ratio at n=2 >= 1/4", "fast ratio <= -1", "range is empty"},
    {"fast ratio at n=2 >= 1/4", "fast ratio <= 0", "no measurement can meet the claim's range"},
    {"fast ratio at n=2 >= 1/4", "fast share of work >= 120%", "range is not between 0 and 100 %"},
    {"fast ratio at n=2 >= 1/4", "fast ratio >= nan", "has 'nan' where a number should be"},
    {"fast ratio at n=2 >= 1/4", "fast ratio >= 1/0", "has '1/0' where a number should be"},
    {"fast ratio at n=2 >= 1/4", "fast time >= 3 minutes", "has 'minutes' after its bound"},
    {"fast ratio at n=2 >= 1/4", "fast exponent >= 1", "names its axis (along AXIS)"},
    {"fast ratio at n=2 >= 1/4", "fast exponent along format >= 1",
     "fewer than two sizes to grow along"},
    {"fast ratio at n=2 >= 1/4", "fast exponent along n at n=1 >= 1",
     "runs along the axis n and also fixes it"},
    {"fast ratio at n=2 >= 1/4", "fast share >= 10%", "names its stage (of STAGE)"},
    {"each = \"patches\"", "each = [\"fast\", \"fats\"]",
     "case.toml:33: made has no variant 'fats'; did you mean 'fast'?"},
    {"id = \"{}_same\"", "id = \"same\"", "case.toml:29: two claims with the id 'same'"},
    {"control = true", "control = \"yes\"", "case.toml:34: a text where true or false should be"},
    {"(3 rounds, limit 2.5 s)", "(3 turns)", "'(3 turns)' should be (N rounds)"},
    {"(3 rounds, limit 2.5 s)", "(0 rounds)", "should be (N rounds)"},
    {"(3 rounds, limit 2.5 s)", "(100001 rounds)", "should be (N rounds)"},
    {"(3 rounds, limit 2.5 s)", "(2.5 rounds)", "should be (N rounds)"},
    {"(3 rounds, limit 2.5 s)", "(3 rounds, limit 0 s)", "should be (N rounds)"},
    {"(3 rounds, limit 2.5 s)", "(1e9 rounds)", "should be (N rounds)"},
    {"(3 rounds, limit 2.5 s)", "(3 rounds", "'(' without ')' at the end"},
    {"n=1|2", "n=1|5", "the axis n of made has no value '5'"},
    {"n=1|2", "m=*", "made has no axis 'm'"},
    {"\"*, !j* at", "\"j*, !j* at", "no variant is named"},
    {"why = \"a look\"\n", "", "'why' is missing"},
    {"[profiles.quick]", "[profile.quick]", "there is no key 'profile'; did you mean 'profiles'?"},
    {"{ except = \"thing-1\", cells = \"*\" }", "{ but = \"thing-1\", cells = \"*\" }",
     "there is no key 'but'; it is one of cells, only, except"},
    {"why = \"a look\"", "why = \"a look\"\nwhen = \"now\"",
     "there is no key 'when'; it is one of why, measure"},
    {"why = \"both\", ", "why = \"both\", patch = \"fast\", ",
     "case.toml:17: there is no key 'patch'; it is one of why, role, patches, same_output_as"},
    {"control = true", "controls = true", "there is no key 'controls'; did you mean 'control'?"},
    {"ratio at format=b in 90% 1.1x", "memory at format=b in 90% 1.1x",
     "a control compares times: VARIANT ratio"},
    {"n = { unit", "\"n,m\" = { unit", "case.toml:8: 'n,m' cannot be part of a benchmark's name"},
    {"patched = [", "\"a b\" = [", "case.toml:21: 'a b' cannot be part of a benchmark's name"},
    {"slow = \"not so quick\"", "\"slow/er\" = \"not so quick\"",
     "case.toml:16: 'slow/er' cannot be part of a benchmark's name"},
    {"\"patched, baseline", "\"pached, baseline", "there is no variant 'pached'"},
    {"[groups]", "[groups", "case.toml:20: "},
};

TEST(CaseData, EveryMistakeIsOneSentenceWithFileAndLine) {
  for (const Mistake& mistake : kMistakes) {
    const std::string data = replaced(kGood, mistake.from, mistake.to);
    try {
      (void)read_cases(context(data));
      ADD_FAILURE() << mistake.to << " was accepted";
    } catch (const UserError& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find(mistake.sentence), said.npos) << said << "\n" << mistake.sentence;
      EXPECT_TRUE(said.starts_with("case.toml:")) << said;
      EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 0) << said;
    }
  }
}

TEST(CaseData, ACardWithoutAFieldIsRefused) {
  for (std::string Patch::* field :
       {&Patch::before, &Patch::after, &Patch::cost, &Patch::source, &Patch::left_out}) {
    CaseContext made = context(kGood);
    (made.patches[1].*field).clear();
    EXPECT_THROW((void)read_cases(made), UserError);
  }
}

TEST(CaseData, EveryVariantHasCodeThatRunsIt) {
  const auto sentence = [](const Measure& measure) {
    return error_of([&] { (void)benches_of(context(kGood), {measure}); });
  };
  EXPECT_EQ(sentence({.name = "made", .variants = {"staged", "jit"}}), "");
  EXPECT_EQ(sentence({.name = "made", .variants = {"staged"}}),
            "case.toml: no code runs the variant jit");
  EXPECT_EQ(sentence({.name = "made", .variants = {"staged", "jit"}, .patches = {"fast"}}),
            "case.toml: the code of made does not apply the patch slow");
  const auto once = [](const Params&, const std::string& variant) { return variant == "jit"; };
  const auto benches =
      benches_of(context(kGood), {{.name = "made", .variants = {"staged", "jit"}, .once = once}});
  EXPECT_TRUE(benches.at(0).declared.once({}, "jit"));
  EXPECT_FALSE(benches.at(0).declared.once({}, "staged"));
  EXPECT_EQ(sentence({.name = "other"}), "case.toml: no code measures the case made");
  const Measure made{.name = "made", .variants = {"staged", "jit"}};
  EXPECT_EQ(error_of([&] { (void)benches_of(context(kGood), {made, {.name = "other"}}); }),
            "case.toml: there is no case other");
}

TEST(CaseData, AProgramReadsTheFileThatItIsGiven) {
  const Folder folder;
  folder.write("good.toml", replaced(kGood, "because", "it is another file"));
  folder.write("bad.toml", replaced(kGood, "why = \"because\"", "way = \"because\""));
  const auto ends = [&](const std::string& file, const std::string& word) {
    std::vector<std::string> words = {"program", "--data", (folder.path() / file).string(), word};
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = case_main(context(kGood), {{.name = "made", .variants = {"staged", "jit"}}}, 4,
                               pointers_to(words).data(), {});
    const std::string out = testing::internal::GetCapturedStdout();
    return std::pair(code, out + testing::internal::GetCapturedStderr());
  };
  using End = std::pair<int, std::string>;
  EXPECT_EQ(ends("good.toml", "--check"), End(0, ""));
  const auto [code, description] = ends("good.toml", "--describe");
  EXPECT_EQ(code, 0);
  EXPECT_NE(description.find("it is another file"), description.npos) << description;
  const std::string place = folder.path().string() + "/";
  const std::string mistake = "bad.toml:2: there is no key 'way'; did you mean 'why'?\n";
  EXPECT_EQ(ends("bad.toml", "--check"), End(Exit::usage, place + mistake));
  EXPECT_EQ(ends("none.toml", "--check"), End(Exit::usage, "cannot read " + place + "none.toml\n"));
}

}  // namespace
}  // namespace cliffbench
