#include "harness/run/past_trials.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/record/folder.hpp"
#include "harness/record/row.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Name = std::pair<std::string, std::string>;  // program, cell

struct Seen {
  int trials = 0;
  double process_s = 0;
  double memory_mb = 0;
};

/// The files of rows in those folders of a folder that have one of the programs, the newest first.
std::vector<fs::path> rows_under(const fs::path& folder, const Plan& plan) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    fs::path rows = entry.path() / "rows.jsonl";
    if (!fs::exists(rows, failed)) rows += ".gz";  // of a published run
    if (entry.is_symlink(failed) || !fs::is_regular_file(rows, failed)) continue;
    const bool ours =
        std::any_of(plan.programs.begin(), plan.programs.end(), [&](const auto& program) {
          return fs::exists(entry.path() / "programs" / (program.first + ".json"), failed);
        });
    if (!ours) continue;
    files.emplace_back(fs::last_write_time(rows, failed), rows);
  }
  std::sort(files.rbegin(), files.rend());
  std::vector<fs::path> ordered;
  for (auto& [time, file] : files) ordered.push_back(std::move(file));
  return ordered;
}

std::map<Name, Seen> seen_in(const fs::path& rows, const std::map<Name, Cell*>& wanted) {
  std::map<Name, Seen> all;
  std::vector<LeftOut> ignored;
  try {
    for_each_row(rows, ignored, [&](const Row& row, const std::string&) {
      const Name name{row.program, row.name};
      const bool measured = row.status == Status::ok || row.status == Status::timeout;
      if (!measured || !wanted.contains(name)) return;
      Seen& seen = all[name];
      ++seen.trials;
      seen.process_s += row.process_s;
      seen.memory_mb = std::max(seen.memory_mb, static_cast<double>(row.process_rss_bytes) * 1e-6);
    });
  } catch (const CannotMeasure&) {
    return {};
  }
  return all;
}

}  // namespace

void expect_as_before(Plan& plan, const fs::path& results) {
  constexpr size_t kMostRuns = 8;  // of those on this machine: rows are read in microseconds each
  std::map<Name, Cell*> unknown;
  for (Cell& cell : plan.cells) {
    if (!cell.cost) unknown[{cell.program, cell.name}] = &cell;
  }
  std::vector<fs::path> files = rows_under(results / "local", plan);
  if (files.size() > kMostRuns) files.resize(kMostRuns);
  const std::vector<fs::path> published = rows_under(results / "published", plan);
  files.insert(files.end(), published.begin(), published.end());
  for (const fs::path& file : files) {
    if (unknown.empty()) return;
    for (const auto& [name, seen] : seen_in(file, unknown)) {
      unknown[name]->cost = Cost{seen.process_s / seen.trials, seen.memory_mb};
      unknown.erase(name);
    }
  }
}

}  // namespace cliffbench
