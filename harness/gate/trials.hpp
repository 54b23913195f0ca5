#pragma once

/// The processes of a pair, of one benchmark or of a suite that shares them.

#include <cstdint>
#include <random>
#include <vector>

#include "harness/gate/gate_session.hpp"
#include "harness/gate/pairs.hpp"
#include "harness/gate/sides.hpp"

namespace cliffbench {

/// A pair of each benchmark of the suite, its rows kept in the folder. `seed`: the gate's, for the
/// layouts of the processes. False: it was cut short.
[[nodiscard]] bool measure_once(std::vector<ComparedBenchmark*>& suite, const ProgramPair& pair,
                                GateSession& session, std::mt19937_64& random, std::uint64_t seed);

}  // namespace cliffbench
