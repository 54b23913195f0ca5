#include "harness/gate/sides.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "harness/plan/plan.hpp"
#include "harness/program/identity.hpp"
#include "harness/program/program.hpp"
#include "harness/record/folder.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

using Names = std::unordered_set<std::string>;

/// Names that both sides have, in the head's order; what only one has is noted.
std::vector<std::string> in_both(const std::vector<std::string>& base,
                                 const std::vector<std::string>& head, const std::string& what,
                                 std::vector<std::string>& notes) {
  const Names of_base(base.begin(), base.end());
  const Names of_head(head.begin(), head.end());
  const auto only = [&](const auto& here, const Names& there, const char* side) {
    constexpr size_t kShown = 5;
    std::vector<std::string> shown;
    size_t count = 0;
    for (const auto& name : here) {
      if (!there.contains(name) && ++count <= kShown) shown.push_back(name);
    }
    if (count == 0) return;
    notes.push_back(fmt::format("only the {} has {}{}: {}{}", side, what, count == 1 ? "" : "s",
                                joined(shown), count > kShown ? "..." : ""));
  };
  only(base, of_head, "base");
  only(head, of_base, "head");
  std::vector<std::string> both;
  for (const auto& name : head) {
    if (of_base.contains(name)) both.push_back(name);
  }
  return both;
}

/// The folder of case programs of a build folder.
fs::path programs_of(const fs::path& folder) {
  for (const char* below : {"cases", "build/cases"}) {
    if (fs::is_directory(folder / below)) return folder / below;
  }
  return folder;
}

std::vector<std::string> keys(const std::map<std::string, fs::path>& programs) {
  std::vector<std::string> names;
  for (const auto& [name, path] : programs) names.push_back(name);
  return names;
}

/// The cells of a kit program's profile `gate`, else of `verify`. Empty for any other program, and
/// for one that declares neither.
std::set<std::string> chosen_by_profile(const fs::path& program, bool of_kit) {
  std::set<std::string> chosen;
  if (!of_kit) return chosen;
  for (const auto& [key, description] : describe_program(program)) {
    for (const char* profile : {"gate", "verify"}) {
      const auto cells = choose_cells(key, description, {.profile = profile});
      for (const Cell& cell : cells) chosen.insert(cell.name);
      if (!cells.empty()) break;
    }
  }
  return chosen;
}

void leave_out_duplicates(const Benchmarks& base, const Benchmarks& head,
                          std::vector<std::string>& names, std::vector<std::string>& notes) {
  Names several(base.duplicates.begin(), base.duplicates.end());
  several.insert(head.duplicates.begin(), head.duplicates.end());
  std::erase_if(names, [&](const std::string& name) {
    if (!several.contains(name)) return false;
    notes.push_back(name + " is the name of several benchmarks, so it is left out");
    return true;
  });
}

std::vector<ProgramPair> pair_programs(const fs::path& before, const fs::path& after,
                                       const fs::path& links, std::vector<std::string>& notes) {
  for (const fs::path& side : {before, after}) {
    if (!fs::exists(side)) throw UserError("there is no " + side.string());
    if (!fs::is_directory(side) && access(side.c_str(), X_OK) != 0) {
      throw UserError(side.string() + " is not executable; give a program or a build folder");
    }
  }
  if (fs::is_directory(before) != fs::is_directory(after)) {
    throw UserError("--base and --head must both be programs or both be build folders");
  }
  std::error_code ignored;
  fs::remove_all(links, ignored);
  make_folder(links);
  const fs::path base = fs::canonical(before);
  const fs::path head = fs::canonical(after);
  if (fs::is_directory(base)) {
    const auto old_ones = find_programs(programs_of(base));
    const auto new_ones = find_programs(programs_of(head));
    fs::create_symlink(programs_of(base), links / "base");
    fs::create_symlink(programs_of(head), links / "head");
    std::vector<ProgramPair> pairs;
    for (const auto& name : in_both(keys(old_ones), keys(new_ones), "program", notes)) {
      pairs.push_back({name, links / "base" / name, links / "head" / name});
    }
    return pairs;
  }
  const std::string name = after.filename().string();
  if (base.filename() == head.filename()) {
    fs::create_symlink(base.parent_path(), links / "base");
    fs::create_symlink(head.parent_path(), links / "head");
    return {{name, links / "base" / base.filename(), links / "head" / head.filename()}};
  }
  for (const char* side : {"base", "head"}) make_folder(links / side);
  fs::create_symlink(base, links / "base" / "program");
  fs::create_symlink(head, links / "head" / "program");
  return {{name, links / "base" / "program", links / "head" / "program"}};
}

CommonBenchmarks common_benchmarks(const ProgramPair& pair, const GateRequest& request) {
  const Benchmarks base = list_benchmarks(pair.base, request.arguments, request.filter);
  const Benchmarks head = list_benchmarks(pair.head, request.arguments, request.filter);
  CommonBenchmarks common;
  common.names = in_both(base.names, head.names, "benchmark", common.notes);
  common.takes_counts = base.takes_counts && head.takes_counts;
  leave_out_duplicates(base, head, common.names, common.notes);
  const auto of_kit = [](const std::string& name) {
    return name.find("/variant:") != std::string::npos;
  };
  common.of_kit =
      !common.names.empty() && std::all_of(common.names.begin(), common.names.end(), of_kit);
  if (!request.filter.empty()) return common;
  const auto chosen = chosen_by_profile(pair.head, common.of_kit);
  std::erase_if(common.names,
                [&](const std::string& name) { return !chosen.empty() && !chosen.contains(name); });
  return common;
}

}  // namespace

Sides::Sides(const GateRequest& request, const fs::path& links)
    : request_(request), programs_(pair_programs(request.base, request.head, links, notes_)) {}

const ProgramPair& Sides::pair_of(const ComparedBenchmark& benchmark) const {
  return *std::find_if(programs_.begin(), programs_.end(),
                       [&](const ProgramPair& pair) { return pair.name == benchmark.program; });
}

std::vector<fs::path> Sides::files() const {
  std::vector<fs::path> files;
  for (const ProgramPair& pair : programs_) {
    files.insert(files.end(), {fs::canonical(pair.base), fs::canonical(pair.head)});
  }
  return files;
}

std::map<std::string, std::string> Sides::identities() const {
  std::map<std::string, std::string> hashes;
  for (const ProgramPair& pair : programs_) {
    hashes["base " + pair.name] = file_identity(pair.base);
    hashes["head " + pair.name] = file_identity(pair.head);
  }
  return hashes;
}

const CommonBenchmarks& Sides::common(const ProgramPair& pair) const {
  const auto known = common_.find(pair.name);
  if (known != common_.end()) return known->second;
  return common_[pair.name] = common_benchmarks(pair, request_);
}

}  // namespace cliffbench
