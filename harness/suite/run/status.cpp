#include "harness/suite/run/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/record/folder.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/plan/row_check.hpp"
#include "harness/suite/plan/shard.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

struct RunStatus {
  std::string run;
  Shard shard;
  size_t done = 0;
  size_t planned = 0;
  size_t whole_plan = 0;  // trials of all shards
  size_t damaged = 0;
  std::map<std::string, int> failures;
  bool measuring = false;
};

RunStatus read_status(const fs::path& folder) {
  RowCheck check(folder);
  const Plan& plan = *check.plan();
  std::vector<LeftOut> left_out;
  RunStatus status{.run = plan.run, .shard = plan.shard};
  if (is_there(rows_file(folder))) {
    for_each_checked_row(folder, check, left_out, [&](const Row& row, const std::string&) {
      const bool failed = row.status != Status::ok && row.status != Status::skipped;
      if (failed) ++status.failures[word(row.status)];
      ++status.done;
    });
  }
  status.planned = static_cast<size_t>(check.planned());
  status.whole_plan = static_cast<size_t>(trials_of(plan.cells));
  status.damaged = left_out.size();
  status.measuring = in_use(folder / "rows.jsonl");
  return status;
}

std::string share_text(size_t done, size_t planned) {
  return fmt::format("{} of {} trials ({} %)", done, planned, planned ? 100 * done / planned : 100);
}

std::string line_of(const fs::path& folder, const RunStatus& status) {
  std::string line = fmt::format("{}: run {}", folder.string(), status.run);
  if (status.shard.count > 1) line += " shard " + shard_text(status.shard);
  line += ", " + share_text(status.done, status.planned);
  for (const auto& [failure, count] : status.failures)
    line += fmt::format(", {} {}", count, failure);
  if (status.damaged) line += ", " + counted(status.damaged, "line") + " left out";
  if (status.done < status.planned) line += status.measuring ? ", running" : ", not running";
  return line + "\n";
}

}  // namespace

std::string run_status_text(const fs::path& folder) {
  if (is_there(folder / "plan.json")) return line_of(folder, read_status(folder));
  std::set<fs::path> runs;
  for (const auto& entry : entries_of(fs::weakly_canonical(folder))) {
    if (is_there(entry.path() / "plan.json")) runs.insert(folder / entry.path().filename());
  }
  if (runs.empty()) throw UserError(folder.string() + " holds no run (a folder with a plan.json)");
  std::string text;
  std::map<std::string, RunStatus> plans;  // all shards of one plan as one
  for (const fs::path& run : runs) {
    try {
      const RunStatus status = read_status(run);
      text += line_of(run, status);
      if (status.shard.count == 1) continue;
      RunStatus& all = plans[status.run];
      all.done += status.done;
      all.whole_plan = status.whole_plan;
    } catch (const CannotMeasure& error) {  // damaged
      text += fmt::format("{}: {}\n", run.string(), error.what());
    }
  }
  for (const auto& [run, all] : plans) {
    text += fmt::format("run {}: {}\n", run, share_text(all.done, all.whole_plan));
  }
  return text;
}

}  // namespace cliffbench
