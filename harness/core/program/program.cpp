#include "harness/core/program/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/core/host/layout.hpp"
#include "harness/core/host/process.hpp"
#include "harness/core/program/outcome.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// One process; fills in of `row` what is its own.
Process run_program(const fs::path& program, const TrialLimits& limits, const Layout& layout,
                    const std::string& filter, const Batches& batches, Row& row) {
  auto environment = limits.environment;
  environment["TMPDIR"] = limits.scratch.string();
  if (!layout.environment.empty()) environment[kLayoutVariable] = layout.environment;
  const fs::path report = limits.scratch / layout.result;
  ProcessLimits of_process{limits.timed_s, limits.memory_bytes, limits.budget.left_s()};
  if (limits.late_end_counts) {
    constexpr double kUsual_s = 1;  // no check before that: it would disturb the measurement
    of_process.asked_after_s = kUsual_s;
    of_process.is_whole = [&](auto&, auto&) { return is_whole_report(report); };
  }
  const auto start = fs::file_time_type::clock::now();
  Process process = run_process(trial_arguments(program, limits.arguments, filter, batches, report),
                                environment, of_process);
  row.process_s = process.wall_s;
  row.process_cpu_s = process.cpu_s;
  row.blocked_s = process.blocked_s;
  if (process.stopped == Process::Stopped::at_its_end) {  // what follows its results is no work
    std::error_code gone;
    const std::chrono::duration<double> worked = fs::last_write_time(report, gone) - start;
    if (!gone) row.process_s = std::clamp(worked.count(), 0.0, process.wall_s);
    row.blocked_s.reset();
  }
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
      const std::string late = late_end(process, limits, limits.scratch / layout.result);
      const bool died = late.empty() && read_death(process, limits, whole);
      const auto report = read_report(limits.scratch / layout.result, died);
      for (const std::string& name : names) {
        const auto results = results_of(report, name);
        if (results.empty()) continue;
        Row row;
        row.name = name;
        Remarks said;
        read_measurements(results, batches, limits, row, said);
        said.late_end = late;
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
  const std::string late = late_end(process, limits, limits.scratch / layout.result);
  if (!process.cut_short() && (!late.empty() || !read_death(process, limits, row))) {
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
      said.late_end = late;
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
