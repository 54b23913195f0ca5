#include "harness/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "harness/folder.hpp"
#include "harness/prepare.hpp"
#include "harness/row.hpp"
#include "harness/shard.hpp"
#include "harness/text.hpp"

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
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.is_directory()) {
      const std::string run = entry.path().filename().string();
      for (const auto& file : fs::directory_iterator(entry.path())) add(file.path(), run);
    }
  }
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.is_directory()) continue;
    for (const std::string& run : runs) {
      const bool own = !run.empty() && fs::exists(folder / run / entry.path().filename());
      if (!own) add(entry.path(), run);
    }
  }
}

/// A file that is equal in all runs is kept once, another once a run, in <run>/.
void write_kept(const fs::path& folder, const Texts& texts) {
  make_folder(folder);
  for (const auto& [name, by_run] : texts) {
    const std::string& first = by_run.begin()->second;
    const bool equal = std::all_of(by_run.begin(), by_run.end(),
                                   [&](const auto& kept) { return kept.second == first; });
    if (equal) write_file(folder / name, first);
    for (const auto& [run, text] : by_run) {
      if (equal) continue;
      make_folder(folder / run);
      write_file(folder / run / name, text);
    }
  }
}

/// Where a row stands in the merged file, and its line.
struct Line {
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
      const std::string machine = session.value("/machine/id"_json_pointer, "unknown");
      machines_[name] = machine;
      const auto parts = session.find("shard");
      if (parts == session.end() || parts->dump() == "[1,1]") continue;
      const std::string shard = parts->dump();  // "[2,4]"
      const std::string run = name.substr(0, name.rfind('.'));
      const auto [found, added] = machine_of_shard_.try_emplace(run + shard, machine);
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
        fmt::format("{} at {} was measured on two machines, {} and {}; leave the rows of one out",
                    row.program, point_text(row.params), found->second, machine));
  }

 private:
  std::map<std::string, std::string> machines_;  // by session, of one source
  std::map<std::string, std::string> machine_of_shard_;
  std::map<std::string, std::string> machine_of_point_;
};

/// The one plan of which all sources hold a part, as far as these make it up.
std::optional<Plan> plan_of_all(const std::vector<fs::path>& sources) {
  std::vector<Plan> parts;
  std::string without;
  for (const fs::path& source : sources) {
    try {
      parts.push_back(read_plan(source / "plan.json"));
    } catch (const CannotMeasure& error) {
      without = error.what();
    }
  }
  const auto plan = without.empty() ? joined_parts(parts) : std::nullopt;
  std::set<std::string> runs;
  for (const Plan& part : parts) runs.insert(part.run);
  if (!plan && without.empty() && runs.size() == 1)
    without = "run " + *runs.begin() + " has two different plans";
  if (!plan && !without.empty() && !parts.empty())
    fmt::print("note: {}; which trials are missing is not known\n", without);
  return plan;
}

/// All rows of the sources, each once, in the order of their runs and of their places in them;
/// `keep` is called with each source and the runs that it has rows of.
std::vector<Line> merged_lines(
    const std::vector<fs::path>& sources,
    const std::function<void(const fs::path&, const std::set<std::string>&)>& keep) {
  std::map<std::string, size_t> runs;
  OneMachine one_machine;
  std::vector<Line> lines;
  for (const fs::path& source : sources) {
    std::vector<LeftOut> left_out;
    one_machine.read_sessions_of(source);
    std::set<std::string> own;
    for_each_row(source / "rows.jsonl", left_out, [&](const Row& row, const std::string& line) {
      one_machine.check(row);
      const size_t run = runs.try_emplace(row.run, runs.size()).first->second;
      own.insert(row.run);
      lines.push_back({run, row.position, line});
    });
    for (const LeftOut& one : left_out) fmt::print("note: {}\n", one.text);
    keep(source, own);
  }
  std::vector<size_t> rank(runs.size());  // of the runs, by name
  size_t next = 0;
  for (const auto& [run, number] : runs) rank[number] = next++;
  std::stable_sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) {
    return std::pair(rank[a.run], a.position) < std::pair(rank[b.run], b.position);
  });
  const auto same_place = [](const Line& a, const Line& b) {
    return a.run == b.run && a.position == b.position;
  };
  const auto same = [&](const Line& a, const Line& b) {
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

void merge_folders(const std::vector<fs::path>& sources, const fs::path& target) {
  if (fs::exists(target / "rows.jsonl")) {
    throw UserError(target.string() + " holds rows already; merge into a new folder");
  }
  const std::optional<Plan> plan = plan_of_all(sources);
  Texts sessions, programs, cases;
  const auto keep = [&](const fs::path& source, const std::set<std::string>& runs) {
    read_kept(source / "sessions", {""}, sessions);  // their names hold the run
    read_kept(source / "programs", runs, programs);
    read_kept(source / "cases", runs, cases);
  };
  const std::vector<Line> lines = merged_lines(sources, keep);
  write_kept(target / "sessions", sessions);
  write_kept(target / "programs", programs);
  write_kept(target / "cases", cases);
  if (plan) write_file(target / "plan.json", plan_json(*plan).dump(1) + "\n");
  write_lines(target / "rows.jsonl", lines.size(), [&](size_t i) { return lines[i].text; });
  fmt::print("{} rows of {} folders in {}\n", lines.size(), sources.size(), target.string());
  if (plan) {
    const auto planned = static_cast<size_t>(plan->trials);
    fmt::print("run {}: {} of {} planned trials{}\n", plan->run, lines.size(), planned,
               lines.size() < planned ? "; the others are missing" : "");
  }
}

}  // namespace cliffbench
