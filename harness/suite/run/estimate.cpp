#include "harness/suite/run/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "harness/core/record/folder.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/plan/shard.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

using Name = std::pair<std::string, std::string>;  // program, cell

/// The rows files of the runs below `folder` that measured one of the plan's programs, newest
/// first.
std::vector<std::pair<fs::file_time_type, fs::path>> rows_under(const fs::path& folder,
                                                                const Plan& plan) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    fs::path rows = entry.path() / "rows.jsonl";
    if (!fs::exists(rows, failed)) rows += ".gz";  // of a published run
    if (entry.is_symlink(failed) || !fs::is_regular_file(rows, failed)) continue;
    const bool ours = std::ranges::any_of(plan.programs, [&](const auto& program) {
      return fs::exists(entry.path() / "programs" / (program.first + ".json"), failed);
    });
    if (ours) files.emplace_back(fs::last_write_time(rows, failed), rows);
  }
  std::ranges::sort(files, std::greater());
  return files;
}

/// The mean seconds of the wanted cells' trials in one run; nothing where it cannot be read.
std::map<Name, double> costs_in(const fs::path& rows, const std::map<Name, size_t>& wanted) {
  std::map<Name, double> costs;  // the sum at first
  std::map<Name, int> trials;
  std::vector<LeftOut> ignored;
  try {
    for_each_row(rows, ignored, [&](const Row& row, const std::string&) {
      const Name name{row.program, row.name};
      const bool measured = row.status == Status::ok || row.status == Status::timeout;
      if (!measured || !wanted.contains(name)) return;
      ++trials[name];
      costs[name] += row.process_s;
    });
  } catch (const CannotMeasure&) {
    return {};
  }
  for (auto& [name, seconds] : costs) seconds /= trials[name];
  return costs;
}

}  // namespace

Costs costs_before(const Plan& plan) {
  constexpr size_t kMostRuns = 8;  // of those on this machine: rows are read in microseconds each
  Costs costs(plan.cells.size());
  std::map<Name, size_t> unknown;
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    unknown[{plan.cells[i].program, plan.cells[i].name}] = i;
  }
  auto files = rows_under("results/local", plan);
  if (files.size() > kMostRuns) files.resize(kMostRuns);
  const auto published = rows_under("results/published", plan);
  files.insert(files.end(), published.begin(), published.end());
  for (const auto& [time, file] : files) {
    if (unknown.empty()) break;
    for (const auto& [name, cost] : costs_in(file, unknown)) {
      costs[unknown[name]] = cost;
      unknown.erase(name);
    }
  }
  return costs;
}

double expected_s(const Cell& cell, double trial_s, int trials) {
  if (trials == 0) return 0;
  const bool stopped = trial_s > cell.limit_s;
  if (!stopped) return trial_s * trials;
  return cell.every_round ? cell.limit_s * trials : cell.limit_s;
}

Estimate estimate(const Plan& plan, const std::vector<Slot>& slots, const Costs& costs) {
  Estimate total;
  total.trials = slots.size();
  std::vector<int> trials(plan.cells.size());
  for (const Slot& slot : slots) ++trials[slot.cell];
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    if (trials[i] == 0) continue;
    ++total.cells;
    if (!costs[i]) {
      total.unknown_trials += static_cast<size_t>(trials[i]);
      continue;
    }
    total.wall_s += expected_s(plan.cells[i], *costs[i], trials[i]);
  }
  return total;
}

std::string estimate_text(const Plan& plan, const Estimate& total) {
  std::string text = fmt::format("{} cells, {} trials", total.cells, total.trials);
  if (plan.shard.count > 1) text = fmt::format("shard {}: {}", shard_text(plan.shard), text);
  if (total.unknown_trials < total.trials) {
    text += fmt::format(", about {} by earlier runs", clock_time(total.wall_s));
  }
  if (total.unknown_trials == total.trials) {
    text += "; how long they take is unknown";
  } else if (total.unknown_trials) {
    text += fmt::format(", and {} trials never measured before", total.unknown_trials);
  }
  return text;
}

}  // namespace cliffbench
