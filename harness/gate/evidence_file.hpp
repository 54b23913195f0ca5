#pragma once

/// evidence.json in a gate's folder: what a second look found.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "harness/gate/gate_plan.hpp"
#include "harness/judge/gate.hpp"

namespace cliffbench {

[[nodiscard]] nlohmann::json evidence_json(const Evidence& evidence);
[[nodiscard]] Evidence parse_evidence(const nlohmann::json& json);

/// Of the gate's folder; a file that is damaged, or that this gate cannot have, is refused
/// (CannotMeasure).
[[nodiscard]] Evidence read_evidence(const GatePlan& plan, const std::filesystem::path& folder);

}  // namespace cliffbench
