#include "harness/program/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <functional>
#include <string_view>

#include "harness/host/file.hpp"
#include "harness/host/layout.hpp"
#include "harness/host/process.hpp"
#include "harness/program/benchmark_json.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// The report in the JSON file. The library writes each result when it has it: of a process that
/// died, `cut_off`, those before are there and the closing brackets are not.
std::vector<BenchmarkResult> read_report(const fs::path& file, bool cut_off = false) {
  constexpr std::uintmax_t kMost = 64 << 20;  // a benchmark's result takes a few kB
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(file, missing);
  if (missing || size == 0) throw CannotMeasure("the program wrote no result");
  if (size > kMost) {
    throw CannotMeasure(fmt::format("the program wrote a result of {}, more than {}",
                                    byte_size(static_cast<double>(size)),
                                    byte_size(static_cast<double>(kMost))));
  }
  const std::string text = read_file(file) + (cut_off ? "]}" : "");
  try {
    return parse_benchmark_json(text);
  } catch (const CannotMeasure& error) {
    throw CannotMeasure(fmt::format("the program wrote no valid result: it {}", error.what()));
  }
}

/// The measured results of one benchmark: one, or one per repetition; the median where the program
/// reports aggregates only; none when it is not there.
std::vector<BenchmarkResult> results_of(const std::vector<BenchmarkResult>& all,
                                        const std::string& name) {
  std::vector<BenchmarkResult> measured;
  std::vector<BenchmarkResult> medians;
  for (const BenchmarkResult& result : all) {
    // The library adds a fixed count to the name.
    const bool ours = result.run_name == name || result.run_name.starts_with(name + "/iterations:");
    if (!ours || (!result.aggregate.empty() && result.aggregate != "median")) continue;
    (result.aggregate.empty() ? measured : medians).push_back(result);
  }
  return measured.empty() ? medians : measured;
}

/// "<status>: why" in the words of the kit (case.cpp); anything else failed.
void read_error(const std::string& message, Row& row) {
  row.status = Status::failed;
  row.reason = message;
  for (const Status status : {Status::skipped, Status::oom, Status::failed, Status::wrong}) {
    const std::string prefix = word(status) + ": ";
    if (!message.starts_with(prefix)) continue;
    row.status = status;
    row.reason = message.substr(prefix.size());
    return;
  }
}

/// Our kit's counter where there is one: CPU time of the whole process, not of its main thread.
double cpu_s_of(const BenchmarkResult& result) {
  const auto counter = result.counters.find("cliff:cpu_s");
  return counter == result.counters.end() ? result.cpu_s : counter->second;
}

/// The fastest of the batches that we asked for; of repetitions that the program itself asks for,
/// the mean.
double combined(const std::vector<BenchmarkResult>& results, bool fastest,
                const std::function<double(const BenchmarkResult&)>& time_of) {
  double sum_s = 0;
  double least_s = INFINITY;
  for (const BenchmarkResult& result : results) {
    sum_s += time_of(result) / static_cast<double>(results.size());
    least_s = std::min(least_s, time_of(result));
  }
  return fastest ? least_s : sum_s;
}

/// The counters that are wanted, each the mean of the batches that have it.
std::map<std::string, double> counters_of(const std::vector<BenchmarkResult>& results,
                                          const std::vector<std::string>& wanted) {
  std::map<std::string, double> counters;
  for (const std::string& name : wanted) {
    double sum = 0;
    int batches = 0;
    for (const BenchmarkResult& result : results) {
      const auto counter = result.counters.find(name);
      if (counter == result.counters.end()) continue;
      sum += counter->second;
      ++batches;
    }
    if (batches) counters[name] = sum / batches;
  }
  return counters;
}

