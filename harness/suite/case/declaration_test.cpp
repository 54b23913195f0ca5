#include "harness/suite/case/declaration.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/core/text/error_of_test.hpp"
#include "harness/suite/case/describe.hpp"

namespace cliffbench {
namespace {

using Json = nlohmann::json;

Description declared() {
  Description made;
  made.declared = {.name = "made",
                   .subject = {"thing", "1", ""},
                   .axes = {{"n", "", {"1", "2"}}},
                   .variants = {{"baseline", Role::baseline, ""}, {"fast", Role::patch, ""}},
                   .claims = {{.id = "c", .variant = "fast", .range = {1.5}}},
                   .profiles = {{"quick", "", {{{{"n", {"1"}}}, {"fast"}}}}}};
  return made;
}

std::string declaration_refusal(const char* pointer, const Json& value) {
  Json json = describe(declared());
  json[Json::json_pointer(pointer)] = value;
  return error_of([&] { (void)parse_description(json); });
}

TEST(Declaration, UnknownFieldsAreRefused) {
  EXPECT_EQ(error_of([] { check_declaration(declared().declared); }), "");
  EXPECT_EQ(declaration_refusal("/claims/0/quantity", "ratjo"),
            "\"ratjo\" is not one of ratio, memory, time, share, exponent, agreement");
  EXPECT_EQ(declaration_refusal("/variants/0/role", ""),
            "\"\" is not one of baseline, control, patch, reference");
  EXPECT_EQ(declaration_refusal("/claims/0/against", "bastline"),
            "claim 'c': made has no variant 'bastline'; did you mean 'baseline'?");
  EXPECT_EQ(declaration_refusal("/claims/0/where", {{"m", "1"}}),
            "claim 'c': made has no axis 'm'; it is one of n");
  EXPECT_EQ(declaration_refusal("/claims/0/range/hi", 1), "claim 'c': the claim's range is empty");
  EXPECT_EQ(declaration_refusal("/claims/0/more", 1),
            "'/claims/0/more' is not as this program writes it");
  EXPECT_NE(declaration_refusal("/limit_s", true), "");
  EXPECT_EQ(declaration_refusal("/limit_s", -1), "a limit that is not a time");
  EXPECT_EQ(declaration_refusal("/variants/1/role", "baseline"),
            "there must be one variant of role baseline");
  EXPECT_EQ(declaration_refusal("/variants/1/name", "baseline"), "two variants named 'baseline'");
  EXPECT_EQ(declaration_refusal("/profiles/0/selections/0/where/n", {"3"}), "no value '3'");
}

TEST(Declaration, AbsentFieldsAreRefused) {
  const Json whole = describe(declared());
  for (const char* list : {"/claims/0", "/variants/0", "/axes/0", "/profiles/0", "/subject", ""}) {
    const Json::json_pointer at(list);
    for (const auto& [field, value] : whole[at].items()) {
      Json json = whole;
      json[at].erase(field);
      const bool optional = field == "libraries";
      EXPECT_EQ(error_of([&] { (void)parse_description(json); }).empty(), optional) << field;
    }
  }
}

}  // namespace
}  // namespace cliffbench
