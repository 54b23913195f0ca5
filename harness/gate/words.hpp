#pragma once

/// The words of a gate: on the terminal, as rulings.jsonl, Markdown and JUnit XML. Pure but for
/// `publish_rulings`.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/core/text/terminal.hpp"
#include "harness/gate/ruling.hpp"

namespace cliffbench {

/// As people read it in a table; the machine-readable word is with an underscore.
[[nodiscard]] std::string ruling_text(Ruling ruling);
/// How much longer the head takes: "+10.4 %".
[[nodiscard]] std::string change_text(const GateFinding& finding);
/// "cpu", "counter:allocations".
[[nodiscard]] std::string metric_text(const GateFinding& finding);
/// The ratio that the ruling rests on: times, or instruction counts.
[[nodiscard]] std::string ratio_text(const GateFinding& finding);

/// Findings by how bad their ruling is; of equal ones the slowest first.
[[nodiscard]] std::vector<const GateFinding*> worst_rulings_first(const GateReport& report);

/// "1 REGRESSION, 11 ok."
[[nodiscard]] std::string gate_sentence(const GateReport& report);

/// The columns' names above the rulings: base / head is the ratio of their times, `time` how much
/// longer the head takes, `by` what decided: cpu or wall time, instructions or a counter.
[[nodiscard]] std::string ruling_head();

/// "REGRESSION  0.906x [0.901, 0.911]  +10.4 %  12 pairs  cpu  name", and its notes below. Where
/// the screen is too narrow for the name, that has a line of its own.
[[nodiscard]] std::string ruling_line(const GateFinding& finding, const Screen& screen = {});

/// How to resume a gate whose rows are in `folder`.
[[nodiscard]] std::string how_to_continue(const std::filesystem::path& folder);

/// The end of a gate, at most a screen: what regressed, the slowest first, the command that
/// measures that one alone, the notes, and how likely a false alarm is. Only the
/// command may be wider than `width` (0: any): it is one line, to be pasted.
[[nodiscard]] std::string gate_end_text(const GateReport& report, std::size_t width = 0);

[[nodiscard]] nlohmann::json ruling_json(const GateFinding& finding);
[[nodiscard]] std::string rulings_jsonl(const GateReport& report);
/// At most 15 lines: the worst first, the rest as a count.
[[nodiscard]] std::string rulings_markdown(const GateReport& report);
[[nodiscard]] std::string rulings_junit(const GateReport& report);

/// Prints the end, writes rulings.jsonl, rulings.md and rulings.xml into `folder`,
/// appends the Markdown to the file that $GITHUB_STEP_SUMMARY names, and returns the exit code.
int publish_rulings(const GateReport& report, const std::filesystem::path& folder);

}  // namespace cliffbench
