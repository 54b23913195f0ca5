#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "harness/core/text/text.hpp"
#include "harness/suite/judge/observe.hpp"

namespace cliffbench {
namespace {

std::set<std::string> digests_of(const CellRows& rows) {
  std::set<std::string> digests;
  for (const auto& [round, row] : rows) {
    if (row->status == Status::ok) digests.insert(row->digest);
  }
  return digests;
}

/// Gives the cell the status of its worst row, and the reason of the first such row.
void summarise_status(const CellRows& rows, JudgedCell& cell) {
  const Row& worst = *std::ranges::max_element(rows, {}, [](const auto& row) {
                        return row.second->status;
                      })->second;
  cell.status = worst.status;
  cell.reason = worst.reason;
}

/// Whether its output is right, as far as can be known: by the case's own check, and by the
/// digest of the variant that it promises to equal.
void check_output(const Case& declared, const Cells& cells, const CellRows& rows,
                  JudgedCell& cell) {
  if (cell.status == Status::wrong) return;
  const auto wrong = [&](const std::string& reason) {
    cell.status = Status::wrong;
    cell.reason = "its output differs from " + reason;
  };
  const std::set<std::string> digests = digests_of(rows);
  cell.checked = digests.empty() ? "nothing" : "oracle only";
  const auto variant = named(declared.variants, cell.variant);
  if (digests.empty() || variant == declared.variants.end() || variant->equals.empty()) return;
  if (digests.size() > 1) return wrong("round to round");
  if (variant->equals == cell.variant) return;
  const auto reference = cells.find({cell.params, variant->equals});
  if (reference == cells.end()) return;
  const std::set<std::string> expected = digests_of(reference->second);
  if (expected.empty()) return;
  cell.checked = "digest";
  if (expected != digests) wrong("that of " + variant->equals);
}

void summarise_numbers(const CellRows& rows, JudgedCell& cell) {
  const auto number = [](auto value) {
    return value ? std::optional(exactly(static_cast<double>(*value))) : std::nullopt;
  };
  cell.wall_s = over_rounds(rows, [](const Row& row) { return stage_time(row, ""); });
  cell.cpu_s = over_rounds(rows, [&](const Row& row) { return number(row.cpu_s); });
  cell.rss_bytes = over_rounds(rows, [&](const Row& row) { return number(row.rss_bytes); });
  cell.page_faults = over_rounds(rows, [&](const Row& row) { return number(row.page_faults); });
  std::set<std::string> stages;
  for (const auto& [round, row] : rows) {
    for (const auto& [stage, seconds] : row->stages) stages.insert(stage);
  }
  for (const std::string& stage : stages) {
    cell.stages[stage] = over_rounds(rows, [&](const Row& row) { return stage_time(row, stage); });
  }
}

/// "0.13", "4", "116", "305901"
std::string plain(double count) {
  return count >= 100 || count == std::floor(count) ? fmt::format("{:.0f}", count)
                                                    : three_digits(count);
}

/// "baseline 116 page faults a call, control 4", where both have the same output and the counts
/// differ: intervals apart, by more than a control's margin of a tenth, and page faults by so many
/// that at a microsecond each (an assumption: 1.8 were seen on one machine) they are 1 % of the
/// shorter time.
std::string counters_of(const JudgedCell& baseline, const JudgedCell& cell) {
  const auto differ = [](const Interval& one, const Interval& other) {
    if (!one.at || !other.at) return false;
    const auto [few, many] = std::minmax(one.median.lo, other.median.lo);
    return many > 1.1 * few && (one.at->hi < other.at->lo || other.at->hi < one.at->lo);
  };
  const auto said = [&](const std::string& before, const char* what, const std::string& after) {
    return fmt::format("baseline {} {}, {} {}", before, what, cell.variant, after);
  };
  std::vector<std::string> counters;
  const double faults = baseline.page_faults.median.lo;
  const double own_faults = cell.page_faults.median.lo;
  const double shorter_s = std::min(baseline.wall_s.median.lo, cell.wall_s.median.lo);
  if (differ(baseline.page_faults, cell.page_faults) &&
      std::fabs(faults - own_faults) * 1e-6 > 0.01 * shorter_s) {
    counters.push_back(said(plain(faults), "page faults a call", plain(own_faults)));
  }
  const double bytes = baseline.rss_bytes.median.lo;
  if (differ(baseline.rss_bytes, cell.rss_bytes)) {
    counters.push_back(said(byte_size(bytes), "of memory", byte_size(cell.rss_bytes.median.lo)));
  }
  return joined(counters, "; ");
}

JudgedCell judge_cell(const Case& declared, const Cells& cells, const CellKey& key,
                      const CellRows& rows) {
  JudgedCell cell{.variant = key.second, .params = key.first};
  for (const auto& [round, row] : rows) {
    ++cell.counts[word(row->status)];
    cell.limit_s = std::max(cell.limit_s, row->limit_s);
  }
  summarise_status(rows, cell);
  check_output(declared, cells, rows, cell);
  if (cell.status != Status::wrong) summarise_numbers(rows, cell);
  return cell;
}

}  // namespace

std::vector<JudgedCell> judge_cells(const Case& declared, const Cells& cells) {
  std::vector<JudgedCell> judged;
  for (const auto& [key, rows] : cells) {
    judged.push_back(judge_cell(declared, cells, key, rows));
  }
  const auto comparable = [&](const JudgedCell* cell) {
    return cell && cell->status != Status::wrong;
  };
  for (JudgedCell& cell : judged) {
    const auto variant = named(declared.variants, cell.variant);
    if (variant == declared.variants.end() || variant->role == Role::baseline) continue;
    if (!comparable(&cell) || !comparable(cell_at(judged, cell.params, "baseline"))) continue;
    const CellRows& rows = cells.at({cell.params, cell.variant});
    const CellRows& baseline = cells.at({cell.params, "baseline"});
    cell.with_baseline = {variant->role, time_ratio(baseline, rows), memory_ratio(baseline, rows)};
    const std::set<std::string> digests = digests_of(rows);
    if (digests.empty() || digests != digests_of(baseline)) continue;
    cell.with_baseline->counters = counters_of(*cell_at(judged, cell.params, "baseline"), cell);
  }
  return judged;
}

std::string word_of_cell(Status status) {
  return status == Status::wrong ? "wrong_output" : word(status);
}

std::string status_text(const JudgedCell& cell) {
  return word_of_cell(cell.status) + (cell.reason.empty() ? "" : ": " + cell.reason);
}

const JudgedCell* cell_at(const std::vector<JudgedCell>& cells, const Params& point,
                          const std::string& variant) {
  const auto key = std::tie(point, variant);
  const auto key_of = [](const JudgedCell& cell) { return std::tie(cell.params, cell.variant); };
  const auto place = std::lower_bound(
      cells.begin(), cells.end(), key,
      [&](const JudgedCell& cell, const auto& wanted) { return key_of(cell) < wanted; });
  return place != cells.end() && key_of(*place) == key ? &*place : nullptr;
}

}  // namespace cliffbench
