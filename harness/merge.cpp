#include "harness/merge.hpp"

#include <fmt/format.h>

#include <map>

#include "harness/folder.hpp"
#include "harness/row.hpp"
#include "harness/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// Copies the .json files of one folder of a run, refusing a different one of the same name.
void merge_json(const fs::path& source, const fs::path& target, const char* name) {
  make_folder(target / name);
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(source / name, missing)) {
    const fs::path copy = target / name / entry.path().filename();
    const std::string text = read_file(entry.path());
    if (fs::exists(copy) && read_file(copy) != text) {
      throw CannotMeasure(fmt::format("{} and {} differ; only runs of the same build can be merged",
                                      entry.path().string(), copy.string()));
    }
    write_file(copy, text);
  }
}

}  // namespace

void merge_folders(const std::vector<fs::path>& sources, const fs::path& target) {
  if (fs::exists(target / "rows.jsonl")) {
    throw UserError(target.string() + " holds rows already; merge into a new folder");
  }
  std::map<std::pair<std::string, int>, Row> rows;  // by run and place in it
  for (const fs::path& source : sources) {
    std::vector<std::string> notices;
    for (const Row& row : read_rows(source / "rows.jsonl", notices)) {
      const auto [found, added] = rows.try_emplace({row.run, row.position}, row);
      if (added || row_line(found->second) == row_line(row)) continue;
      throw CannotMeasure(fmt::format("run {} has two different rows at position {} (one is in {})",
                                      row.run, row.position, source.string()));
    }
    for (const std::string& notice : notices) fmt::print("note: {}\n", notice);
  }
  for (const fs::path& source : sources) {
    merge_json(source, target, "sessions");
    merge_json(source, target, "programs");
    merge_json(source, target, "cases");
  }
  std::string text;
  for (const auto& [key, row] : rows) text += row_line(row) + "\n";
  write_file(target / "rows.jsonl", text);
  fmt::print("{} rows of {} folders in {}\n", rows.size(), sources.size(), target.string());
}

}  // namespace cliffbench
