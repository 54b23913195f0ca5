#pragma once

/// Whether a declaration holds together: what it names is there, and its numbers can be.

#include "harness/case/case.hpp"

namespace cliffbench {

/// Throws std::runtime_error with the first thing that is wrong: two of one name, a claim about a
/// variant, an axis or a value that the case has not, an empty range, a limit that is no time.
void check_declaration(const Case& declared);

}  // namespace cliffbench
