#pragma once

/// Margins of single benchmarks.

#include "harness/gate/gate.hpp"
#include "harness/gate/gate_plan.hpp"

namespace cliffbench {

/// Gives each benchmark its margins: of those for an expression that finds its name the last, else
/// those for all. Unless it is given, too, what must be found lies as far above a benchmark's own
/// margin as above that for all. Throws UserError for an expression that finds no benchmark, and
/// for a margin that is not below what must be found.
void set_margins(GatePlan& plan, const GateRequest& request);

}  // namespace cliffbench
