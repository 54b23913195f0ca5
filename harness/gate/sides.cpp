#include "harness/gate/sides.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <unordered_set>

#include "harness/core/program/program.hpp"
#include "harness/core/record/folder.hpp"
#include "harness/core/text/text.hpp"

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

std::vector<std::string> keys(const auto& named) {
  std::vector<std::string> names;
  for (const auto& [name, value] : named) names.push_back(name);
  return names;
}

/// The cells of a kit program's profile `gate`, else of `verify`. Empty for any other program, and
/// for one that declares neither.
std::set<std::string> chosen_by_profile(const fs::path& program, bool of_kit) {
  std::set<std::string> chosen;
  if (!of_kit) return chosen;
  const Process answer = ask_program(program, {program.string(), "--gate-benchmarks"});
  if (answer.exit_code != 0) {
    throw CannotMeasure(with_last_words(program.string() + " --gate-benchmarks " + bad_end(answer),
                                        answer.last_words));
  }
  std::istringstream lines(answer.output);
  for (std::string line; std::getline(lines, line);) chosen.insert(line);
  return chosen;
}

/// Nobody can tell apart which of them was measured.
void refuse_duplicates(const fs::path& program, const Benchmarks& benchmarks) {
  if (benchmarks.duplicates.empty()) return;
  const std::string& name = benchmarks.duplicates.front();
  throw UserError(fmt::format(
      "{} has several benchmarks named {}; rename all but one, or leave them out with --filter {}",
      program.string(), name, quoted("-" + exact_filter(name))));
}

/// Takes out what is no Google Benchmark program. It is asked once, and its other side not at all.
void leave_out_strangers(std::vector<ProgramPair>& pairs, const std::vector<std::string>& arguments,
                         std::map<std::string, Manner>& manners, std::vector<std::string>& notes) {
  std::vector<std::string> strangers;
  std::erase_if(pairs, [&](const ProgramPair& pair) {
    try {
      const Manner& manner = manners[pair.base] = manner_of(pair.base, arguments);
      if (manner.is_benchmark) return false;
    } catch (const CannotMeasure&) {
    }
    strangers.push_back(pair.name);
    return true;
  });
  if (strangers.empty()) return;
  notes.push_back("left out, as they do not answer as Google Benchmark programs do: " +
                  joined(strangers));
}

std::vector<ProgramPair> pair_programs(const fs::path& before, const fs::path& after,
                                       std::vector<std::string>& notes) {
  for (const fs::path& side : {before, after}) {
    if (!fs::exists(side)) throw UserError("there is no " + side.string());
    if (!fs::is_directory(side) && access(side.c_str(), X_OK) != 0) {
      throw UserError(side.string() + " is not executable; give a program or a build folder");
    }
  }
  if (fs::is_directory(before) != fs::is_directory(after)) {
    throw UserError("--base and --head must both be programs or both be build folders");
  }
  const fs::path base = fs::canonical(before);
  const fs::path head = fs::canonical(after);
  if (!fs::is_directory(base)) return {{after.filename().string(), base, head}};
  const auto old_ones = find_programs(programs_of(base));
  const auto new_ones = find_programs(programs_of(head));
  std::vector<ProgramPair> pairs;
  for (const auto& name : in_both(keys(old_ones), keys(new_ones), "program", notes)) {
    pairs.push_back({name, old_ones.at(name), new_ones.at(name)});
  }
  return pairs;
}

/// Each name without the first match of the expression: what is left tells which benchmarks of two
/// filters belong together. Throws UserError when two names leave the same.
std::map<std::string, std::string> by_rest(const std::vector<std::string>& names,
                                           const std::string& filter) {
  std::regex expression;
  try {
    expression.assign(filter, std::regex::extended);
  } catch (const std::regex_error& error) {
    throw UserError(fmt::format("'{}' is no expression ({})", filter, error.what()));
  }
  std::map<std::string, std::string> named;
  for (const std::string& name : names) {
    const std::string rest =
        std::regex_replace(name, expression, "*", std::regex_constants::format_first_only);
    const auto [other, is_new] = named.try_emplace(rest, name);
    if (is_new) continue;
    throw UserError(fmt::format("{} and {} differ only in what {} matches; let it match less",
                                other->second, name, filter));
  }
  return named;
}

