#include "harness/suite/kit/kit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#else
#include <link.h>
#endif

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>

#include "harness/core/host/build_info.hpp"
#include "harness/core/host/exit_code.hpp"
#include "harness/core/host/layout.hpp"
#include "harness/core/host/machine.hpp"
#include "harness/core/record/row.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/case/describe.hpp"
#include "harness/suite/plan/plan.hpp"

namespace cliffbench {
namespace {

/// One byte to the harness, if one is listening: 'r' set-up ended, 'd' the loop ended.
void tell_harness(char byte) {
  static const int fd = [] {
    const char* text = std::getenv("CLIFFBENCH_READY_FD");
    return text ? std::atoi(text) : -1;
  }();
  if (fd >= 0 && write(fd, &byte, 1) != 1) std::fprintf(stderr, "the harness has ended\n");
}

/// Calls `visit(params)` for every point of the axes.
template <typename Visit>
void for_each_point(const Case& declared, size_t axis, Params& params, const Visit& visit) {
  if (axis == declared.axes.size()) {
    visit(params);
    return;
  }
  for (const std::string& value : declared.axes[axis].values) {
    params[declared.axes[axis].name] = value;
    for_each_point(declared, axis + 1, params, visit);
  }
}

template <typename Visit>
void for_each_cell(const Case& declared, const Visit& visit) {
  Params point;
  for_each_point(declared, 0, point, [&](const Params& params) {
    for (const Variant& variant : declared.variants) visit(params, variant);
  });
}

/// Ends a trial without a result. Its label begins with its status (outcome.cpp): a result that has
/// an error has no counters.
void end(benchmark::State& state, Status status, const std::string& reason) {
  state.SetLabel(word(status));
  state.SkipWithError(reason.c_str());
}

template <typename Body>
void report_exceptions(benchmark::State& state, const Body& body) {
  try {
    body();
  } catch (const Skipped& error) {
    end(state, Status::skipped, error.what());
  } catch (const std::bad_alloc&) {
    end(state, Status::oom, "out of memory (std::bad_alloc)");
  } catch (const std::exception& error) {
    end(state, Status::failed, error.what());
  }
}

void remove_argument(int& argc, char** argv, int i) {
  std::copy(argv + i + 1, argv + argc + 1, argv + i);
  --argc;
}

/// Takes "--benchmark_min_time=<N>x" (N iterations exactly; the library knows it since 1.8 only)
/// out of the arguments: N, or 0 when it is not there. Throws UserError when N is no positive
/// integer: the library's 1.7 refuses it, 1.9.1 can measure without end.
std::int64_t take_iterations(int& argc, char** argv) {
  constexpr std::string_view kMinTime = "--benchmark_min_time=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(kMinTime) || !argument.ends_with('x')) continue;
    std::int64_t count = 0;
    const char* end = argument.data() + argument.size() - 1;
    const auto parsed = std::from_chars(argument.data() + kMinTime.size(), end, count);
    if (parsed.ptr != end || count < 1) {
      throw UserError(fmt::format("{}: for 7 iterations, say {}7x", argument, kMinTime));
    }
    remove_argument(argc, argv, i);
    return count;
  }
  return 0;
}

std::int64_t fixed_iterations = 0;  ///< for every benchmark; 0: the library chooses
bool lists_names = false;           ///< a fixed count would make them longer

void register_trial(const Bench& bench, const Params& params, const Variant& variant) {
  const Case& declared = bench.declared;
  const auto body = [function = bench.function, params, variant](benchmark::State& state) {
    report_exceptions(state, [&] {
      Trial trial(state, params, variant);
      function(state, trial);
      trial.require_complete();
    });
  };
  auto* benchmark =
      benchmark::RegisterBenchmark(trial_name(declared, params, variant.name).c_str(), body)
          ->Unit(benchmark::kMillisecond);
  if (lists_names) return;
  const bool once = declared.once && declared.once(params, variant.name);
  if (once || fixed_iterations) benchmark->Iterations(once ? 1 : fixed_iterations);
}

/// The one name that an anchored, escaped filter ("^a/b:1\\.5$", "^((a))$") means, or "" if it is a
/// real expression.
std::string exact_name(std::string_view filter) {
  if (filter.size() < 2 || filter.front() != '^' || filter.back() != '$') return "";
  size_t start = 1, end = filter.size() - 1;
  while (start < end && filter[start] == '(' && filter[end - 1] == ')') ++start, --end;
  std::string name;
  for (size_t i = start; i < end; ++i) {
    if (filter[i] == '\\') {
      ++i;
    } else if (std::strchr(".[()*+?{|^$", filter[i])) {
      return "";
    }
    name += filter[i];
  }
  return name;
}

/// 10,000 registered names cost 80 ms at start, so a trial registers its own only. The filter is
/// then taken out of the arguments: a fixed count of iterations makes the library's name longer.
bool register_exactly(const std::vector<Bench>& benches, int& argc, char** argv) {
  constexpr std::string_view kFilter = "--benchmark_filter=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(kFilter)) continue;
    const std::string wanted = exact_name(argument.substr(kFilter.size()));
    bool found = false;
    for (const Bench& bench : benches) {
      const Case& declared = bench.declared;
      if (!wanted.starts_with(declared.name + '/')) continue;
      for_each_cell(declared, [&](const Params& params, const Variant& variant) {
        if (found || trial_name(declared, params, variant.name) != wanted) return;
        register_trial(bench, params, variant);
        found = true;
      });
    }
    if (found) remove_argument(argc, argv, i);
    return found;
  }
  return false;
}

