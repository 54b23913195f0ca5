#pragma once

/// Costs that grow with the number of iterations (a list that each one makes longer), where a
/// library before 1.8 takes a time instead of a count and the slower side runs fewer. Pure.

#include <span>
#include <vector>

#include "harness/gate/ruling.hpp"

namespace cliffbench {

/// The exponent g of t ~ iterations^g, of the times of one iteration of base and control: the
/// median slope of their logarithms (Theil and Sen), pairs of rows with counts under 5 % apart left
/// out. 0 when fewer than 20 slopes tell, or when it is below 0.1: noise makes as much.
[[nodiscard]] double growth_of(std::span<const Row> rows, Metric metric);

/// The value as it would be at the base's first count, if it grows with the count.
[[nodiscard]] ComparedValue at_one_count(std::span<const Row> rows, ComparedValue value);

}  // namespace cliffbench
