#include "harness/judge/judged_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace cliffbench {
namespace {

std::set<std::string> digests_of(const CellRows& rows) {
  std::set<std::string> digests;
  for (const auto& [round, row] : rows) {
    if (row->status == Status::ok) digests.insert(row->digest);
  }
  return digests;
}

/// A time that no clock shows is a failure.
Status status_of(const Row& row) {
  return row.status == Status::ok && !stage_of(row, "") ? Status::failed : row.status;
}

/// The word of a cell: its worst row's; and that row's reason.
void summarise_status(const CellRows& rows, JudgedCell& cell) {
  constexpr Status kWorstFirst[] = {Status::wrong,   Status::crash,   Status::oom, Status::failed,
                                    Status::timeout, Status::skipped, Status::ok};
  for (const Status status : kWorstFirst) {
    for (const auto& [round, row] : rows) {
      if (status_of(*row) != status) continue;
      cell.status = status == Status::wrong ? kWrongOutput : word(status);
      cell.reason = row->status == status
                        ? row->reason
                        : fmt::format("a time of {} s is impossible", row->wall_s.value_or(NAN));
      return;
    }
  }
}

/// Whether its output is right, as far as can be known: by the case's own check, and by the
/// digest of the variant that it promises to equal.
void check_output(const Case& declared, const Cells& cells, const CellRows& rows,
                  JudgedCell& cell) {
  if (cell.status == kWrongOutput) return;
  const std::set<std::string> own = digests_of(rows);
  cell.checked = own.empty() ? "nothing" : "oracle only";
  const Variant* variant = variant_of(declared, cell.variant);
  if (own.empty() || !variant || variant->equals.empty()) return;
  if (own.size() > 1) {
    cell.status = kWrongOutput;
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
    cell.status = kWrongOutput;
    cell.reason = "its output differs from that of " + variant->equals;
  }
}

}  // namespace

std::string status_text(const JudgedCell& cell) {
  return cell.status + (cell.reason.empty() ? "" : ": " + cell.reason);
}

bool broken(const JudgedCell& cell) {
  return cell.status != "ok" && cell.status != "timeout" && cell.status != "skipped";
}

const Variant* variant_of(const Case& declared, const std::string& name) {
  for (const Variant& variant : declared.variants) {
    if (variant.name == name) return &variant;
  }
  return nullptr;
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
  if (cell.status == kWrongOutput) return cell;
  const auto number = [](auto value) -> std::optional<Range> {
    if (!value) return std::nullopt;
    const auto exact = static_cast<double>(*value);
    return Range{exact, exact};
  };
  cell.wall_s = over_rounds(rows, [](const Row& row) { return stage_of(row, ""); });
  cell.cpu_s = over_rounds(rows, [&](const Row& row) { return number(row.cpu_s); });
  cell.rss_bytes = over_rounds(rows, [&](const Row& row) { return number(row.rss_bytes); });
  cell.page_faults = over_rounds(rows, [&](const Row& row) { return number(row.page_faults); });
  std::set<std::string> stages;
  for (const auto& [round, row] : rows) {
    for (const auto& [stage, seconds] : row->stages) stages.insert(stage);
  }
  for (const std::string& stage : stages) {
    cell.stages[stage] = over_rounds(rows, [&](const Row& row) { return stage_of(row, stage); });
  }
  return cell;
}

}  // namespace cliffbench