/// Paths of the shared libraries that this process has loaded, because measured code may be in
/// them. Leaves out those without a file: the kernel's own, and libraries in a system's cache.
std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  const auto add = [&](const char* path) {
    if (path && *path == '/' && access(path, R_OK) == 0) paths.emplace_back(path);
  };
#ifdef __APPLE__
  for (uint32_t i = 1; i < _dyld_image_count(); ++i) add(_dyld_get_image_name(i));  // 0: itself
#else
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* visit) {
        (*static_cast<decltype(add)*>(visit))(info->dlpi_name);
        return 0;
      },
      const_cast<void*>(static_cast<const void*>(&add)));
#endif
  return paths;
}

void print_description(const Case& declared) {
  Description description;
  description.declared = declared;
  description.build = {kCompiler, kFlags, kCommit, kDirty};
  description.libraries = loaded_libraries();
  std::puts(describe(description).dump().c_str());
}

/// `who`: RUSAGE_SELF or RUSAGE_CHILDREN.
rusage used_by(decltype(RUSAGE_SELF) who) {
  rusage used{};
  getrusage(who, &used);
  return used;
}

/// The cells of the profile `gate`, else of `verify`, a line each.
void print_gate_benchmarks(const Case& declared) {
  Description description;
  description.declared = declared;
  for (const char* profile : {"gate", "verify"}) {
    CellFilter filter;
    filter.profile = profile;
    const auto cells = choose_cells(declared.name, description, filter);
    for (const Cell& cell : cells) std::puts(cell.name.c_str());
    if (!cells.empty()) break;
  }
}

}  // namespace

Trial::Usage Trial::usage() {
  Usage sum;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    const rusage used = used_by(who);
    sum.cpu_s += cpu_seconds(used);
    sum.page_faults += static_cast<double>(used.ru_minflt) + static_cast<double>(used.ru_majflt);
  }
  return sum;
}

bool Trial::has_patch(const Patch& card) const {
  std::erase(unasked_, card.name);
  return contains(patches_, card.name);
}

const std::vector<std::string>& Trial::patches() const {
  unasked_.clear();
  return patches_;
}

void Trial::require_complete() const {
  if (!done_) throw std::logic_error("the case never called done()");
  if (unasked_.empty()) return;
  throw std::logic_error("the case never called has_patch() for " + unasked_.front());
}

void Trial::digest(const std::string& text) {
  digest_ = text;
  state_.SetLabel(wrong_ ? word(Status::wrong) + " " + text : text);
}

void Trial::wrong(const std::string& reason) {
  wrong_ = true;
  end(state_, Status::wrong, reason);
  digest(digest_);
}

void Trial::ready() {
  tell_harness('r');
  start_ = usage();
}

void Trial::add_used() {
  const Usage now = usage();
  used_.cpu_s += now.cpu_s - start_.cpu_s;
  used_.page_faults += now.page_faults - start_.page_faults;
}

void Trial::pause() {
  state_.PauseTiming();
  add_used();
}

void Trial::resume() {
  start_ = usage();
  state_.ResumeTiming();
}

void Trial::done() {
  add_used();
  state_.counters["cliff:rss_bytes"] =
      static_cast<double>(std::max(peak_rss_bytes(), peak_rss_bytes(used_by(RUSAGE_CHILDREN))));
  tell_harness('d');
  const auto per_iteration = benchmark::Counter::kAvgIterations;
  state_.counters["cliff:cpu_s"] = benchmark::Counter(used_.cpu_s, per_iteration);
  state_.counters["cliff:page_faults"] = benchmark::Counter(used_.page_faults, per_iteration);
  for (const auto& [name, seconds] : stages_) {
    state_.counters["stage:" + name] = benchmark::Counter(seconds, per_iteration);
  }
  done_ = true;
}

int case_main(const std::vector<Bench>& benches, int argc, char** argv,
              const std::vector<Verb>& verbs) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  for (const Verb& verb : verbs) {
    if (first == verb.name) return verb.run({argv + 2, argv + argc});
  }
  if (argc == 2 && first == "--describe") {
    for (const Bench& bench : benches) print_description(bench.declared);
    return 0;
  }
  if (argc == 2 && first == "--gate-benchmarks") {
    for (const Bench& bench : benches) print_gate_benchmarks(bench.declared);
    return 0;
  }
  static const auto kBlocks = blocks_of_layout(std::getenv(kLayoutVariable));
  lists_names = std::any_of(argv + 1, argv + argc, [](const std::string_view argument) {
    return argument.starts_with("--benchmark_list_tests");
  });
  try {
    fixed_iterations = take_iterations(argc, argv);
  } catch (const UserError& error) {
    say(stderr, "{}\n", error.what());
    return Exit::usage;
  }
  prefer_fast_cores();
  if (!register_exactly(benches, argc, argv)) {
    for (const Bench& bench : benches) {
      for_each_cell(bench.declared, [&](const Params& params, const Variant& variant) {
        register_trial(bench, params, variant);
      });
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace cliffbench