/// Throws CannotMeasure when a number cannot be one: NaN, infinite, or below 0.
void read_measurements(const std::vector<BenchmarkResult>& results, const Batches& batches,
                       const TrialLimits& limits, Row& row, Remarks& remarks) {
  for (const BenchmarkResult& result : results) {
    remarks.says_skipped = result.skipped;
    if (!result.error.empty()) return read_error(result.error, row);
  }
  const bool fastest = batches.count > 1;
  const BenchmarkResult& last = results.back();
  row.status = Status::ok;
  row.wall_s = combined(results, fastest, [](const auto& result) { return result.wall_s; });
  row.cpu_s = combined(results, fastest, cpu_s_of);
  row.iterations = last.iterations;
  row.digest = last.label;
  remarks.left_out = last.note();
  row.counters = counters_of(results, limits.counters);
  const auto checked = [](double value, const std::string& what) {
    if (std::isfinite(value) && value >= 0) return value;
    throw CannotMeasure(
        fmt::format("the program reported {} of {}, which is impossible", what, value));
  };
  constexpr std::string_view kStage = "stage:";
  const auto is_stage = [&](const std::string& counter) { return counter.starts_with(kStage); };
  if (std::ranges::any_of(last.no_numbers, is_stage)) {  // a stranger's counter may be no number
    throw CannotMeasure("the program wrote no valid result: " + last.note());
  }
  for (const auto& [key, value] : last.counters) {
    if (key == "cliff:cpu_s") row.cpu_s = checked(*row.cpu_s, "a CPU time");
    if (key == "cliff:page_faults") row.page_faults = checked(value, "a page fault count");
    if (key == "cliff:rss_bytes") {
      constexpr double kMost = 9e18;  // beyond it the conversion is undefined
      row.rss_bytes = static_cast<std::int64_t>(std::min(checked(value, "a memory"), kMost));
    }
    if (!key.starts_with(kStage)) continue;
    const std::string stage = key.substr(kStage.size());
    row.stages[stage] = checked(value, "a stage " + stage);
  }
}

/// Whether a program died for want of memory, in the last words of C++, Python, Rust or the system.
bool ran_out_of_memory(const std::string& last_words) {
  const auto says = [&](const char* words) { return last_words.find(words) != std::string::npos; };
  return says("bad_alloc") || says("MemoryError") || says("memory allocation of ") ||
         says("ut of memory") || says("Cannot allocate memory");
}

/// Fills in status and reason where we stopped the process or it ended badly; else returns false.
bool read_death(const Process& process, const TrialLimits& limits, Row& row) {
  using Stopped = Process::Stopped;
  const auto died = [&row](Status status, const std::string& reason) {
    row.status = status;
    row.reason = reason;
    return true;
  };
  const std::string limit = duration(limits.timed_s);
  const std::string& words = process.last_words;
  switch (process.stopped) {
    case Stopped::no:
      break;
    case Stopped::in_timed_region:
      return died(Status::timeout, "stopped at the limit of " + limit);
    case Stopped::over_memory:
      return died(Status::oom, "stopped at the limit of memory");
    case Stopped::in_setup:
      return died(Status::failed, with_last_words("set-up took over " + limit, words));
    default:
      return died(Status::failed,
                  with_last_words("the check of the output took over " + limit, words));
  }
  if (!process.signal && !process.exit_code) return false;
  if (ran_out_of_memory(words)) return died(Status::oom, with_last_words("out of memory", words));
  if (process.signal == SIGKILL) {
    return died(Status::oom, "killed by the system (SIGKILL), most likely for lack of memory");
  }
  return died(Status::crash, with_last_words(bad_end(process), words));
}

/// One process; fills in of `row` what is its own.
Process run_program(const fs::path& program, const TrialLimits& limits, const Layout& layout,
                    const std::string& filter, const Batches& batches, Row& row) {
  auto environment = limits.environment;
  environment["TMPDIR"] = limits.scratch.string();
  if (!layout.environment.empty()) environment[kLayoutVariable] = layout.environment;
  Process process = run_process(
      trial_arguments(program, limits.arguments, filter, batches, limits.scratch / layout.result),
      environment, {limits.timed_s, limits.memory_bytes, limits.budget.left_s()});
  row.process_s = process.wall_s;
  row.process_cpu_s = process.cpu_s;
  row.blocked_s = process.blocked_s;
  row.limit_s = limits.timed_s;
  return process;
}

