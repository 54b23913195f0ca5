#include "harness/print/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/case/describe.hpp"
#include "harness/host/text.hpp"
#include "harness/judge/claim_text.hpp"
#include "harness/plan/plan.hpp"
#include "harness/print/width.hpp"

namespace cliffbench {
namespace {

const char* symbol(const Finding& finding) {
  if (finding.claim.control) {
    if (control_moved(finding)) return "!";
    return steadiness(finding) == Steadiness::quiet ? "+" : "?";
  }
  if (finding.verdict == Verdict::undecided) return "?";
  return finding.as_expected() ? "+" : "!";
}

/// Claims that the machine could not measure have its reason; of the others no cell was chosen.
std::string not_measured_text(const std::vector<const Finding*>& findings, std::size_t width) {
  std::map<std::string, std::set<std::string>> by_reason;
  for (const Finding* finding : findings) {
    by_reason[finding->by_machine ? finding->reason : ""].insert(finding->claim.id);
  }
  std::string text;
  for (const auto& [reason, ids] : by_reason) {
    const std::string line =
        fmt::format("{}: {}{}", reason.empty() ? "not in this run" : "not measured here",
                    joined(ids), reason.empty() ? "" : ": " + reason);
    text += joined(wrapped(line, width ? width : line.size() + 2, line.size(), "  ", "    "), "\n");
    text += '\n';
  }
  return text;
}

std::string findings_text(const Judged& judged, std::size_t width) {
  Table table(width, {0}, {3});
  table.row({"  claim", "range", "seen", "n", "verdict"});
  std::vector<const Finding*> not_measured;
  for (const Finding& finding : judged.judgement.findings) {
    const Claim& claim = finding.claim;
    if (!finding.measured()) {
      not_measured.push_back(&finding);
      continue;
    }
    table.row({fmt::format("{} {}", symbol(finding), claim.text),
               range_text(claim.range, claim.quantity), interval_text(finding.seen, claim.quantity),
               std::to_string(finding.seen.rounds), verdict_words(finding)});
    if (claim.control) continue;
    if (!finding.as_expected()) {
      table.line(fmt::format("    expected: {}; {}", word(claim.expected), finding.reason));
    } else if (finding.verdict == Verdict::undecided) {
      table.line("    " + finding.reason);
    }
  }
  const bool none = not_measured.size() == judged.judgement.findings.size();
  if (judged.judgement.findings.empty()) return "";
  return "\n" + (none ? "" : table.text()) + not_measured_text(not_measured, width);
}

/// What all points have in common, so that each row says only what is its own.
Params common_of(const std::vector<const RatioFinding*>& shown) {
  if (shown.size() < 2) return {};
  Params common = shown.front()->params;
  for (const RatioFinding* found : shown) {
    std::erase_if(common, [&](const auto& value) {
      const auto own = found->params.find(value.first);
      return own == found->params.end() || own->second != value.second;
    });
  }
  return common;
}

std::string ratios_text(const Judged& judged, std::size_t width) {
  // Of these patches it is said that the baseline never finished, so that nothing was compared.
  std::set<std::pair<Params, std::string>> oracle_only;
  for (const JudgedCell& cell : judged.judgement.cells) {
    if (cell.checked == "oracle only") oracle_only.insert({cell.params, cell.variant});
  }
  std::vector<const RatioFinding*> shown;
  for (const RatioFinding& found : judged.judgement.ratios) {
    if (found.role != Role::control && found.ratio.rounds) shown.push_back(&found);
  }
  if (shown.empty()) return "";
  const Params common = common_of(shown);
  Table table(width, {2, 0});
  for (const RatioFinding* found : shown) {
    Params own = found->params;
    std::erase_if(own, [&](const auto& value) { return common.contains(value.first); });
    const bool noted =
        found->role == Role::patch && oracle_only.contains({found->params, found->variant});
    table.row({"  " + found->variant, interval_text(found->ratio, Quantity::ratio),
               point_text(own) + (noted ? "  (checked by its oracle only)" : "")});
  }
  return fmt::format("\n  baseline / variant, > 1 is faster{}\n{}",
                     common.empty() ? "" : "; all at " + point_text(common), table.text());
}

std::string troubles_text(const Judged& judged) {
  std::string text;
  for (const JudgedCell& cell : judged.judgement.cells) {
    if (cell.status == "ok") continue;
    text += fmt::format("! {} at {}: {}{}{}\n", cell.variant, point_text(cell.params), cell.status,
                        cell.reason.empty() ? "" : ": ", cell.reason);
  }
  return text;
}

}  // namespace

std::string table_text(std::span<const Judged> all, std::size_t width) {
  std::string text;
  for (const Judged& judged : all) {
    text += fmt::format("\n{} on machine {}, {}\n", judged.program, judged.set.machine,
                        judged.set.date);
    text += ratios_text(judged, width) + findings_text(judged, width) + troubles_text(judged);
  }
  return text;
}

}  // namespace cliffbench
