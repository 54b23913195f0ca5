#include "harness/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "harness/plan.hpp"
#include "harness/text.hpp"

namespace cliffbench {
namespace {

constexpr double kOpen = std::numeric_limits<double>::infinity();

using Key = std::pair<Params, std::string>;         // point, variant
using RoundKey = std::pair<std::string_view, int>;  // run, round
using CellRows = std::map<RoundKey, const Row*>;

/// The rows by cell, without those of cells whose output is wrong.
using Cells = std::map<Key, CellRows>;

/// Time of a row's timed region; nothing when it says nothing about it.
std::optional<Range> wall_of(const Row& row) {
  if (row.status == Status::ok) return Range{*row.wall_s, *row.wall_s};
  if (row.status == Status::timeout) return Range{row.limit_s, kOpen};
  return std::nullopt;
}

std::optional<Range> stage_of(const Row& row, const std::string& stage) {
  if (stage.empty()) return wall_of(row);
  const auto found = row.stages.find(stage);
  if (row.status != Status::ok || found == row.stages.end()) return std::nullopt;
  return Range{found->second, found->second};
}

std::optional<Range> ratio_of(const Row& slow, const Row& fast, const std::string& stage) {
  const auto above = stage_of(slow, stage);
  const auto below = stage_of(fast, stage);
  if (!above || !below || (!above->exact() && !below->exact())) return std::nullopt;
  if (below->lo <= 0) return std::nullopt;
  return Range{std::isinf(below->hi) ? 0 : above->lo / below->hi, above->hi / below->lo};
}

std::optional<Range> time_ratio_of(const Row& slow, const Row& fast) {
  return ratio_of(slow, fast, "");
}

std::optional<Range> rss_ratio_of(const Row& slow, const Row& fast) {
  if (!slow.rss_bytes || !fast.rss_bytes || *fast.rss_bytes <= 0) return std::nullopt;
  const double ratio = static_cast<double>(*slow.rss_bytes) / static_cast<double>(*fast.rss_bytes);
  return Range{ratio, ratio};
}

std::optional<Range> share_of(const Row& row, const std::string& stage) {
  const auto part = stage_of(row, stage);
  if (!part || row.status != Status::ok || *row.wall_s <= 0) return std::nullopt;
  return Range{part->lo / *row.wall_s, part->lo / *row.wall_s};
}

template <typename Observe>
Interval over_rounds(const CellRows& rows, const Observe& observe) {
  std::vector<Range> observations;
  for (const auto& [round, row] : rows) {
    if (const auto seen = observe(*row)) observations.push_back(*seen);
  }
  return median_interval(observations);
}

/// Paired by round, on the logarithm: the median of an even number of rounds is then the geometric
/// mean of the middle two, and 1/r of the mirrored comparison is exactly the mirrored result.
template <typename Observe>
Interval over_pairs(const CellRows& slow, const CellRows& fast, const Observe& observe) {
  std::vector<Range> logs;
  for (const auto& [round, row] : fast) {
    const auto partner = slow.find(round);
    if (partner == slow.end()) continue;
    if (const auto seen = observe(*partner->second, *row)) {
      logs.push_back({std::log(seen->lo), seen->exact() ? std::log(seen->lo) : std::log(seen->hi)});
    }
  }
  Interval result = median_interval(logs);
  result.median = {std::exp(result.median.lo), std::exp(result.median.hi)};
  if (result.at) result.at = Range{std::exp(result.at->lo), std::exp(result.at->hi)};
  return result;
}

/// 1 for each round in which the digests are equal, 0 for the others.
Interval agreement(const CellRows& one, const CellRows& other) {
  std::vector<Range> equal;
  for (const auto& [round, row] : other) {
    const auto partner = one.find(round);
    if (partner == one.end()) continue;
    if (row->status != Status::ok || partner->second->status != Status::ok) continue;
    const double same = row->digest == partner->second->digest;
    equal.push_back({same, same});
  }
  return median_interval(equal);
}

std::set<std::string> digests_of(const CellRows& rows) {
  std::set<std::string> digests;
  for (const auto& [round, row] : rows) {
    if (row->status == Status::ok) digests.insert(row->digest);
  }
  return digests;
}

const Variant* variant_of(const Case& declared, const std::string& name) {
  for (const Variant& variant : declared.variants) {
    if (variant.name == name) return &variant;
  }
  return nullptr;
}

/// The word of a cell: its worst row's; and that row's reason.
void summarise_status(const CellRows& rows, JudgedCell& cell) {
  constexpr Status kWorstFirst[] = {Status::crash,   Status::oom,     Status::failed,
                                    Status::timeout, Status::skipped, Status::ok};
  for (const Status status : kWorstFirst) {
    for (const auto& [round, row] : rows) {
      if (row->status != status) continue;
      cell.status = word(status);
      cell.reason = row->reason;
      return;
    }
  }
}

/// Whether its output is right, as far as can be known: by the case's own check (a failed one
/// starts with "wrong: "), and by the digest of the variant that it promises to equal.
void check_output(const Case& declared, const Cells& cells, const CellRows& rows,
                  JudgedCell& cell) {
  for (const auto& [round, row] : rows) {
    if (row->reason.starts_with("wrong: ")) {
      cell.status = "wrong-output";
      cell.reason = row->reason.substr(7);
      return;
    }
  }
  const std::set<std::string> own = digests_of(rows);
  cell.checked = own.empty() ? "nothing" : "oracle only";
  const Variant* variant = variant_of(declared, cell.variant);
  if (own.empty() || !variant || variant->equals.empty()) return;
  if (own.size() > 1) {
    cell.status = "wrong-output";
    cell.reason = "its output differs from round to round";
    return;
  }
  if (variant->equals == cell.variant) return;
  const auto reference = cells.find({cell.params, variant->equals});
  const auto expected =
      reference == cells.end() ? std::set<std::string>() : digests_of(reference->second);
  if (expected.empty()) return;
  cell.checked = "digest";
  if (expected != own) {
    cell.status = "wrong-output";
    cell.reason = "its output differs from that of " + variant->equals;
  }
}

JudgedCell judge_cell(const Case& declared, const Cells& cells, const Key& key,
                      const CellRows& rows) {
  JudgedCell cell;
  cell.params = key.first;
  cell.variant = key.second;
  for (const auto& [round, row] : rows) {
    ++cell.counts[word(row->status)];
    cell.limit_s = std::max(cell.limit_s, row->limit_s);
  }
  summarise_status(rows, cell);
  check_output(declared, cells, rows, cell);
  if (cell.status == "wrong-output") return cell;
  const auto number = [](auto value) -> std::optional<Range> {
    if (!value) return std::nullopt;
    const auto exact = static_cast<double>(*value);
    return Range{exact, exact};
  };
  cell.wall_s = over_rounds(rows, wall_of);
  cell.cpu_s = over_rounds(rows, [&](const Row& row) { return number(row.cpu_s); });
  cell.rss_bytes = over_rounds(rows, [&](const Row& row) { return number(row.rss_bytes); });
  std::set<std::string> stages;
  for (const auto& [round, row] : rows) {
    for (const auto& [stage, seconds] : row->stages) stages.insert(stage);
  }
  for (const std::string& stage : stages) {
    cell.stages[stage] = over_rounds(rows, [&](const Row& row) { return stage_of(row, stage); });
  }
  return cell;
}

/// Lines of cells that differ in one axis only: {variant, other axes} -> {size -> rows}. Fewer than
/// four sizes give no exponent and make no line.
using Lines = std::map<std::pair<std::string, Params>, std::map<double, const CellRows*>>;

Lines lines_along(const Cells& cells, const Axis& axis) {
  Lines lines;
  for (const auto& [key, rows] : cells) {
    Params where = key.first;
    const auto value = where.find(axis.name);
    if (value == where.end()) continue;
    const auto size = size_of(axis, value->second);
    where.erase(value);
    if (size) lines[{key.second, where}][*size] = &rows;
  }
  std::erase_if(lines, [](const auto& line) { return line.second.size() < 4; });
  return lines;
}

/// One slope a round, of ln(time) over ln(size), then the median over rounds.
Interval exponent_of(const std::map<double, const CellRows*>& line, const std::string& stage) {
  std::map<RoundKey, std::vector<Point>> rounds;
  for (const auto& [size, rows] : line) {
    for (const auto& [round, row] : *rows) {
      const auto seen = stage_of(*row, stage);
      if (!seen || seen->lo <= 0) continue;
      rounds[round].push_back({std::log(size), {std::log(seen->lo), std::log(seen->hi)}});
    }
  }
  std::vector<Range> slopes;
  for (const auto& [round, points] : rounds) {
    if (const auto seen = slope(points)) slopes.push_back(*seen);
  }
  return median_interval(slopes);
}

/// The slope between each size and the next, of the rounds that have both.
std::vector<Interval> local_slopes(const std::map<double, const CellRows*>& line,
                                   const std::string& stage) {
  std::vector<Interval> slopes;
  for (auto small = line.begin(); std::next(small) != line.end(); ++small) {
    const auto large = std::next(small);
    const double distance = std::log(large->first / small->first);
    slopes.push_back(
        over_pairs(*large->second, *small->second, [&](const Row& after, const Row& before) {
          const auto hi = stage_of(after, stage);
          const auto lo = stage_of(before, stage);
          std::optional<Range> none;
          if (!hi || !lo || hi->lo <= 0 || lo->lo <= 0) return none;
          return std::optional<Range>(
              {std::log(hi->lo / lo->hi) / distance, std::log(hi->hi / lo->lo) / distance});
        }));
  }
  return slopes;
}

void find_exponents(const Case& declared, const Cells& cells, Judgement& judgement) {
  for (const Axis& axis : declared.axes) {
    for (const auto& [key, line] : lines_along(cells, axis)) {
      std::set<std::string> stages = {""};
      ExponentFinding found{key.first, axis.name, "", key.second, {}, {}, {}};
      for (const auto& [size, rows] : line) {
        found.sizes.push_back(size);
        for (const auto& [round, row] : *rows) {
          for (const auto& [stage, seconds] : row->stages) stages.insert(stage);
        }
      }
      for (const std::string& stage : stages) {
        found.of = stage;
        found.exponent = exponent_of(line, stage);
        found.local = local_slopes(line, stage);
        if (found.exponent.rounds) judgement.exponents.push_back(found);
      }
    }
  }
}

bool agrees(const Params& where, const Params& point) {
  return std::all_of(where.begin(), where.end(), [&](const auto& wanted) {
    const auto found = point.find(wanted.first);
    return found != point.end() && found->second == wanted.second;
  });
}

/// What the rows show of a claim's quantity, at each measured point that agrees with it.
std::map<Params, Interval> observe(const Case& declared, const Claim& claim, const Cells& cells) {
  std::map<Params, Interval> seen;
  if (claim.quantity == Quantity::exponent) {
    const auto axis = std::find_if(declared.axes.begin(), declared.axes.end(),
                                   [&](const Axis& known) { return known.name == claim.axis; });
    if (axis == declared.axes.end()) return seen;
    for (const auto& [key, line] : lines_along(cells, *axis)) {
      if (key.first != claim.variant || !agrees(claim.where, key.second)) continue;
      seen[key.second] = exponent_of(line, claim.of);
    }
    return seen;
  }
  for (const auto& [key, rows] : cells) {
    if (key.second != claim.variant || !agrees(claim.where, key.first)) continue;
    const auto other = cells.find({key.first, claim.against});
    if (compares(claim.quantity) && other == cells.end()) continue;
    Interval& interval = seen[key.first];
    switch (claim.quantity) {
      case Quantity::ratio:
        interval = over_pairs(other->second, rows, [&](const Row& slow, const Row& fast) {
          return ratio_of(slow, fast, claim.of);
        });
        break;
      case Quantity::memory:
        interval = over_pairs(other->second, rows, rss_ratio_of);
        break;
      case Quantity::time:
        interval = over_rounds(rows, [&](const Row& row) { return stage_of(row, claim.of); });
        break;
      case Quantity::share:
        interval = over_rounds(rows, [&](const Row& row) { return share_of(row, claim.of); });
        break;
      case Quantity::agreement:
        interval = agreement(other->second, rows);
        break;
      case Quantity::exponent:
        break;  // above: along a line, not at a point
    }
  }
  return seen;
}

std::string reason_of(const Claim& claim, const Interval& seen, Verdict verdict) {
  const std::string range = range_text(claim.range, claim.quantity);
  if (seen.rounds == 0) return "nothing comparable was measured";
  if (!seen.at && seen.stopped > 0) {
    return fmt::format("the bound of {} stopped rounds decides nothing, an interval needs 6",
                       seen.stopped);
  }
  if (!seen.at) return fmt::format("{} rounds give no interval, it needs 6", seen.rounds);
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

Finding finding_of(const Claim& claim, const Params& point, const Interval& seen,
                   const JudgedMachine& machine) {
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
    const bool elsewhere = machine.kind.find(claim.machine) == std::string::npos;
    const auto seen = elsewhere ? std::map<Params, Interval>() : observe(declared, claim, cells);
    if (seen.empty()) {
      Finding finding{claim, {}, {}, Verdict::undecided, ""};
      finding.reason =
          elsewhere ? fmt::format("it is claimed of {} only", claim.machine)
                    : fmt::format("this run did not measure {} at {}", claim.variant,
                                  claim.where.empty() ? "any size" : point_text(claim.where));
      judgement.findings.push_back(finding);
    }
    for (const auto& [point, interval] : seen) {
      judgement.findings.push_back(finding_of(claim, point, interval, machine));
    }
  }
  const auto moved =
      std::find_if(judgement.findings.begin(), judgement.findings.end(), control_moved);
  if (moved == judgement.findings.end()) return;
  for (Finding& finding : judgement.findings) {
    if (finding.claim.control || finding.verdict == Verdict::undecided) continue;
    finding.reason = fmt::format("would be {}, but the control {} moved", word(finding.verdict),
                                 moved->claim.id);
    finding.verdict = Verdict::unproven;
  }
}

/// The factor and the unit in which a quantity is shown.
std::pair<double, const char*> shown_as(Quantity quantity) {
  if (quantity == Quantity::share || quantity == Quantity::agreement) return {100, " %"};
  if (quantity == Quantity::time) return {1, " s"};
  return {1, quantity == Quantity::exponent ? "" : "x"};
}

}  // namespace

bool compares(Quantity quantity) {
  return quantity == Quantity::ratio || quantity == Quantity::memory ||
         quantity == Quantity::agreement;
}

Verdict decide(const Interval& seen, const Bounds& range) {
  if (!seen.at) return Verdict::undecided;
  if (seen.at->lo >= range.lo && seen.at->hi <= range.hi) return Verdict::held;
  if (seen.at->hi < range.lo || seen.at->lo > range.hi) return Verdict::refuted;
  return Verdict::undecided;
}

JudgedMachine judged_machine(const std::string& cpu, const std::string& arch,
                             const std::string& os, bool virtualised) {
  return {.kind = cpu + " " + arch, .hosted_mac = virtualised && os.starts_with("macOS")};
}

bool control_moved(const Finding& finding) {
  return finding.claim.control && finding.verdict == Verdict::refuted;
}

namespace {

Judgement judge_cells(const Case& declared, Cells all, const JudgedMachine& machine) {
  Judgement judgement;
  for (const auto& [key, cell_rows] : all) {
    judgement.cells.push_back(judge_cell(declared, all, key, cell_rows));
  }
  Cells sound = std::move(all);
  for (const JudgedCell& cell : judgement.cells) {
    if (cell.status == "wrong-output") sound.erase({cell.params, cell.variant});
  }
  for (const auto& [key, cell_rows] : sound) {
    const Variant* variant = variant_of(declared, key.second);
    const auto baseline = sound.find({key.first, "baseline"});
    if (!variant || variant->role == Role::baseline || baseline == sound.end()) continue;
    judgement.ratios.push_back({key.second, key.first, variant->role,
                                over_pairs(baseline->second, cell_rows, time_ratio_of),
                                over_pairs(baseline->second, cell_rows, rss_ratio_of)});
  }
  find_exponents(declared, sound, judgement);
  judge_claims(declared, sound, machine, judgement);
  return judgement;
}

}  // namespace

Judgement judge_program(const Case& declared, std::span<const Row> rows,
                        const JudgedMachine& machine) {
  Cells cells;
  for (const Row& row : rows) cells[{row.params, row.variant}][{row.run, row.round}] = &row;
  return judge_cells(declared, std::move(cells), machine);
}

Judgement judge_rows_by_cell(const Case& declared, const RowsByCell& rows,
                             const JudgedMachine& machine) {
  Cells cells;
  for (const auto& [key, own] : rows) {
    CellRows& cell = cells.emplace_hint(cells.end(), key, CellRows())->second;
    for (const Row& row : own) cell[{row.run, row.round}] = &row;
  }
  return judge_cells(declared, std::move(cells), machine);
}

int exit_code(const Judgement& judgement) {
  const auto broken = [](const JudgedCell& cell) {
    return cell.status != "ok" && cell.status != "timeout" && cell.status != "skipped";
  };
  const bool measured = std::any_of(judgement.cells.begin(), judgement.cells.end(),
                                    [](const JudgedCell& cell) { return cell.wall_s.rounds > 0; });
  if (!measured || std::any_of(judgement.cells.begin(), judgement.cells.end(), broken)) return 13;
  const auto& findings = judgement.findings;
  if (std::any_of(findings.begin(), findings.end(), control_moved)) return 14;
  const bool expected = std::all_of(findings.begin(), findings.end(),
                                    [](const Finding& finding) { return finding.as_expected(); });
  return expected ? 0 : 11;
}

std::string interval_text(const Interval& seen, Quantity quantity) {
  if (seen.rounds == 0) return "-";
  const auto [scale, unit] = shown_as(quantity);
  const auto number = [by = scale](double value) { return three_digits(value * by); };
  if (std::isinf(seen.median.hi)) {
    return fmt::format(">= {}{} ({} stopped run{})", number(seen.at ? seen.at->lo : seen.median.lo),
                       unit, seen.stopped, seen.stopped == 1 ? "" : "s");
  }
  if (seen.stopped && seen.median.lo == 0) {
    return fmt::format("<= {}{} ({} stopped run{})", number(seen.at ? seen.at->hi : seen.median.hi),
                       unit, seen.stopped, seen.stopped == 1 ? "" : "s");
  }
  if (!seen.at) return fmt::format("{}{}", number(seen.median.lo), unit);
  return fmt::format("{}{} [{}, {}]", number(seen.median.lo), unit, number(seen.at->lo),
                     std::isinf(seen.at->hi) ? "open" : number(seen.at->hi));
}

std::string range_text(const Bounds& range, Quantity quantity) {
  const auto [scale, unit] = shown_as(quantity);
  const auto number = [by = scale](double value) {
    return fmt::format("{:g}", std::stod(three_digits(value * by)));
  };
  if (std::isinf(range.hi)) return fmt::format(">= {}{}", number(range.lo), unit);
  if (scale == 100 && range.hi >= 1) return fmt::format(">= {}{}", number(range.lo), unit);
  if (range.lo <= 0) return fmt::format("<= {}{}", number(range.hi), unit);
  return fmt::format("{} to {}{}", number(range.lo), number(range.hi), unit);
}

}  // namespace cliffbench
