#pragma once

/// The pilots of a gate: before the pairs, each benchmark gets its count of iterations and its
/// clock.

#include "harness/gate/gate_plan.hpp"
#include "harness/gate/gate_session.hpp"
#include "harness/gate/sides.hpp"

namespace cliffbench {

/// Gives a pilot to each benchmark that has none, while there is time.
void measure_pilots(GatePlan& plan, const Sides& sides, GateSession& session);

}  // namespace cliffbench