void empty_folder(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

std::vector<std::string> trial_arguments(const fs::path& program,
                                         const std::vector<std::string>& own,
                                         const std::string& filter, const Batches& batches,
                                         const fs::path& result) {
  // A min_time of 0 means exactly one iteration in every version of the library.
  const std::string min_time = batches.min_time_s > 0   ? fmt::format("{}", batches.min_time_s)
                               : batches.iterations > 1 ? fmt::format("{}x", batches.iterations)
                                                        : "0";
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), own.begin(), own.end());
  words.insert(words.end(), {"--benchmark_filter=" + filter, "--benchmark_min_time=" + min_time,
                             "--benchmark_out=" + result.string(), "--benchmark_out_format=json",
                             "--benchmark_format=json"});
  if (batches.count > 1) {
    words.push_back(fmt::format("--benchmark_repetitions={}", batches.count));
  }
  if (batches.shuffled) words.emplace_back("--benchmark_enable_random_interleaving=true");
  return words;
}

bool run_trials(const fs::path& program, const TrialLimits& limits,
                const std::vector<std::string>& names, const Batches& batches,
                std::map<std::string, Row>& rows, std::map<std::string, Remarks>* remarks) {
  const Layout layout = draw_layout(limits.layout);
  std::string filter;
  for (const std::string& name : names) {
    filter += (filter.empty() ? "" : "|") + exact_filter(name, layout.parentheses);
  }
  Row whole;
  const Process process = run_program(program, limits, layout, filter, batches, whole);
  if (!process.cut_short()) {
    try {
      const bool died = read_death(process, limits, whole);
      const auto report = read_report(limits.scratch / layout.result, died);
      for (const std::string& name : names) {
        const auto results = results_of(report, name);
        if (results.empty()) continue;
        Row row;
        row.name = name;
        Remarks said;
        read_measurements(results, batches, limits, row, said);
        if (remarks) (*remarks)[name] = std::move(said);
        row.process_s = whole.process_s / static_cast<double>(names.size());
        row.process_cpu_s = whole.process_cpu_s / static_cast<double>(names.size());
        row.process_rss_bytes = process.rss_bytes;
        row.limit_s = whole.limit_s;
        rows[name] = std::move(row);
      }
    } catch (const CannotMeasure&) {  // from here on there are no results
    }
  }
  empty_folder(limits.scratch);
  return !process.cut_short();
}

bool run_trial(const fs::path& program, const TrialLimits& limits, Row& row, const Batches& batches,
               Remarks* remarks) {
  const Layout layout = draw_layout(limits.layout);
  const std::string filter = exact_filter(row.name, layout.parentheses);
  const Process process = run_program(program, limits, layout, filter, batches, row);
  if (!process.cut_short() && !read_death(process, limits, row)) {
    try {
      Row measured = row;  // of a result that cannot be read to its end nothing is kept
      const auto report = read_report(limits.scratch / layout.result);
      const auto results = results_of(report, row.name);
      if (results.empty()) {
        throw CannotMeasure(fmt::format("the program gave {} results instead of one named {}",
                                        report.size(), row.name));
      }
      Remarks said;
      read_measurements(results, batches, limits, measured, said);
      if (remarks) *remarks = std::move(said);
      row = std::move(measured);
    } catch (const CannotMeasure& error) {
      row.status = Status::failed;
      row.reason = with_last_words(error.what(), process.last_words);
    }
  }
  // The kernel keeps the two peaks in counters of different precision; the whole is never below its
  // part.
  row.process_rss_bytes = std::max(process.rss_bytes, row.rss_bytes.value_or(0));
  empty_folder(limits.scratch);
  return !process.cut_short();
}

std::string exact_filter(const std::string& name, int parentheses) {
  const auto pairs = static_cast<size_t>(parentheses);
  std::string filter = "^" + std::string(pairs, '(');
  for (const char c : name) {
    if (std::strchr(".[\\()*+?{|^$", c)) filter += '\\';
    filter += c;
  }
  return filter + std::string(pairs, ')') + "$";
}

}  // namespace cliffbench
