#include "harness/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/folder.hpp"
#include "harness/row.hpp"
#include "harness/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

using Texts = std::map<std::string, std::map<std::string, std::string>>;  // by file, by run

/// The files of one folder of a run. Those of a merged folder may lie in <run>/ already.
void read_kept(const fs::path& folder, const std::set<std::string>& runs, Texts& texts) {
  const auto add = [&](const fs::path& file, const std::string& run) {
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

}  // namespace

void merge_folders(const std::vector<fs::path>& sources, const fs::path& target) {
  if (fs::exists(target / "rows.jsonl")) {
    throw UserError(target.string() + " holds rows already; merge into a new folder");
  }
  std::map<std::pair<std::string, int>, Row> rows;  // by run and place in it
  Texts sessions, programs, cases;
  for (const fs::path& source : sources) {
    std::vector<std::string> notices;
    std::set<std::string> runs;
    for (const Row& row : read_rows(source / "rows.jsonl", notices)) {
      runs.insert(row.run);
      const auto [found, added] = rows.try_emplace({row.run, row.position}, row);
      if (added || row_line(found->second) == row_line(row)) continue;
      const bool digests = found->second.digest != row.digest;
      throw CannotMeasure(
          fmt::format("run {} has two different rows at position {}{} (one is in {})", row.run,
                      row.position, digests ? ", with two digests" : "", source.string()));
    }
    for (const std::string& notice : notices) fmt::print("note: {}\n", notice);
    read_kept(source / "sessions", {""}, sessions);  // their names hold the run
    read_kept(source / "programs", runs, programs);
    read_kept(source / "cases", runs, cases);
  }
  write_kept(target / "sessions", sessions);
  write_kept(target / "programs", programs);
  write_kept(target / "cases", cases);
  std::string text;
  for (const auto& [key, row] : rows) text += row_line(row) + "\n";
  write_file(target / "rows.jsonl", text);
  fmt::print("{} rows of {} folders in {}\n", rows.size(), sources.size(), target.string());
}

}  // namespace cliffbench
