#include "harness/run/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "harness/plan/shard.hpp"
#include "harness/record/folder.hpp"
#include "harness/record/record.hpp"
#include "harness/record/row.hpp"
#include "harness/record/row_check.hpp"
#include "harness/record/session.hpp"
#include "harness/text/terminal.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

using Texts = std::map<std::string, std::map<std::string, std::string>>;  // by file, by run

/// The files of one folder of a run. Those of a merged folder may lie in <run>/ already.
void read_kept(const fs::path& folder, const std::set<std::string>& runs, Texts& texts) {
  const auto add = [&](const fs::path& file, const std::string& run) {
    if (file.extension() == ".new") return;  // of a writer that was killed
    const std::string text = read_file(file);
    const auto [kept, added] = texts[file.filename().string()].try_emplace(run, text);
    if (added || kept->second == text) return;
    throw CannotMeasure(fmt::format("one run has two different files {} (one is {})",
                                    file.filename().string(), file.string()));
  };
  const auto entries = entries_of(folder);
  for (const auto& entry : entries) {
    if (!entry.is_directory()) continue;
    const std::string run = entry.path().filename().string();
    for (const auto& file : entries_of(entry.path())) add(file.path(), run);
  }
  for (const auto& entry : entries) {
    if (entry.is_directory()) continue;
    for (const std::string& run : runs) {
      const bool own = !run.empty() && is_there(folder / run / entry.path().filename());
      if (!own) add(entry.path(), run);
    }
  }
}

/// A file that is equal in all runs is kept once, another once a run, in <run>/.
void write_kept(const fs::path& target, const char* part, const Texts& texts) {
  const fs::path folder = make_subfolder(target, part);
  for (const auto& [name, by_run] : texts) {
    const std::string& first = by_run.begin()->second;
    const bool equal = std::all_of(by_run.begin(), by_run.end(),
                                   [&](const auto& kept) { return kept.second == first; });
    if (equal) write_file(folder / name, first);
    for (const auto& [run, text] : by_run) {
      if (equal) continue;
      write_file(make_subfolder(folder, run) / name, text);
    }
  }
}

/// Where a row stands in the merged file, and its line.
struct RowLine {
  size_t run;  // by number in the set of runs
  int position;
  std::string text;
};

/// Refuses a shard with sessions on two machines, and rows of one point from two.
class OneMachine {
 public:
  void read_sessions_of(const fs::path& source) {
    machines_.clear();
    for (const auto& [name, session] : read_sessions(source)) {
      const std::string& machine = session.machine_id;
      machines_[name] = machine;
      if (session.shard.count == 1) continue;
      const std::string shard = shard_text(session.shard);
      const auto [found, added] = machine_of_shard_.try_emplace(session.run + " " + shard, machine);
      if (added || found->second == machine) continue;
      throw CannotMeasure(fmt::format("shard {} in {} was measured on two machines, {} and {}",
                                      shard, source.string(), found->second, machine));
    }
  }
  void check(const Row& row) {
    const auto session = machines_.find(fmt::format("{}.{}", row.run, row.session));
    const std::string machine = session == machines_.end() ? "unknown" : session->second;
    const std::string point = row.run + '\n' + row.program + '\n' + point_text(row.params);
    const auto [found, added] = machine_of_point_.try_emplace(point, machine);
    if (added || found->second == machine) return;
    throw CannotMeasure(
        fmt::format("{} at {} was measured on two machines, {} and {}; leave out the rows of one",
                    row.program, point_text(row.params), found->second, machine));
  }

 private:
  std::map<std::string, std::string> machines_;  // by session, of one source
  std::map<std::string, std::string> machine_of_shard_;
  std::map<std::string, std::string> machine_of_point_;
};

/// A source and the plan of its rows, where it has one.
struct Source {
  fs::path folder;
  std::optional<Plan> plan;
};

std::vector<Source> with_plans(const std::vector<fs::path>& folders) {
  std::vector<Source> sources;
  for (const fs::path& folder : folders) {
    Source& source = sources.emplace_back(Source{folder, std::nullopt});
    if (is_there(folder / "plan.json")) source.plan = read_plan(folder / "plan.json");
  }
  return sources;
}

