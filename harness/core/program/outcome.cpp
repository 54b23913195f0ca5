#include "harness/core/program/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <csignal>
#include <fstream>
#include <functional>
#include <span>
#include <string_view>

#include "harness/core/host/file.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// The label of a result of our kit that has an error begins with its status (kit.cpp). Any other
/// failed, or the program skipped it.
void read_error(const BenchmarkResult& result, Row& row) {
  row.status = result.with_message ? Status::skipped : Status::failed;
  row.reason = result.error;
  for (const Status status : {Status::skipped, Status::oom, Status::wrong}) {
    if (result.label.substr(0, result.label.find(' ')) == word(status)) row.status = status;
  }
}

/// Our kit's counter where there is one: CPU time of the whole process, not of its main thread.
double cpu_s_of(const BenchmarkResult& result) {
  const auto counter = result.counters.find("cliff:cpu_s");
  return counter == result.counters.end() ? result.cpu_s : counter->second;
}

using TimeOf = std::function<double(const BenchmarkResult&)>;

double mean_of(std::span<const BenchmarkResult> results, const TimeOf& time_of) {
  double sum_s = 0;
  for (const BenchmarkResult& result : results) sum_s += time_of(result);
  return sum_s / static_cast<double>(results.size());
}

double fastest_of(std::span<const BenchmarkResult> results, const TimeOf& time_of) {
  double least_s = INFINITY;
  for (const BenchmarkResult& result : results) least_s = std::min(least_s, time_of(result));
  return least_s;
}

/// The times of the batches that we asked for, the fastest and the mean; of repetitions that the
/// program itself asks for, the mean alone.
void read_times(std::span<const BenchmarkResult> results, bool is_batches, Row& row) {
  const TimeOf wall_s_of = [](const BenchmarkResult& result) { return result.wall_s; };
  const auto time = is_batches ? fastest_of : mean_of;
  row.wall_s = time(results, wall_s_of);
  row.cpu_s = time(results, cpu_s_of);
  if (!is_batches || results.size() < 2) return;
  const std::span warm = results.subspan(1);
  row.mean_wall_s = mean_of(warm, wall_s_of);
  row.mean_cpu_s = mean_of(warm, cpu_s_of);
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

/// Whether a program died for want of memory, in the last words of C++, Python, Rust or the system.
bool ran_out_of_memory(const std::string& last_words) {
  const auto says = [&](const char* words) { return last_words.find(words) != std::string::npos; };
  return says("bad_alloc") || says("MemoryError") || says("memory allocation of ") ||
         says("ut of memory") || says("Cannot allocate memory");
}

}  // namespace

std::vector<BenchmarkResult> read_report(const fs::path& file, bool cut_off) {
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

void read_measurements(const std::vector<BenchmarkResult>& results, const Batches& batches,
                       const TrialLimits& limits, Row& row, Remarks& remarks) {
  for (const BenchmarkResult& result : results) {
    remarks.says_skipped = result.skipped;
    if (!result.error.empty()) return read_error(result, row);
  }
  const BenchmarkResult& last = results.back();
  row.status = Status::ok;
  read_times(results, batches.count > 1, row);
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

bool is_whole_report(const fs::path& report) {
  constexpr std::streamoff kEnd = 64;
  std::ifstream file(report, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff(file.tellg()) : 0;
  std::string end(static_cast<size_t>(std::min(size, kEnd)), '\0');
  file.seekg(size - std::ssize(end));
  if (end.empty() || !file.read(end.data(), std::ssize(end))) return false;
  std::erase_if(end, [](unsigned char c) { return std::isspace(c); });
  return end.ends_with("]}");
}

std::string late_end(const Process& process, const TrialLimits& limits, const fs::path& report) {
  using Stopped = Process::Stopped;
  const bool crashed =
      process.stopped == Stopped::no && process.signal && process.signal != SIGKILL;
  const bool is_late = crashed || process.stopped == Stopped::at_its_end;
  return limits.late_end_counts && is_late && is_whole_report(report) ? bad_end(process) : "";
}

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
    case Stopped::at_its_end:
      break;
    case Stopped::in_timed_region:
      return died(Status::timeout, "stopped at the limit of " + limit);
    case Stopped::over_memory:
      return died(Status::oom, "stopped at the limit of memory");
    case Stopped::in_setup:
      return died(
          Status::failed,
          with_last_words(fmt::format("gave no result in {}, set-up included", limit), words));
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

}  // namespace cliffbench
