#include "harness/judge/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "harness/host/exit_code.hpp"
#include "harness/host/machine.hpp"
#include "harness/judge/claim_text.hpp"
#include "harness/judge/observe.hpp"
#include "harness/plan/plan.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

void find_exponents(const Case& declared, const Cells& cells, Judgement& judgement) {
  for (const Axis& axis : declared.axes) {
    for (const auto& [key, line] : lines_along(cells, axis)) {
      ExponentFinding found{key.first, axis.name, "", key.second, {}, {}, {}};
      for (const auto& [size, rows] : line) found.sizes.push_back(size);
      for (const auto& [stage, times] : times_along(line)) {
        found.of = stage;
        found.exponent = exponent_of(times);
        found.local = local_slopes(times);
        if (found.exponent.rounds) judgement.exponents.push_back(found);
      }
    }
  }
}

std::string reason_of(const Claim& claim, const Interval& seen, Verdict verdict) {
  const std::string range = range_text(claim.range, claim.quantity);
  if (seen.rounds == 0) return "nothing comparable was measured";
  if (!seen.at) {
    return seen.stopped ? fmt::format("the bound of {} decides nothing, an interval needs 6",
                                      counted(static_cast<size_t>(seen.stopped), "stopped round"))
                        : fmt::format("{} rounds give no interval, it needs 6", seen.rounds);
  }
  if (verdict == Verdict::held) return "the whole interval is in the range " + range;
  if (verdict == Verdict::refuted) return "the whole interval is outside the range " + range;
  return "the interval reaches across the bound of " + range;
}

constexpr double kHostedFactor = 2;

/// Whether a claim is coarse enough for a hosted Mac. "At most 3x" is 1/3 and more.
bool decidable_on_hosted_mac(const Claim& claim) {
  if (claim.control || claim.quantity == Quantity::agreement) return true;
  if (claim.quantity != Quantity::ratio && claim.quantity != Quantity::memory) return false;
  return claim.range.lo >= kHostedFactor ||
         (claim.range.lo > 0 && claim.range.lo <= 1 / kHostedFactor);
}

/// The range that decides on this machine.
Bounds range_on(const JudgedMachine& machine, const Claim& claim) {
  if (!machine.hosted_mac || !claim.control) return claim.range;
  return {std::min(claim.range.lo, 1 / kHostedFactor), std::max(claim.range.hi, kHostedFactor)};
}

/// Of the cells that a claim needs, the first that gave no time at `at`, which may leave axes open.
/// nullptr when there is none. `cells` are in the order of their keys.
const JudgedCell* hindrance(const Claim& claim, const Params& at,
                            const std::vector<JudgedCell>& cells) {
  const auto hinders = [&](const JudgedCell& cell) {
    const bool needed = cell.variant == claim.variant ||
                        (compares(claim.quantity) && cell.variant == claim.against);
    return needed && cell.status != "ok" && cell.status != "timeout" && agrees(at, cell.params);
  };
  // A whole point has few cells and is looked up: there may be 10^5 of them.
  const auto begin = std::lower_bound(
      cells.begin(), cells.end(), at,
      [](const JudgedCell& cell, const Params& point) { return cell.params < point; });
  const auto end =
      std::find_if(begin, cells.end(), [&](const JudgedCell& cell) { return cell.params != at; });
  const bool whole = begin != end;
  const auto last = whole ? end : cells.end();
  const auto found = std::find_if(whole ? begin : cells.begin(), last, hinders);
  return found == last ? nullptr : &*found;
}

std::string reason_of(const JudgedCell& hindered) {
  if (hindered.status == "skipped" && !hindered.reason.empty()) return hindered.reason;
  return hindered.variant + " ended as " + status_text(hindered);
}

Finding not_measured(const Claim& claim, const Params& point, const JudgedCell* hindered,
                     const std::string& otherwise) {
  const std::string reason = hindered ? reason_of(*hindered) : otherwise;
  return {claim, point, {}, Verdict::not_measured, reason, hindered != nullptr};
}

Finding finding_of(const Claim& claim, const Params& point, const Interval& seen,
                   const JudgedMachine& machine, const std::vector<JudgedCell>& cells) {
  if (seen.rounds == 0) {
    if (const JudgedCell* hindered = hindrance(claim, point, cells)) {
      return not_measured(claim, point, hindered, "");
    }
  }
  Finding finding{claim, point, seen, Verdict::undecided, ""};
  if (machine.hosted_mac && !decidable_on_hosted_mac(claim)) {
    finding.reason = "a virtual macOS decides only claims of 2x and more";
    return finding;
  }
  finding.verdict = decide(seen, range_on(machine, claim));
  finding.reason = reason_of(claim, seen, finding.verdict);
  return finding;
}