/// The one plan of which all sources hold shards. What keeps one run's from being one is said.
std::optional<Plan> plan_of_all(const std::vector<Source>& sources) {
  std::optional<Plan> plan;
  std::string trouble;
  bool one_run = true;
  for (const Source& source : sources) {
    if (!source.plan) {
      trouble = (source.folder / "plan.json").string() + " is not there";
      continue;
    }
    Plan own = *source.plan;
    own.shard = {};
    if (!plan) plan = own;
    one_run = one_run && own.run == plan->run;
    if (!trouble.empty() || plan_json(own) == plan_json(*plan)) continue;
    trouble = "run " + own.run + " has two different plans";
  }
  if (one_run && trouble.empty()) return plan;
  if (one_run && plan) {
    say("note: {}; it is not known which trials are missing\n", trouble);
  }
  return std::nullopt;
}

/// All rows of the sources, each once, in the order of their runs and of their places in them;
/// `keep` is called with each source and the runs that it has rows of.
std::vector<RowLine> merged_lines(
    std::vector<Source> sources,
    const std::function<void(const fs::path&, const std::set<std::string>&)>& keep) {
  std::map<std::string, size_t> runs;
  OneMachine one_machine;
  std::vector<RowLine> lines;
  for (Source& source : sources) {
    std::vector<LeftOut> left_out;
    one_machine.read_sessions_of(source.folder);
    std::set<std::string> own;
    RowCheck check(rows_file(source.folder), std::move(source.plan));
    for_each_checked_row(source.folder, check, left_out, [&](const Row& row, const auto& line) {
      one_machine.check(row);
      const size_t run = runs.try_emplace(row.run, runs.size()).first->second;
      own.insert(row.run);
      lines.push_back({run, row.position, line});
    });
    for (const LeftOut& one : left_out) say("note: {}\n", one.text);
    keep(source.folder, own);
  }
  std::vector<size_t> rank(runs.size());  // of the runs, by name
  size_t next = 0;
  for (const auto& [run, number] : runs) rank[number] = next++;
  std::stable_sort(lines.begin(), lines.end(), [&](const RowLine& a, const RowLine& b) {
    return std::pair(rank[a.run], a.position) < std::pair(rank[b.run], b.position);
  });
  const auto same_place = [](const RowLine& a, const RowLine& b) {
    return a.run == b.run && a.position == b.position;
  };
  const auto same = [&](const RowLine& a, const RowLine& b) {
    return same_place(a, b) && a.text == b.text;
  };
  lines.erase(std::unique(lines.begin(), lines.end(), same), lines.end());
  const auto twice = std::adjacent_find(lines.begin(), lines.end(), same_place);
  if (twice != lines.end()) {
    const Row row = parse_row(twice->text);
    const bool digests = row.digest != parse_row(std::next(twice)->text).digest;
    throw CannotMeasure(fmt::format("run {} has two different rows at position {}{}", row.run,
                                    row.position, digests ? ", with two digests" : ""));
  }
  return lines;
}

}  // namespace

void merge_folders(const std::vector<fs::path>& folders, const fs::path& target) {
  require_no_link(target);
  if (is_there(rows_file(target))) {
    throw UserError(target.string() + " already holds rows; merge into a new folder");
  }
  std::vector<Source> sources = with_plans(folders);
  const std::optional<Plan> plan = plan_of_all(sources);
  Texts sessions, programs, cases;
  const auto keep = [&](const fs::path& source, const std::set<std::string>& runs) {
    read_kept(source / "sessions", {""}, sessions);  // their names hold the run
    read_kept(source / "programs", runs, programs);
    read_kept(source / "cases", runs, cases);
  };
  const std::vector<RowLine> lines = merged_lines(std::move(sources), keep);
  write_kept(target, "sessions", sessions);
  write_kept(target, "programs", programs);
  write_kept(target, "cases", cases);
  if (plan) write_record(target / "plan.json", plan_json(*plan));
  write_lines(target / "rows.jsonl", lines.size(), [&](size_t i) { return lines[i].text; });
  say("{} rows of {} folders in {}\n", lines.size(), folders.size(), target.string());
  if (plan) {
    const auto planned = static_cast<size_t>(trials_of(plan->cells));
    say("run {}: {} of {} planned trials{}\n", plan->run, lines.size(), planned,
        lines.size() < planned ? "; the others are missing" : "");
  }
}

}  // namespace cliffbench
