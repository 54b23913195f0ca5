#include "harness/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/folder.hpp"
#include "harness/row.hpp"
#include "harness/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// One commit built on two machines declares the same, with another compiler, flags and library: the
/// second's are kept beside the first's. False when the declarations differ otherwise.
bool merge_declaration(nlohmann::json& known, const nlohmann::json& other) {
  using Json = nlohmann::json;
  const auto commit = "/build/commit"_json_pointer;
  Json first = known, second = other, built;
  if (first.value(commit, "") != second.value(commit, "")) return false;
  first.erase("others");
  second.erase("others");
  for (const char* key : {"build", "subject"}) {
    built[key] = second.value(key, Json());
    first.erase(key);
    second.erase(key);
  }
  if (first != second) return false;
  if (known.value("build", Json()) == built["build"] && known.value("subject", Json()) == built["subject"]) return true;
  Json& others = known["others"];
  if (std::find(others.begin(), others.end(), built) == others.end()) others.push_back(built);
  return true;
}

/// Copies the .json files of one folder of a run, refusing a different one of the same name.
void merge_json(const fs::path& source, const fs::path& target, const char* name) {
  make_folder(target / name);
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(source / name, missing)) {
    const fs::path copy = target / name / entry.path().filename();
    std::string text = read_file(entry.path());
    if (fs::exists(copy) && read_file(copy) != text) {
      if (std::string_view(name) == "programs") {
        nlohmann::json known = read_json(copy);
        if (merge_declaration(known, read_json(entry.path()))) {
          write_file(copy, known.dump(1) + "\n");
          continue;
        }
      }
      throw CannotMeasure(fmt::format("{} and {} differ; only runs of the same commit can be merged",
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
