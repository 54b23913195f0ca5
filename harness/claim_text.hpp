#pragma once

/// Claims as text: as somebody types one ("lookup all ratio >= 20"), and what was seen of it in
/// words. Pure.

#include <string>

#include "harness/case.hpp"
#include "harness/stats.hpp"

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

/// "12.3x [11.8, 12.9]", "45 % [43, 47]", ">= 38x (1 stopped run)".
[[nodiscard]] std::string interval_text(const Interval& seen, Quantity quantity);
[[nodiscard]] std::string range_text(const Bounds& range, Quantity quantity);

}  // namespace cliffbench
