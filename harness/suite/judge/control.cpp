#include "harness/suite/judge/control.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/stats/interval.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/plan/plan.hpp"

namespace cliffbench {
namespace {

std::string one_in(double chance) { return "1 in " + three_digits(1 / chance); }

std::string reason_of(const Finding& control, std::size_t controls) {
  const std::string range = range_text(control.claim.range, control.claim.quantity);
  const std::string limit = one_in(kRunAlarm / static_cast<double>(controls));
  return fmt::format(
      "its median is outside {}; the chance of that without a difference is {}: {} (limit: {} for "
      "{})",
      range, *control.chance > 0 ? one_in(*control.chance) : "0",
      is_beyond_chance(*control.chance, controls) ? "too small for chance"
                                                  : "chance may explain it",
      limit, counted(controls, "control"));
}

/// Whether a claim was decided by what was measured at a point.
bool needs(const Finding& finding, const Params& point, const Judgement& judgement) {
  if (finding.claim.quantity != Quantity::exponent) return finding.at == point;
  return agrees(finding.at, point) && cell_at(judgement.cells, point, finding.claim.variant);
}

void void_point(const Params& point, Judgement& judgement) {
  for (JudgedCell& cell : judgement.cells) {
    if (cell.params == point && cell.with_baseline) cell.with_baseline->control_moved = true;
  }
  for (Finding& finding : judgement.findings) {
    if (finding.claim.control || !finding.decided() || !needs(finding, point, judgement)) continue;
    finding.reason = fmt::format("would be {}, but the control moved at {}", word(finding.verdict),
                                 point_text(point));
    finding.verdict = Verdict::unproven;
    finding.open = Open::control_moved;
  }
}

}  // namespace

bool is_beyond_chance(double chance, std::size_t controls) {
  return chance <= kRunAlarm / static_cast<double>(controls);
}

std::size_t controls_of(const Judgement& judgement) {
  return static_cast<std::size_t>(std::ranges::count_if(
      judgement.findings,
      [](const Finding& finding) { return finding.claim.control && finding.interval.at; }));
}

void rule_controls(Judgement& judgement, std::size_t controls) {
  for (Finding& finding : judgement.findings) {
    if (!finding.chance) continue;
    finding.reason = reason_of(finding, controls);
    if (!is_beyond_chance(*finding.chance, controls)) continue;
    finding.verdict = Verdict::refuted;
    finding.open = Open::no;
  }
  std::vector<Params> moved;
  for (const Finding& finding : judgement.findings) {
    if (control_moved(finding)) moved.push_back(finding.at);
  }
  for (const Params& point : moved) void_point(point, judgement);
}

}  // namespace cliffbench
