#pragma once

/// A claim as somebody types it: "lookup all ratio >= 20". Pure.

#include <string>

#include "harness/case.hpp"

namespace cliffbench {

struct ClaimText {
  std::string case_name;  ///< a case, or "<case>@<subject>"
  Claim claim;
};

/// "CASE VARIANT QUANTITY [of STAGE] [along AXIS] [against VARIANT] [at AXIS=VALUE,...] BOUND" with
/// BOUND one of ">= NUMBER", "<= NUMBER", "in LOW HIGH"; a number may end in x, % (a hundredth) or
/// s. Throws UserError with what is wrong.
[[nodiscard]] ClaimText parse_claim(const std::string& text);

/// Throws UserError when the case does not know the claim's variants, axes or values.
void check_claim(const Claim& claim, const Case& declared);

}  // namespace cliffbench
