#pragma once

/// `cliffbench gate --impact`: what the change cannot have touched need not be timed.

#include "harness/gate/gate_plan.hpp"
#include "harness/gate/gate_session.hpp"
#include "harness/gate/sides.hpp"

namespace cliffbench {

/// Marks the benchmarks without a pilot that the change cannot have touched (impact.hpp). Of those,
/// one in twenty (at least one), drawn at random, is only marked as audited: it is timed, so that a
/// mistake of the analysis can show. Throws UserError where this build cannot tell.
void find_untouched(GatePlan& plan, const Sides& sides, GateSession& session);

}  // namespace cliffbench
