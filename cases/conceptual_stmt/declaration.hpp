#pragma once

/// What the case is: axes, variants, claims, profiles and expected costs, for the Halide that it is
/// built with (HALIDE_MAJOR, HALIDE_VERSION).

#include "harness/case.hpp"

[[nodiscard]] cliffbench::Case conceptual_stmt_case();
