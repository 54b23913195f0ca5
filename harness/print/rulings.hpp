#pragma once

/// What a gate says: on the terminal, as rulings.jsonl, Markdown and JUnit XML. Pure but for
/// `write_rulings`.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/gate_report.hpp"

namespace cliffbench {

/// "regression: 1 of 12 benchmarks ..." in one sentence.
[[nodiscard]] std::string sentence_of(const GateReport& report);

/// "regression  0.906x [0.901, 0.911]  +10.4 %  12 pairs  cpu  name".
[[nodiscard]] std::string finding_line(const GateFinding& finding);

/// The end of a gate, at most a screen: what regressed, the slowest first, the command that
/// measures that one alone, the notes, and how rarely such a suite alarms for nothing.
[[nodiscard]] std::string closing_text(const GateReport& report);
[[nodiscard]] std::string alarms_sentence(const GateReport& report);

[[nodiscard]] nlohmann::json ruling_json(const GateFinding& finding);
[[nodiscard]] std::string rulings_jsonl(const GateReport& report);
/// At most 15 lines: the worst first, the rest as a count.
[[nodiscard]] std::string rulings_markdown(const GateReport& report);
[[nodiscard]] std::string rulings_junit(const GateReport& report);

/// Prints the end, writes rulings.jsonl, rulings.md and rulings.xml into `folder`,
/// appends the Markdown to the file that $GITHUB_STEP_SUMMARY names, and returns the exit code.
int publish_rulings(const GateReport& report, const std::filesystem::path& folder);

}  // namespace cliffbench
