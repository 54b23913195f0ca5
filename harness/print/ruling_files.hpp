#pragma once

/// What a gate says as rulings.jsonl, Markdown and JUnit XML. Pure but for `publish_rulings`.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/judge/gate.hpp"

namespace cliffbench {

[[nodiscard]] nlohmann::json ruling_json(const GateFinding& finding);
[[nodiscard]] std::string rulings_jsonl(const GateReport& report);
/// At most 15 lines: the worst first, the rest as a count.
[[nodiscard]] std::string rulings_markdown(const GateReport& report);
[[nodiscard]] std::string rulings_junit(const GateReport& report);

/// Prints the end, writes rulings.jsonl, rulings.md and rulings.xml into `folder`,
/// appends the Markdown to the file that $GITHUB_STEP_SUMMARY names, and returns the exit code.
int publish_rulings(const GateReport& report, const std::filesystem::path& folder);

}  // namespace cliffbench
