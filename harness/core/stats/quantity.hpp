#pragma once

/// What a number is a measure of, and a range of such numbers.

#include <limits>

namespace cliffbench {

enum class Quantity { ratio, memory, time, share, exponent, agreement };

/// A closed interval; `hi` may be infinite ("at least lo").
struct Bounds {
  double lo = 0;
  double hi = std::numeric_limits<double>::infinity();
};

}  // namespace cliffbench
