#pragma once

/// Whether a declaration is consistent: what it names exists, and its numbers are possible.

#include "harness/case/case.hpp"

namespace cliffbench {

/// Throws std::runtime_error with the first thing that is wrong: two of one name, a claim about a
/// variant, an axis or a value that the case has not, an empty range, a limit that is no time.
void check_declaration(const Case& declared);

}  // namespace cliffbench
