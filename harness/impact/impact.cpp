#include "harness/impact/impact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "harness/host/file.hpp"
#include "harness/host/shuffle.hpp"
#include "harness/impact/trace.hpp"
#include "harness/program/benchmark_json.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// The program and the libraries that the loader maps for it, by name, in its order; the program's
/// name is "". A name that is a path stands for itself.
std::vector<std::pair<std::string, fs::path>> files_of(const fs::path& program) {
  constexpr double kLimit_s = 20;
  std::vector<std::pair<std::string, fs::path>> files = {{"", fs::canonical(program)}};
  const Process loader =
      read_output({"/usr/bin/env", "LD_TRACE_LOADED_OBJECTS=1", program.string()}, kLimit_s);
  std::istringstream lines(loader.output);  // "\tlibm.so.6 => /lib/x86_64.../libm.so.6 (0x7f...)"
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, path;
    words >> name >> path;
    if (path == "=>") words >> path;
    const std::string& file = path.starts_with('/') ? path : name;
    if (file.starts_with('/')) files.emplace_back(name, fs::canonical(file));
  }
  return files;
}

bool same_bytes(const fs::path& a, const fs::path& b) {
  return a == b || read_file(a, Links::followed) == read_file(b, Links::followed);
}

bool has_result(const fs::path& file) {
  try {
    const auto results = parse_benchmark_json(read_file(file));
    return !results.empty() && results.front().error.empty();
  } catch (const CannotMeasure&) {
    return false;
  }
}

/// The same paths, or files of the same bytes.
bool same_files(const std::set<std::string>& base, const std::set<std::string>& head) {
  return std::ranges::equal(base, head, [](const std::string& a, const std::string& b) {
    std::error_code error;
    return a == b ||
           (fs::is_regular_file(a, error) && fs::is_regular_file(b, error) && same_bytes(a, b));
  });
}

}  // namespace

struct ComparedPrograms::Files {
  /// One file of both programs that is not the same.
  struct Changed {
    std::unique_ptr<ElfFile> base, head;
    Comparison comparison;
  };
  fs::path base, head;
  std::vector<Changed> changed;
  Stops stops;
  std::string trouble;  ///< why nothing can be said

  void compare() {
    const auto bases = files_of(base), heads = files_of(head);
    const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (!std::ranges::equal(bases, heads, same_name))
      throw NotComparable("the sides load other libraries");
    for (size_t i = 0; i < bases.size(); ++i) {
      if (same_bytes(bases[i].second, heads[i].second)) continue;
      Changed one{std::make_unique<ElfFile>(bases[i].second),
                  std::make_unique<ElfFile>(heads[i].second),
                  {}};
      one.comparison = compare_files(*one.base, *one.head);
      if (!one.comparison.everything.empty()) throw NotComparable(one.comparison.everything);
      changed.push_back(std::move(one));
    }
    for (const auto& [name, path] : bases) look_at(path);
    if (stops.loader_path.empty()) throw NotComparable("the loader tells debuggers nothing");
  }

  /// How a file is linked to those that differ.
  void look_at(const fs::path& path) {
    const ElfFile file(path);
    const auto exported = [&](const char* name) { return file.exports.find(name); };
    if (const auto found = exported("_dl_debug_state"); found != file.exports.end()) {
      stops.loader_path = path.string();
      stops.loaded = found->second;
    }
    for (const char* name : {"_dl_find_object", "dl_iterate_phdr"}) {
      if (const auto found = exported(name); found != file.exports.end())
        stops.unwinds.emplace(path.string(), found->second);
    }
    for (const Changed& one : changed) {
      if (path == one.base->path) continue;
      for (const auto& [at, word] : file.words) {
        const std::string symbol = word.symbol.substr(0, word.symbol.find('@'));
        if (one.comparison.bindings.contains(symbol))
          throw NotComparable("the sides link otherwise to " + symbol);
        if (word.copies() && one.comparison.exports.contains(symbol))
          throw NotComparable("every process copies data that differ: " + symbol);
      }
    }
  }

  [[nodiscard]] Trace follow(bool is_head, const std::string& name, double batch_s,
                             const TrialLimits& limits) const {
    constexpr double kLimit_s = 20;
    std::vector<TracedFile> traced;
    for (const Changed& one : changed) {
      traced.push_back({is_head ? one.head.get() : one.base.get(),
                        is_head ? &one.comparison.head : &one.comparison.base});
    }
    const fs::path result = limits.scratch / "traced.json";
    std::error_code ignored;
    fs::remove(result, ignored);
    auto environment = limits.environment;
    environment["TMPDIR"] = limits.scratch.string();
    environment["LD_BIND_NOW"] = "1";  // the loader links functions at once, not when first called
    Trace found = trace(trial_arguments(is_head ? head : base, limits.arguments, exact_filter(name),
                                        {.min_time_s = batch_s}, result),
                        environment, traced, stops, std::min(kLimit_s, limits.budget.left_s()));
    if (found.touched.empty() && !has_result(result))
      found.touched = "its traced run has no result";
    return found;
  }
};

ComparedPrograms::ComparedPrograms(const fs::path& base, const fs::path& head)
    : files_(std::make_unique<Files>(Files{.base = base, .head = head})) {
  try {
    files_->compare();
  } catch (const NotComparable& error) {
    files_->trouble = error.what();
  }
}

ComparedPrograms::~ComparedPrograms() = default;

std::string ComparedPrograms::touched(const std::string& base_name, const std::string& head_name,
                                      double batch_s, const TrialLimits& limits) const {
  if (!files_->trouble.empty()) return files_->trouble;
  const Trace base = files_->follow(false, base_name, batch_s, limits);
  if (!base.touched.empty()) return base.touched;
  const Trace head = files_->follow(true, head_name, batch_s, limits);
  if (!head.touched.empty()) return head.touched;
  if (base.executed != head.executed) return "other functions are executed";
  return same_files(base.opened, head.opened) ? "" : "other files are opened";
}

void draw_audit(std::vector<Impact*> untouched, std::uint64_t seed) {
  constexpr size_t kEvery = 20;
  std::mt19937_64 random(seed);
  shuffle(untouched, random);
  for (size_t i = 0; i * kEvery < untouched.size(); ++i) *untouched[i] = Impact::audited;
}

}  // namespace cliffbench
