#include "harness/impact/impact.hpp"

#include <algorithm>
#include <future>

#include "harness/host/file.hpp"
#include "harness/program/benchmark_json.hpp"

namespace cliffbench {
namespace fs = std::filesystem;

ComparedPrograms::ComparedPrograms(const fs::path& base, const fs::path& head)
    : base_path_(base), head_path_(head) {
  try {
    base_.emplace(fs::canonical(base));
    head_.emplace(fs::canonical(head));
    changes_ = compare_builds(*base_, *head_);
    for (ElfFile* file : {&*base_, &*head_}) {  // a process with less memory forks sooner
      for (Function& function : file->functions) function.instructions = {};
    }
  } catch (const std::exception& error) {
    trouble_ = error.what();
  }
}

Trace ComparedPrograms::follow(bool is_head, const std::string& name, double batch_s,
                               const TrialLimits& limits) const {
  constexpr double kLimit_s = 20;
  const fs::path result = limits.scratch / (is_head ? "traced-head.json" : "traced-base.json");
  fs::remove(result);
  auto environment = limits.environment;
  environment["TMPDIR"] = limits.scratch.string();
  environment["LD_BIND_NOW"] = "1";  // the loader links functions at once, not when first called
  const auto command = trial_arguments(is_head ? head_path_ : base_path_, limits.arguments,
                                       exact_filter(name), {.min_time_s = batch_s}, result);
  Trace found =
      trace(command, environment, is_head ? *head_ : *base_,
            is_head ? changes_.head : changes_.base, std::min(kLimit_s, limits.budget.left_s()));
  const auto results = found.touched.empty() && fs::exists(result)
                           ? parse_benchmark_json(read_file(result))
                           : std::vector<BenchmarkResult>();
  if (found.touched.empty() && (results.empty() || !results.front().error.empty()))
    found.touched = "its traced run has no result";
  return found;
}

std::string ComparedPrograms::touched(const std::string& base_name, const std::string& head_name,
                                      double batch_s, const TrialLimits& limits) {
  if (!trouble_.empty()) return trouble_;
  try {
    const auto run = [&] { return follow(false, base_name, batch_s, limits); };
    auto other = std::async(std::launch::async, run);
    const Trace head = follow(true, head_name, batch_s, limits), base = other.get();
    if (!base.touched.empty()) return base.touched;
    if (!head.touched.empty()) return head.touched;
    const auto same = [&](const fs::path& a, const fs::path& b) {
      return a == b || (a.filename() == b.filename() && identities_.of(a) == identities_.of(b));
    };
    if (!std::ranges::equal(base.libraries, head.libraries, same))
      return "its libraries are not the same files";
    return base.executed == head.executed ? "" : "other functions are executed";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace cliffbench
