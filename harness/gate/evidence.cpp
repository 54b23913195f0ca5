#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/gate/ruling.hpp"

namespace cliffbench {
namespace {

/// Instruction counts repeat to the digit but for start-up: less is the same work.
constexpr double kSameWork = 0.001;
constexpr double kMoreWork = 0.005;

std::string more_work(double change) {
  return change >= kMoreWork ? fmt::format("executes {:.1f} % more instructions", change * 100)
                             : "";
}

Counted counts_of(const GateFinding& finding, const Evidence& evidence) {
  const auto found = std::ranges::find_if(evidence.counted, [&](const Counted& one) {
    return one.program == finding.program && one.name == finding.name;
  });
  return found == evidence.counted.end() ? Counted() : *found;
}

/// An effect that no noise makes: the whole interval lies beyond a factor of two.
bool beyond_noise(const GateFinding& finding) {
  constexpr double kFactor = 2;
  const auto& at = finding.ratio.at;
  return at && at->known() && (at->lo >= kFactor || at->hi <= 1 / kFactor);
}

/// Whether the whole interval lies beyond the margin, though too few pairs are clear to decide.
bool slower_throughout(const GateFinding& finding) {
  const auto& at = finding.ratio.at;
  return finding.pairs >= kAnalysisPairs.front() && at && at->known() &&
         at->hi < 1 / (1 + finding.rule.margin);
}

/// Times decide nothing: either the counts decide, or the ruling is inconclusive.
void rule_without_times(GateFinding& finding, const Evidence& evidence, const std::string& why) {
  const Counted counted = counts_of(finding, evidence);
  if (counted.instructions) return rule_by_instructions(finding, *counted.instructions);
  finding.ruling = Ruling::inconclusive;
  finding.reason =
      why + (counted.not_counted ? "; instructions were not counted: " + *counted.not_counted : "");
}

}  // namespace

bool counts_tell(const GateFinding& finding) {
  if (finding.by_mean) return false;  // the few iterations that are counted miss what is rare
  return finding.ruling == Ruling::regression ||
         (finding.ruling == Ruling::inconclusive && slower_throughout(finding));
}

void add_instructions(GateFinding& finding, const Instructions& counted) {
  finding.instructions = counted;
  const auto change = counted.change();
  if (!change) return;
  const auto note = [&](const std::string& text) {
    if (!text.empty()) finding.reason += (finding.reason.empty() ? "" : "; ") + text;
  };
  const bool is_changed =
      finding.ruling == Ruling::regression || finding.ruling == Ruling::improved;
  if (std::fabs(*change) < kSameWork) {
    if (is_changed && !finding.by_mean) {
      note("the same number of instructions: look at memory, latency or alignment");
    } else if (finding.ruling == Ruling::inconclusive) {
      note("the same number of instructions");
    }
  } else if (finding.ruling == Ruling::inconclusive && counts_tell(finding) &&
             *change > finding.rule.margin) {
    finding.ruling = Ruling::regression;
    finding.reason = fmt::format("the pairs do not decide, but the whole interval is {}, and it {}",
                                 meaning(Ruling::regression, finding.rule), more_work(*change));
  } else if (finding.ruling == Ruling::ok) {
    note(more_work(*change));
  }
}

void rule_by_instructions(GateFinding& finding, const Instructions& counted) {
  finding.instructions = counted;
  finding.metric = Metric::instructions;
  finding.control_moved = false;
  finding.decided = true;
  const auto change = counted.change();
  if (!change) {
    finding.ruling = Ruling::inconclusive;
    finding.reason =
        fmt::format("{:g} and {:g} cannot be instruction counts", counted.base, counted.head);
    return;
  }
  const double margin = finding.rule.margin;
  finding.ruling = *change > margin    ? Ruling::regression
                   : *change < -margin ? Ruling::improved
                                       : Ruling::ok;
  finding.reason = fmt::format("instructions changed by {:+.2f} %; the margin is {:.3g} %",
                               *change * 100, margin * 100);
}

void apply_evidence(GateFinding& finding, const Evidence& evidence, bool by_instructions) {
  const bool has_time = finding.counter.empty() && finding.ruling != Ruling::skipped &&
                        finding.ruling != Ruling::unchanged;
  if (!has_time) return;
  const bool faulty =
      finding.ruling == Ruling::wrong_output || finding.ruling == Ruling::not_measured;
  if (faulty && !(by_instructions && finding.pairs == 0)) return;
  if (by_instructions) {
    rule_without_times(finding, evidence, "instructions alone decide");
    return;
  }
  if (!evidence.unfit.empty() && !beyond_noise(finding)) {
    rule_without_times(finding, evidence, "times decide only changes above 2x: " + evidence.unfit);
    return;
  }
  const Counted counted = counts_of(finding, evidence);
  if (counted.instructions) add_instructions(finding, *counted.instructions);
}

void apply_evidence(GateReport& report, const Evidence& evidence, bool by_instructions) {
  report.unfit = evidence.unfit;
  for (GateFinding& finding : report.findings) apply_evidence(finding, evidence, by_instructions);
}

}  // namespace cliffbench
