#include "harness/suite/case/describe.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cliffbench {
namespace {

TEST(Describe, SurvivesItsJson) {
  Description made;
  made.declared = {
      .name = "made",
      .why = "because",
      .axes = {{"n", "things", {"1"}}},
      .variants = {{"baseline", Role::baseline, "b"}, {"v", Role::reference, "w", {"p"}, ""}},
      .patches = {{"p", "b", "a", "c", "s", "l"}},
      .claims = {{.id = "open",
                  .text = "t",
                  .quantity = Quantity::exponent,
                  .variant = "v",
                  .axis = "n",
                  .range = {2}},
                 {.id = "closed",
                  .variant = "v",
                  .range = {0.9, 1.1},
                  .control = true,
                  .origin = Origin::theirs,
                  .figure_by = FigureBy::bounded,
                  .expected = Verdict::refuted}},
      .profiles = {{"quick", "w", {{{{"n", {"1"}}}, {"v"}, 3, 9}}}},
      .limit_s = 4};
  const auto json = describe(made);
  const Description read = parse_description(nlohmann::json::parse(json.dump()));
  EXPECT_EQ(describe(read), json);
  EXPECT_TRUE(std::isinf(read.declared.claims[0].range.hi));
  EXPECT_EQ(read.declared.claims[1].range.hi, 1.1);
  EXPECT_EQ(read.declared.variants[1].role, Role::reference);
}

TEST(Describe, RefusesAnotherSchema) {
  auto json = describe({});
  json["schema"] = 2;
  EXPECT_THROW((void)parse_description(json), std::runtime_error);
}

}  // namespace
}  // namespace cliffbench
