#pragma once

/// The numbers that values of axes stand for. Pure.

#include <optional>
#include <string>

#include "harness/case.hpp"

namespace cliffbench {

/// The number an axis value stands for: 8 for "8", the product for "3072x2048"; nothing for a word.
[[nodiscard]] std::optional<double> magnitude(const std::string& value);

/// The same, of a value of this axis, whose words may have sizes.
[[nodiscard]] std::optional<double> size_of(const Axis& axis, const std::string& value);

/// The product of the sizes of a point's values; words without a size count as 1.
[[nodiscard]] double size_of_point(const Case& declared, const Params& params);

}  // namespace cliffbench
