#pragma once

/// The whole table of a judged run, as `cliffbench judge` prints it and verdicts.txt keeps it.

#include <cstddef>
#include <span>
#include <string>

#include "harness/print/verdicts.hpp"

namespace cliffbench {

/// Of each program its ratios, its claims and what went wrong. `width`: of the terminal, 0 for no
/// limit.
[[nodiscard]] std::string table_text(std::span<const Judged> all, std::size_t width);

}  // namespace cliffbench