/// The benchmarks of the base that one filter finds, each with that of the head which the other
/// filter finds and whose name is otherwise the same.
std::vector<BenchmarkNames> across_filters(const Benchmarks& base, const Benchmarks& head,
                                           const GateRequest& request,
                                           std::vector<std::string>& notes) {
  const auto old_ones = by_rest(base.names, request.filter);
  const auto new_ones = by_rest(head.names, request.head_filter);
  std::vector<BenchmarkNames> pairs;
  for (const std::string& rest : in_both(keys(old_ones), keys(new_ones), "benchmark", notes)) {
    const std::string& before = old_ones.at(rest);
    const std::string& after = new_ones.at(rest);
    pairs.push_back({before + " -> " + after, before, after});
  }
  return pairs;
}

CommonBenchmarks common_benchmarks(const ProgramPair& pair, const GateRequest& request,
                                   const std::map<std::string, Manner>& manners, bool unchanged) {
  const auto list = [&](const fs::path& program, const std::string& filter) {
    const auto manner = manners.find(program);
    Benchmarks listed = list_benchmarks(
        program, request.arguments, filter,
        manner != manners.end() ? manner->second : manner_of(program, request.arguments));
    refuse_duplicates(program, listed);
    return listed;
  };
  const bool across = !request.head_filter.empty();
  const Benchmarks base = list(pair.base, request.filter);
  const Benchmarks head =
      unchanged ? base : list(pair.head, across ? request.head_filter : request.filter);
  CommonBenchmarks common{.takes_counts = base.takes_counts && head.takes_counts,
                          .start_s = std::max(base.start_s, head.start_s)};
  if (across) {
    common.names = across_filters(base, head, request, common.notes);
  } else {
    for (const auto& name : in_both(base.names, head.names, "benchmark", common.notes)) {
      common.names.push_back({name, name, name});
    }
  }
  const auto of_kit = [](const BenchmarkNames& names) {
    return names.base.find("/variant:") != std::string::npos;
  };
  common.of_kit = !common.names.empty() && std::ranges::all_of(common.names, of_kit);
  if (!request.filter.empty()) return common;
  const auto chosen = chosen_by_profile(pair.head, common.of_kit);
  std::erase_if(common.names, [&](const BenchmarkNames& names) {
    return !chosen.empty() && !chosen.contains(names.name);
  });
  return common;
}

}  // namespace

Sides::Sides(const GateRequest& request)
    : request_(request), programs_(pair_programs(request.base, request.head, notes_)) {
  if (fs::is_directory(request.base)) {
    leave_out_strangers(programs_, request.arguments, manners_, notes_);
  }
  FileIdentities identities;
  for (const ProgramPair& pair : programs_) {
    const ComparedFiles compared = compare_files(pair.name, pair.base, pair.head, identities);
    files_.insert(files_.end(), compared.files.begin(), compared.files.end());
    identities_.insert(compared.identities.begin(), compared.identities.end());
    if (!compared.note.empty()) notes_.push_back(compared.note);
    const bool asks_the_same = request.head_filter.empty() && !request.time_unchanged;
    if (compared.unchanged && asks_the_same) unchanged_.insert(pair.name);
  }
}

void Sides::link(const fs::path& links) {
  std::error_code ignored;
  fs::remove_all(links, ignored);
  make_folder(links);
  if (programs_.empty()) return;
  const auto length = [](const fs::path& program) { return program.filename().string().size(); };
  const size_t base = length(programs_.front().base);
  const size_t head = length(programs_.front().head);
  const fs::path of_base = links / ("base" + std::string(std::max(base, head) - base, '_'));
  const fs::path of_head = links / ("head" + std::string(std::max(base, head) - head, '_'));
  fs::create_symlink(programs_.front().base.parent_path(), of_base);
  fs::create_symlink(programs_.front().head.parent_path(), of_head);
  for (ProgramPair& pair : programs_) {
    pair.base = of_base / pair.base.filename();
    pair.head = of_head / pair.head.filename();
  }
}

const ProgramPair& Sides::pair_of(const ComparedBenchmark& benchmark) const {
  return *std::find_if(programs_.begin(), programs_.end(),
                       [&](const ProgramPair& pair) { return pair.name == benchmark.program; });
}

const CommonBenchmarks& Sides::common(const ProgramPair& pair) const {
  const auto known = common_.find(pair.name);
  if (known != common_.end()) return known->second;
  return common_[pair.name] = common_benchmarks(pair, request_, manners_, unchanged(pair));
}

}  // namespace cliffbench
