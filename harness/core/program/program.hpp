#pragma once

/// Drives one Google Benchmark program: lists its benchmarks (benchmark_list.cpp), runs a trial.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/host/process.hpp"
#include "harness/core/record/row.hpp"

namespace cliffbench {

/// Programs by file name: the executables of `folder`.
[[nodiscard]] std::map<std::string, std::filesystem::path> find_programs(
    const std::filesystem::path& folder);

/// The time that a gate may take, with its pilots and its counting, from the moment it is made.
class Budget {
 public:
  Budget() = default;  ///< without end
  /// In seconds; nothing: without end.
  explicit Budget(std::optional<double> whole_s)
      : whole_s_(whole_s.value_or(std::numeric_limits<double>::infinity())) {}
  /// Infinite without an end, never below 0.
  [[nodiscard]] double left_s() const { return std::max(0.0, whole_s_ - spent_s()); }
  [[nodiscard]] bool over() const { return left_s() <= 0; }
  [[nodiscard]] double spent_s() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  double whole_s_ = std::numeric_limits<double>::infinity();
  Clock::time_point start_ = Clock::now();
};

/// The folder, words and limits of a trial's process.
struct TrialLimits {
  /// A folder that is there: for the temporary files of trials, one after the other. Emptied after
  /// each, so that what one left behind does not fill the disk of the next.
  std::filesystem::path scratch;
  double timed_s = 600;
  std::int64_t memory_bytes = 0;       ///< 0: none
  Budget budget = Budget();            ///< the process may take at most the rest of it
  std::vector<std::string> arguments;  ///< the program's own, before ours
  std::vector<std::string> counters;   ///< those that a row keeps
  std::uint64_t layout = 0;            ///< of the process (layout.hpp)
  bool late_end_counts = false;        ///< whole results count if the process then crashes or hangs
  /// Added to ours; without it numbers may be written with commas.
  std::map<std::string, std::string> environment = {{"LC_ALL", "C"}};
};

/// How much one process measures: batches of a fixed count of iterations, or (with `min_time_s`) of
/// as many as the library finds to take that long.
struct Batches {
  std::int64_t iterations = 1;  ///< of a batch; more than 1: only where `Benchmarks::takes_counts`
  double min_time_s = 0;        ///< of a batch
  int count = 1;          ///< the library's repetitions; of several, the fastest and the mean count
  bool shuffled = false;  ///< several benchmarks in random order (libraries from 1.6 on)
};

/// A program's remarks on its trial, beside the row; no file keeps them.
struct Remarks {
  std::string left_out;       ///< of the result, in words
  bool says_skipped = false;  ///< it gave no time, and said why
  std::string late_end;       ///< how it ended badly after its results were whole
};

/// Runs one benchmark once, in a fresh process. Fills in of `row` what was measured: status,
/// reason, times, memory, stages, digest. Any outcome of the program is a status. False: there is
/// none, the user asked to stop or the budget is over.
[[nodiscard]] bool run_trial(const std::filesystem::path& program, const TrialLimits& limits,
                             Row& row, const Batches& batches = {}, Remarks* remarks = nullptr);

/// Names in one filter: some libraries match it by recursion.
inline constexpr std::size_t kMostTogether = 50;
/// A program that takes this many seconds to start is slow to start: twice the usual timed region,
/// so the start is most of the cost.
inline constexpr double kSlowStart_s = 0.1;

/// Several benchmarks in one process. Gives a row, by its name, to each that had a result, even if
/// the process died at a later one.
[[nodiscard]] bool run_trials(const std::filesystem::path& program, const TrialLimits& limits,
                              const std::vector<std::string>& names, const Batches& batches,
                              std::map<std::string, Row>& rows,
                              std::map<std::string, Remarks>* remarks = nullptr);

/// The command line of such a process, whose JSON goes to the file `result`.
[[nodiscard]] std::vector<std::string> trial_arguments(const std::filesystem::path& program,
                                                       const std::vector<std::string>& own,
                                                       const std::string& filter,
                                                       const Batches& batches,
                                                       const std::filesystem::path& result);

/// The reason, followed by the last line of a program's words that is not empty.
[[nodiscard]] std::string with_last_words(const std::string& reason, const std::string& words);

/// From here on, no BENCHMARK_FILTER or the like in our environment is a flag of the programs that
/// we start: the library takes each of its flags from there too.
void forget_library_flags();

/// Nothing is measured, but a cold library may take seconds.
inline constexpr double kAsk_s = 60;
/// Runs a program for its words. Throws StoppedByUser.
[[nodiscard]] Process ask_program(const std::filesystem::path& program,
                                  const std::vector<std::string>& words,
                                  const ProcessLimits& limits = {.span_s = kAsk_s},
                                  Output to = Output::pipe);

/// How a program answers when it is asked to list its benchmarks, with a filter that matches none.
struct Probe {
  bool is_benchmark = false;  ///< it answers as Google Benchmark does
  bool takes_counts = false;  ///< "--benchmark_min_time=<N>x" (since 1.8, and our kit)
  double start_s = 0;         ///< how long the process took
  std::string noise;          ///< what it prints beside names
  bool does_not_end = false;  ///< it hangs after its answer
};
/// Starts the program once; twice if its library is older than 1.8. `most_s`: what is left of a
/// budget. Throws CannotMeasure when it ends badly without an answer.
[[nodiscard]] Probe probe(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments = {}, double most_s = kAsk_s);

/// The benchmarks of a Google Benchmark program, ours or not.
struct Benchmarks {
  std::vector<std::string> names;       ///< in the program's order; those that occur twice, once
  std::vector<std::string> duplicates;  ///< names of several benchmarks, which cannot be told apart
  bool takes_counts = false;            ///< as its Probe
  double start_s = 0;                   ///< how long a process takes beside its benchmarks
  std::string late_end;  ///< how it ended badly after a whole list: "ended by signal 11 (...)"
};
/// The benchmarks that the program itself finds by `filter`, its --benchmark_filter (a leading -
/// excludes); "" is all. What else it prints is not taken for names. The list of a program that
/// crashes or hangs after it counts if a second call prints the same. Throws CannotMeasure when the
/// program does not list benchmarks, UserError when it does, but cannot use the filter.
[[nodiscard]] Benchmarks list_benchmarks(const std::filesystem::path& program,
                                         const std::vector<std::string>& arguments,
                                         const std::string& filter, const Probe& probe,
                                         double most_s = kAsk_s);

/// A filter that matches exactly this name (POSIX extended; escaping anything else is an error
/// there), with so many pairs of parentheses around it, which mean nothing.
[[nodiscard]] std::string exact_filter(const std::string& name, int parentheses = 0);

}  // namespace cliffbench
