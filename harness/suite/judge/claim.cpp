#include "harness/suite/judge/claim.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/host/exact.hpp"
#include "harness/core/host/exit_code.hpp"
#include "harness/core/host/machine.hpp"
#include "harness/core/stats/interval.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/judge/observe.hpp"
#include "harness/suite/plan/plan.hpp"

namespace cliffbench {

template <>
inline constexpr auto kWords<Open> =
    std::to_array<Word<Open>>({{Open::no, "no"},
                               {Open::too_few_rounds, "too_few_rounds"},
                               {Open::across_bound, "across_bound"},
                               {Open::coarse_machine, "coarse_machine"},
                               {Open::control_moved, "control_moved"},
                               {Open::not_possible, "not_possible"},
                               {Open::other_machine, "other_machine"},
                               {Open::left_out, "left_out"}});

namespace {

std::string reason_of(const Claim& claim, const Interval& interval, Verdict verdict) {
  const std::string range = range_text(claim.range, claim.quantity);
  if (interval.rounds == 0) return "the run measured nothing that can be compared";
  if (!interval.at) {
    return interval.stopped
               ? fmt::format("{} a bound but no interval (6 are needed)",
                             counted(static_cast<size_t>(interval.stopped), "stopped round") +
                                 (interval.stopped == 1 ? " gives" : " give"))
               : fmt::format("{} no interval (6 are needed)",
                             counted(static_cast<size_t>(interval.rounds), "round") +
                                 (interval.rounds == 1 ? " gives" : " give"));
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

/// The first cell that a claim needs and that gave no time at `at`, which may leave axes open;
/// nullptr when there is none. `cells` are in the order of their keys.
const JudgedCell* hindrance(const Claim& claim, const Params& at,
                            const std::vector<JudgedCell>& cells) {
  const auto hinders = [&](const JudgedCell& cell) {
    const bool needed = cell.variant == claim.variant ||
                        (compares(claim.quantity) && cell.variant == claim.against);
    const bool timed = cell.status == Status::ok || cell.status == Status::timeout;
    return needed && !timed && agrees(at, cell.params);
  };
  // A whole point has few cells and is looked up: there may be 10^5 of them.
  const auto [first, last] = std::equal_range(
      cells.begin(), cells.end(), JudgedCell{.params = at},
      [](const JudgedCell& one, const JudgedCell& other) { return one.params < other.params; });
  const bool whole = first != last;
  const auto end = whole ? last : cells.end();
  const auto hindering = std::find_if(whole ? first : cells.begin(), end, hinders);
  return hindering == end ? nullptr : &*hindering;
}

std::string reason_of(const JudgedCell& hindering) {
  if (hindering.status == Status::skipped && !hindering.reason.empty()) return hindering.reason;
  return hindering.variant + " ended as " + status_text(hindering);
}

/// `point`: nullptr when none was measured.
Finding finding_of(const Claim& claim, const Params* point, const Interval& interval,
                   const JudgedMachine& machine, const std::vector<JudgedCell>& cells) {
  Finding finding{claim, point ? *point : Params(), interval};
  const JudgedCell* hindering =
      interval.rounds ? nullptr : hindrance(claim, point ? *point : claim.where, cells);
  if (hindering) {
    finding.verdict = Verdict::not_measured;
    finding.reason = reason_of(*hindering);
    finding.open = Open::not_possible;
  } else if (!point) {
    finding.verdict = Verdict::not_measured;
    finding.open = Open::left_out;
    finding.reason = fmt::format("this run did not measure {} at {}", claim.variant,
                                 claim.where.empty() ? "any size" : point_text(claim.where));
  } else if (machine.hosted_mac && !decidable_on_hosted_mac(claim)) {
    finding.open = Open::coarse_machine;
    finding.reason = "on a virtual Mac only claims of at least 2x are decided";
  } else {
    finding.verdict = decide(interval, range_on(machine, claim));
    if (!finding.decided()) finding.open = interval.at ? Open::across_bound : Open::too_few_rounds;
    finding.reason = reason_of(claim, interval, finding.verdict);
  }
  return finding;
}

/// By the other axes. A line without such a stage shows nothing.
std::map<Params, Interval> exponents_by_line(const Claim& claim,
                                             const std::vector<ExponentFinding>& exponents) {
  std::map<Params, Interval> observed;
  for (const ExponentFinding& line : exponents) {
    if (line.variant != claim.variant || line.axis != claim.axis) continue;
    if (!agrees(claim.where, line.where)) continue;
    Interval& exponent = observed[line.where];
    if (line.of == claim.of) exponent = line.exponent;
  }
  return observed;
}

/// A variant that is a control is judged wherever it was measured, wherever its case asks for it.
Claim everywhere(const Case& declared, Claim claim) {
  const auto variant = named(declared.variants, claim.variant);
  const bool is_role = variant != declared.variants.end() && variant->role == Role::control;
  if (claim.control && is_role && claim.quantity == Quantity::ratio) claim.where.clear();
  return claim;
}

/// Whether it moved is known when all controls of the run are (control.hpp).
void weigh_control(const Cells& sound, const Bounds& range, Finding& finding) {
  if (finding.verdict == Verdict::refuted) {
    finding.verdict = Verdict::undecided;
    finding.open = Open::across_bound;
  }
  const Range& seen = finding.interval.median;
  if (!finding.interval.at || (seen.hi >= range.lo && seen.lo <= range.hi)) return;
  finding.chance = chance_of_mean(log_ratios(finding.claim, finding.at, sound));
}

std::vector<Finding> judge_claim(const Claim& claim, const Cells& sound,
                                 const JudgedMachine& machine, const Judgement& judgement) {
  if (machine.kind.find(claim.machine) == std::string::npos) {
    const std::string reason = fmt::format("the claim is about {} only", claim.machine);
    return {{claim, {}, {}, Verdict::not_measured, Open::other_machine, reason}};
  }
  const auto observed = claim.quantity == Quantity::exponent
                            ? exponents_by_line(claim, judgement.exponents)
                            : seen_by_point(claim, sound);
  std::vector<Finding> findings;
  for (const auto& [point, interval] : observed) {
    findings.push_back(finding_of(claim, &point, interval, machine, judgement.cells));
    if (!claim.control || !findings.back().measured()) continue;
    weigh_control(sound, range_on(machine, claim), findings.back());
  }
  if (observed.empty()) findings = {finding_of(claim, nullptr, {}, machine, judgement.cells)};
  return findings;
}

Cells by_cell(std::span<const Row> rows) {
  Cells cells;
  std::map<std::string, int> runs;
  for (const Row& row : rows) {
    const int run = runs.try_emplace(row.run, static_cast<int>(runs.size())).first->second;
    cells[{row.params, row.variant}].push_back({{run, row.round}, &row});
  }
  for (auto& [key, cell] : cells) {
    std::stable_sort(cell.begin(), cell.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  return cells;
}

}  // namespace

Verdict decide(const Interval& interval, const Bounds& range) {
  if (!interval.at || !interval.at->known()) return Verdict::undecided;
  const auto& [lo, hi] = *interval.at;
  if (lo >= range.lo && hi <= range.hi) return Verdict::held;
  if (hi < range.lo || lo > range.hi) return Verdict::refuted;
  return Verdict::undecided;
}

JudgedMachine judged_machine(const Machine& machine) {
  return {.kind = machine.cpu + " " + machine.arch,
          .hosted_mac = is_hosted_mac(machine.virtualised, machine.os)};
}

Steadiness steadiness(const Finding& finding) {
  if (!finding.claim.control || !finding.interval.at) return Steadiness::unknown;
  if (finding.verdict == Verdict::refuted) return Steadiness::moved;
  return finding.verdict == Verdict::held ? Steadiness::within : Steadiness::too_wide;
}

std::string word(Open open) { return word_of(open); }

bool control_moved(const Finding& finding) { return steadiness(finding) == Steadiness::moved; }

Judgement judge_program(const Case& declared, std::span<const Row> rows,
                        const JudgedMachine& machine) {
  Cells cells = by_cell(rows);
  Judgement judgement{.cells = judge_cells(declared, cells)};
  for (const JudgedCell& cell : judgement.cells) {
    if (cell.status == Status::wrong) cells.erase({cell.params, cell.variant});
  }
  judgement.exponents = find_exponents(declared, cells);
  for (const Claim& claim : declared.claims) {
    for (Finding& finding : judge_claim(everywhere(declared, claim), cells, machine, judgement)) {
      judgement.findings.push_back(std::move(finding));
    }
  }
  std::erase_if(judgement.exponents,
                [](const ExponentFinding& finding) { return finding.exponent.rounds == 0; });
  return judgement;
}

int claims_exit_code(const Judgement& judgement) {
  const auto& [cells, exponents, findings] = judgement;
  const auto is_broken = [](const JudgedCell& cell) { return cell.is_broken(); };
  const bool measured = std::any_of(cells.begin(), cells.end(),
                                    [](const JudgedCell& cell) { return cell.wall_s.rounds > 0; });
  if (!measured || std::any_of(cells.begin(), cells.end(), is_broken)) return Exit::cannot_measure;
  if (std::any_of(findings.begin(), findings.end(), control_moved)) return Exit::control_moved;
  const bool expected = std::all_of(findings.begin(), findings.end(),
                                    [](const Finding& finding) { return finding.as_expected(); });
  return expected ? Exit::fine : Exit::unexpected;
}

}  // namespace cliffbench