void judge_claims(const Case& declared, const Cells& cells, const JudgedMachine& machine,
                  Judgement& judgement) {
  for (const Claim& claim : declared.claims) {
    if (machine.kind.find(claim.machine) == std::string::npos) {
      const std::string reason = fmt::format("it is claimed of {} only", claim.machine);
      judgement.findings.push_back({claim, {}, {}, Verdict::not_measured, reason, true});
      continue;
    }
    const auto seen = observe(declared, claim, cells);
    if (seen.empty()) {
      judgement.findings.push_back(
          not_measured(claim, {}, hindrance(claim, claim.where, judgement.cells),
                       fmt::format("this run did not measure {} at {}", claim.variant,
                                   claim.where.empty() ? "any size" : point_text(claim.where))));
    }
    for (const auto& [point, interval] : seen) {
      judgement.findings.push_back(finding_of(claim, point, interval, machine, judgement.cells));
    }
  }
  const auto moved =
      std::find_if(judgement.findings.begin(), judgement.findings.end(), control_moved);
  if (moved == judgement.findings.end()) return;
  for (Finding& finding : judgement.findings) {
    const bool decided = finding.verdict == Verdict::held || finding.verdict == Verdict::refuted;
    if (finding.claim.control || !decided) continue;
    finding.reason = fmt::format("would be {}, but the control {} moved", word(finding.verdict),
                                 moved->claim.id);
    finding.verdict = Verdict::unproven;
  }
}

}  // namespace

Verdict decide(const Interval& seen, const Bounds& range) {
  if (!seen.at || !seen.at->known()) return Verdict::undecided;
  if (seen.at->lo >= range.lo && seen.at->hi <= range.hi) return Verdict::held;
  if (seen.at->hi < range.lo || seen.at->lo > range.hi) return Verdict::refuted;
  return Verdict::undecided;
}

JudgedMachine judged_machine(const Machine& machine) {
  return {.kind = machine.cpu + " " + machine.arch,
          .hosted_mac = is_hosted_mac(machine.virtualised, machine.os)};
}

Steadiness steadiness(const Finding& finding) {
  if (!finding.claim.control || !finding.seen.at) return Steadiness::unknown;
  if (finding.verdict == Verdict::refuted) return Steadiness::moved;
  return finding.verdict == Verdict::held ? Steadiness::quiet : Steadiness::too_wide;
}

bool control_moved(const Finding& finding) { return steadiness(finding) == Steadiness::moved; }

Judgement judge_program(const Case& declared, std::span<const Row> rows,
                        const JudgedMachine& machine) {
  Cells all;
  std::map<std::string, int> runs;
  for (const Row& row : rows) {
    const int run = runs.try_emplace(row.run, static_cast<int>(runs.size())).first->second;
    all[{row.params, row.variant}].push_back({{run, row.round}, &row});
  }
  for (auto& [key, cell] : all) {
    std::stable_sort(cell.begin(), cell.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  Judgement judgement;
  for (const auto& [key, cell] : all) {
    judgement.cells.push_back(judge_cell(declared, all, key, cell));
  }
  Cells sound = std::move(all);
  for (const JudgedCell& cell : judgement.cells) {
    if (cell.status == kWrongOutput) sound.erase({cell.params, cell.variant});
  }
  for (const auto& [key, cell] : sound) {
    const Variant* variant = variant_of(declared, key.second);
    const auto baseline = sound.find({key.first, "baseline"});
    if (!variant || variant->role == Role::baseline || baseline == sound.end()) continue;
    judgement.ratios.push_back({key.second, key.first, variant->role,
                                time_ratio(baseline->second, cell),
                                rss_ratio(baseline->second, cell)});
  }
  find_exponents(declared, sound, judgement);
  judge_claims(declared, sound, machine, judgement);
  return judgement;
}

int exit_code(const Judgement& judgement) {
  const bool measured = std::any_of(judgement.cells.begin(), judgement.cells.end(),
                                    [](const JudgedCell& cell) { return cell.wall_s.rounds > 0; });
  if (!measured || std::any_of(judgement.cells.begin(), judgement.cells.end(), broken))
    return Exit::cannot_measure;
  const auto& findings = judgement.findings;
  if (std::any_of(findings.begin(), findings.end(), control_moved)) return Exit::control_moved;
  const bool expected = std::all_of(findings.begin(), findings.end(),
                                    [](const Finding& finding) { return finding.as_expected(); });
  return expected ? Exit::fine : Exit::unexpected;
}

}  // namespace cliffbench
