#pragma once

/// Whether a declaration is consistent: what it names exists, and its numbers are possible. Pure.

#include "harness/case/case.hpp"

namespace cliffbench {

/// Throws std::runtime_error with the first thing that is wrong: two of one name, a claim about a
/// variant, an axis or a value that the case has not, an empty range, a limit that is no time.
void check_declaration(const Case& declared);

// Its parts throw UserError.

/// The axis of a name.
[[nodiscard]] const Axis& axis_of(const Case& declared, const std::string& name);
/// An axis has values, each of them once.
void check_values(const Axis& axis);
/// The size of one of its values.
void check_size(const Axis& axis, const std::string& value, double size);
/// A claim's variants, axes and values are known.
void check_claim(const Claim& claim, const Case& declared);
/// The axes and values of a point are known.
void check_point(const Params& where, const Case& declared);

}  // namespace cliffbench
