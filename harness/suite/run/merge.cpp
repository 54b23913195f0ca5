#include "harness/suite/run/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "harness/core/record/folder.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/record/row.hpp"
#include "harness/core/record/session.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/plan/row_check.hpp"
#include "harness/suite/plan/shard.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

using Texts = std::map<std::string, std::map<std::string, std::string>>;  // by file, by run

/// The files of one folder of a run. In a merged folder some may be in <run>/ already.
void read_kept(const fs::path& folder, const std::set<std::string>& runs, Texts& texts) {
  const auto add = [&](const fs::path& file, const std::string& run) {
    if (file.extension() == ".new") return;  // of a writer that was killed
    const std::string text = read_file(file);
    const auto [kept, added] = texts[file.filename().string()].try_emplace(run, text);
    if (added || kept->second == text) return;
    throw CannotMeasure(fmt::format("one run has two different files {} (one is {})",
                                    file.filename().string(), file.string()));
  };
  for (const auto& entry : entries_of(folder)) {
    const fs::path name = entry.path().filename();
    if (entry.is_directory()) {
      for (const auto& file : entries_of(entry.path())) add(file.path(), name.string());
      continue;
    }
    for (const std::string& run : runs) {
      const bool own = !run.empty() && is_there(folder / run / name);
      if (!own) add(entry.path(), run);
    }
  }
}

/// Keeps a file that is equal in all runs once, and any other once per run, in <run>/.
void write_kept(const fs::path& target, const char* part, const Texts& texts) {
  const fs::path folder = make_subfolder(target, part);
  for (const auto& [name, by_run] : texts) {
    const std::string& first = by_run.begin()->second;
    const bool equal =
        std::ranges::all_of(by_run, [&](const auto& kept) { return kept.second == first; });
    for (const auto& [run, text] : by_run) {
      write_file((equal ? folder : make_subfolder(folder, run)) / name, text);
      if (equal) break;
    }
  }
}

/// A row's place in the merged file, and its line.
struct RowLine {
  std::string_view run;  // a name in the set of runs
  int position;
  std::string text;
  friend auto operator<=>(const RowLine&, const RowLine&) = default;
};

/// Refuses a shard with sessions on two machines, and rows of one point from two.
class OneMachine {
 public:
  void read_sessions_of(const fs::path& source) {
    machines_.clear();
    for (const auto& [name, session] : read_sessions(source)) {
      const std::string& machine = session.machine.id;
      machines_[name] = machine;
      if (session.shard.count == 1) continue;
      const std::string shard = shard_text(session.shard);
      const auto [first, added] = machine_of_shard_.try_emplace(session.run + " " + shard, machine);
      if (added || first->second == machine) continue;
      throw CannotMeasure(fmt::format("shard {} in {} was measured on two machines, {} and {}",
                                      shard, source.string(), first->second, machine));
    }
  }
  void check(const Row& row) {
    const auto session = machines_.find(fmt::format("{}.{}", row.run, row.session));
    const std::string machine = session == machines_.end() ? "unknown" : session->second;
    const std::string point = row.run + '\n' + row.program + '\n' + point_text(row.params);
    const auto [first, added] = machine_of_point_.try_emplace(point, machine);
    if (added || first->second == machine) return;
    throw CannotMeasure(
        fmt::format("{} at {} was measured on two machines, {} and {}; leave out the rows of one",
                    row.program, point_text(row.params), first->second, machine));
  }

 private:
  std::map<std::string, std::string> machines_;  // by session, of one source
  std::map<std::string, std::string> machine_of_shard_;
  std::map<std::string, std::string> machine_of_point_;
};

/// The plan that all sources hold shards of, if there is one. Says why not when they are one run's.
std::optional<Plan> one_of(const std::vector<Plan>& plans, const std::string& missing_file) {
  const auto other_run = [&](const Plan& plan) { return plan.run != plans[0].run; };
  if (plans.empty() || std::ranges::any_of(plans, other_run)) return std::nullopt;
  if (plans.size() == 1 && missing_file.empty()) return plans[0];
  say("note: {}, so missing trials cannot be counted\n",
      missing_file.empty() ? "run " + plans[0].run + " has two different plans"
                           : missing_file + " is not there");
  return std::nullopt;
}

void write_rows(const fs::path& file, const std::vector<RowLine>& lines) {
  std::vector<std::string_view> parts;
  parts.reserve(2 * lines.size());
  for (const RowLine& line : lines) parts.insert(parts.end(), {line.text, "\n"});
  write_file(file, parts);
}

/// Sorts the lines by run and by place in the run, and removes repetitions.
void order(std::vector<RowLine>& lines) {
  std::ranges::sort(lines);
  const auto repeated = std::ranges::unique(lines);
  lines.erase(repeated.begin(), repeated.end());
  const auto twice = std::ranges::adjacent_find(
      lines, {}, [](const RowLine& line) { return std::pair(line.run, line.position); });
  if (twice == lines.end()) return;
  const Row row = parse_row(twice->text);
  const bool digests = row.digest != parse_row(std::next(twice)->text).digest;
  throw CannotMeasure(fmt::format("run {} has two different rows at position {}{}", row.run,
                                  row.position, digests ? ", with two digests" : ""));
}

}  // namespace

void merge_folders(const std::vector<fs::path>& folders, const fs::path& target) {
  require_no_link(target);
  if (is_there(rows_file(target))) {
    throw UserError(target.string() + " already holds rows; merge into a new folder");
  }
  std::vector<Plan> plans;  // the different ones, each extended to all shards
  std::string missing_file;
  OneMachine one_machine;
  std::set<std::string> all_runs;
  std::vector<RowLine> lines;
  std::vector<LeftOut> left_out;
  Texts sessions, programs, cases;
  for (const fs::path& folder : folders) {
    RowCheck check(folder);
    one_machine.read_sessions_of(folder);
    std::set<std::string> runs;
    for_each_checked_row(folder, check, left_out, [&](const Row& row, const std::string& line) {
      one_machine.check(row);
      runs.insert(row.run);
      lines.push_back({*all_runs.insert(row.run).first, row.position, line});
    });
    if (std::optional<Plan> plan = check.plan()) {
      plan->shard = {};
      if (std::ranges::find(plans, *plan) == plans.end()) plans.push_back(*plan);
    } else {
      missing_file = (folder / "plan.json").string();
    }
    read_kept(folder / "sessions", {""}, sessions);  // their names hold the run
    read_kept(folder / "programs", runs, programs);
    read_kept(folder / "cases", runs, cases);
  }
  const std::optional<Plan> plan = one_of(plans, missing_file);
  for (const LeftOut& one : left_out) say("note: {}\n", one.text);
  order(lines);
  write_kept(target, "sessions", sessions);
  write_kept(target, "programs", programs);
  write_kept(target, "cases", cases);
  if (plan) write_record(target / "plan.json", plan_json(*plan));
  write_rows(target / "rows.jsonl", lines);
  say("{} rows of {} folders in {}\n", lines.size(), folders.size(), target.string());
  if (plan) {
    const auto planned = static_cast<size_t>(trials_of(plan->cells));
    say("run {}: {} of {} planned trials{}\n", plan->run, lines.size(), planned,
        lines.size() < planned ? "; the others are missing" : "");
  }
}

}  // namespace cliffbench
