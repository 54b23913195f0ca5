#pragma once

/// The one grammar of claims, on the command line and in case.toml:
///
///   VARIANT QUANTITY [of STAGE] [along AXIS] [against VARIANT] [at AXIS=VALUE,...] BOUND
///
/// with BOUND one of ">= NUMBER", "<= NUMBER", "in LOW HIGH". A number may be a fraction (1/3) and
/// may end in x, % (a hundredth) or s. Pure.

#include <string>

#include "harness/suite/case/case.hpp"

namespace cliffbench {

/// Range, variants, axes and point of a claim; its id, text and source are the caller's. Throws
/// UserError with what is wrong in its form; `check_claim` knows the case.
[[nodiscard]] Claim parse_claim(const std::string& text);

struct ClaimText {
  std::string case_name;  ///< a case, or "<case>@<subject>"
  Claim claim;
};

/// The same after the name of a case, as somebody types it: the text is its id, too.
[[nodiscard]] ClaimText parse_claim_of_case(const std::string& text);

/// "buffers=1, size=96x64". Throws UserError.
[[nodiscard]] Params parse_point(const std::string& text);

}  // namespace cliffbench
