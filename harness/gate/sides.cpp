#include "harness/gate/sides.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <unordered_set>

#include "harness/core/program/program.hpp"
#include "harness/core/record/folder.hpp"
#include "harness/core/text/expression.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

using Names = std::unordered_set<std::string>;

/// What is left of the budget, but time for a program that answers at once.
double time_to_answer(const Budget& budget) {
  constexpr double kLeast_s = 2;
  return std::max(kLeast_s, budget.left_s());
}

/// The name with `mark` in place of each occurrence of the folder.
std::string without_folder(std::string name, const std::string& folder, const std::string& mark) {
  for (size_t at = 0; (at = name.find(folder, at)) != std::string::npos; at += mark.size()) {
    name.replace(at, folder.size(), mark);
  }
  return name;
}

/// Whether a folder is too long to be in a name by chance.
bool is_telling(const fs::path& folder) {
  constexpr std::ptrdiff_t kParts = 3;  // with its root
  return std::distance(folder.begin(), folder.end()) >= kParts;
}

/// The folders without the last parts that they share: /srv/old/build, /srv/new/build are
/// /srv/old and /srv/new.
std::pair<fs::path, fs::path> roots_of(fs::path base, fs::path head) {
  while (base.has_relative_path() && head.has_relative_path() &&
         base.filename() == head.filename()) {
    base = base.parent_path();
    head = head.parent_path();
  }
  return {base, head};
}

/// A note for each that only one side has; before them, where these are many, how many.
void note_one_sided(const MatchedNames& matched, const std::string& what,
                    std::vector<std::string>& notes) {
  constexpr size_t kMany = 5;
  const size_t count = matched.only_base.size() + matched.only_head.size();
  const size_t all = count + matched.both.size();
  if (count >= kMany || (count > 1 && 2 * count > all)) {
    notes.push_back(
        fmt::format("{} of {} {}s are on one side only and are not compared", count, all, what));
  }
  for (const auto& [names, side] :
       {std::pair(&matched.only_base, "base"), {&matched.only_head, "head"}}) {
    for (const std::string& name : *names) {
      notes.push_back(fmt::format("only the {} has {} {}", side, what, name));
    }
  }
}

std::vector<std::string> in_both(const std::vector<std::string>& base,
                                 const std::vector<std::string>& head, const std::string& what,
                                 std::vector<std::string>& notes) {
  const MatchedNames matched = match_names(base, head, "", "");
  note_one_sided(matched, what, notes);
  std::vector<std::string> both;
  for (const BenchmarkNames& names : matched.both) both.push_back(names.name);
  return both;
}

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

void refuse_duplicates(const fs::path& program, const Benchmarks& benchmarks) {
  if (benchmarks.duplicates.empty()) return;
  const std::string& name = benchmarks.duplicates.front();
  throw UserError(fmt::format(
      "{} has several benchmarks named {}; rename all but one, or leave them out with --filter {}",
      program.string(), name, quoted("-" + exact_filter(name))));
}

