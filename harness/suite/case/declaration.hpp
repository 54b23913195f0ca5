#pragma once

/// Whether a declaration is consistent: what it names exists, and its numbers are possible. Pure.

#include "harness/suite/case/case.hpp"

namespace cliffbench {

/// Throws std::runtime_error with the first error: a name that is used twice, a claim about a
/// variant, an axis or a value that the case does not have, an empty range, an impossible limit.
void check_declaration(const Case& declared);

// The checks that `check_declaration` is made of. They throw UserError.

/// The case must have one baseline and the variants whose output others share.
void check_variants(const Case& declared);
/// The axis with this name.
[[nodiscard]] const Axis& axis_of(const Case& declared, const std::string& name);
/// The axis must have values, each of them once.
void check_values(const Axis& axis);
/// The size of one of the axis's values must be possible.
void check_size(const Axis& axis, const std::string& value, double size);
/// The case must have the claim's variants, axes and values, and something can meet its range.
void check_claim(const Claim& claim, const Case& declared);
/// The case must have the point's axes and values.
void check_point(const Params& where, const Case& declared);

}  // namespace cliffbench