/// Drops programs that are not Google Benchmark programs, after one probe of one side.
void leave_out_other_programs(std::vector<ProgramPair>& pairs,
                              const std::vector<std::string>& arguments, const Budget& budget,
                              std::map<std::string, Probe>& probes,
                              std::vector<std::string>& notes) {
  std::vector<std::string> others;
  std::erase_if(pairs, [&](const ProgramPair& pair) {
    try {
      const Probe& found = probes[pair.base] = probe(pair.base, arguments, time_to_answer(budget));
      if (found.is_benchmark) return false;
    } catch (const CannotMeasure&) {
    }
    others.push_back(pair.name);
    return true;
  });
  if (others.empty()) return;
  notes.push_back("left out because they are not Google Benchmark programs: " + joined(others));
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
  const Expression expression(filter);
  std::map<std::string, std::string> named;
  for (const std::string& name : names) {
    const auto [other, is_new] = named.try_emplace(expression.starred(name), name);
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
                                   const Budget& budget, const std::map<std::string, Probe>& probes,
                                   bool unchanged) {
  CommonBenchmarks common;
  const auto list = [&](const fs::path& program, const std::string& filter, const char* side) {
    const auto known = probes.find(program);
    const Probe found = known != probes.end()
                            ? known->second
                            : probe(program, request.arguments, time_to_answer(budget));
    Benchmarks listed =
        list_benchmarks(program, request.arguments, filter, found, time_to_answer(budget));
    refuse_duplicates(program, listed);
    if (!listed.late_end.empty()) {
      common.notes.push_back(late_end_note(pair.name, side, listed.late_end));
    }
    return listed;
  };
  const bool across = !request.head_filter.empty();
  const Benchmarks base = list(pair.base, request.filter, "base");
  const Benchmarks head =
      unchanged ? base : list(pair.head, across ? request.head_filter : request.filter, "head");
  common.takes_counts = base.takes_counts && head.takes_counts;
  common.start_s = std::max(base.start_s, head.start_s);
  if (across) {
    common.names = across_filters(base, head, request, common.notes);
  } else {
    MatchedNames matched =
        match_names(base.names, head.names, pair.base.parent_path(), pair.head.parent_path());
    note_one_sided(matched, "benchmark", common.notes);
    common.one_sided = matched.only_base.size() + matched.only_head.size();
    common.names = std::move(matched.both);
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

std::string late_end_note(const std::string& program, const std::string& side,
                          const std::string& how) {
  return fmt::format("{}: the {} {} after its results were complete; they count", program, side,
                     how);
}

MatchedNames match_names(const std::vector<std::string>& base, const std::vector<std::string>& head,
                         const fs::path& base_folder, const fs::path& head_folder) {
  const auto [base_root, head_root] = roots_of(base_folder, head_folder);
  const auto placeless = [](std::string name, const fs::path& folder, const fs::path& root) {
    for (const fs::path& place : {folder, root}) {
      if (is_telling(place)) name = without_folder(std::move(name), place.string(), "*");
    }
    return name;
  };
  const Names of_base(base.begin(), base.end());
  const Names of_head(head.begin(), head.end());
  std::map<std::string, std::vector<std::string>> elsewhere;  // of the base, by what they share
  for (const std::string& name : base) {
    if (!of_head.contains(name)) elsewhere[placeless(name, base_folder, base_root)].push_back(name);
  }
  MatchedNames matched;
  Names partners;
  for (const std::string& name : head) {
    const std::string shared = placeless(name, head_folder, head_root);
    const auto partner = elsewhere.find(shared);
    if (of_base.contains(name)) {
      matched.both.push_back({name, name, name});
    } else if (shared != name && partner != elsewhere.end() && partner->second.size() == 1 &&
               partners.insert(partner->second[0]).second) {
      matched.both.push_back({shared, partner->second[0], name});
    } else {
      matched.only_head.push_back(name);
    }
  }
  for (const std::string& name : base) {
    if (!of_head.contains(name) && !partners.contains(name)) matched.only_base.push_back(name);
  }
  return matched;
}

Sides::Sides(const GateRequest& request, const Budget& budget)
    : request_(request),
      budget_(budget),
      programs_(pair_programs(request.base, request.head, notes_)) {
  if (fs::is_directory(request.base)) {
    leave_out_other_programs(programs_, request.arguments, budget, probes_, notes_);
  }
  std::set<std::string> own_names;
  for (const ProgramPair& pair : programs_) {
    own_names.insert({pair.base.filename().string(), pair.head.filename().string()});
  }
  FileIdentities identities;
  for (const ProgramPair& pair : programs_) {
    const ComparedFiles compared =
        compare_files(pair.name, pair.base, pair.head, own_names, identities);
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
    unlinked_[pair.name] = pair;
    pair.base = of_base / pair.base.filename();
    pair.head = of_head / pair.head.filename();
  }
}

void Sides::rename_where_linked(std::vector<ComparedBenchmark>& benchmarks) {
  std::map<fs::path, Names> listed;  // by linked program
  const auto rename = [&](std::string& name, const fs::path& was, const fs::path& is) {
    const std::string folder = was.parent_path().string();
    if (name.find(folder) == std::string::npos) return;
    auto names = listed.find(is);
    if (names == listed.end()) {
      const Benchmarks found = list_benchmarks(
          is, request_.arguments, "", probe(is, request_.arguments, time_to_answer(budget_)),
          time_to_answer(budget_));
      names = listed.emplace(is, Names(found.names.begin(), found.names.end())).first;
    }
    const std::string linked = without_folder(name, folder, is.parent_path().string());
    if (!names->second.contains(name) && names->second.contains(linked)) name = linked;
  };
  for (ComparedBenchmark& benchmark : benchmarks) {
    const ProgramPair& was = unlinked_.at(benchmark.id.program);
    const ProgramPair& is = pair_of(benchmark);
    if (unchanged(is)) continue;
    rename(benchmark.id.base_name, was.base, is.base);
    rename(benchmark.id.head_name, was.head, is.head);
  }
}

const ProgramPair& Sides::pair_of(const ComparedBenchmark& benchmark) const {
  return *std::find_if(programs_.begin(), programs_.end(),
                       [&](const ProgramPair& pair) { return pair.name == benchmark.id.program; });
}

const CommonBenchmarks& Sides::common(const ProgramPair& pair) const {
  const auto known = common_.find(pair.name);
  if (known != common_.end()) return known->second;
  return common_[pair.name] = common_benchmarks(pair, request_, budget_, probes_, unchanged(pair));
}

}  // namespace cliffbench
