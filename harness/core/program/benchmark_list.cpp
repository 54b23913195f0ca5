#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "harness/core/host/process.hpp"
#include "harness/core/host/stopping.hpp"
#include "harness/core/program/program.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAll = "^";    // without a filter listing takes quadratic time
constexpr const char* kNone = "^$";  // no benchmark has an empty name

/// The last line about the program. Leaves out the complaint of newer libraries about a flag
/// without a suffix: older ones refuse the suffix.
std::string last_line(const std::string& words) {
  constexpr std::string_view kOfOurFlag = "--benchmark_min_time should have a suffix";
  std::string last;
  std::istringstream stream(words);
  for (std::string line; std::getline(stream, line);) {
    if (line.find(kOfOurFlag) != std::string::npos) continue;
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return last.substr(0, 300);
}

bool says(const Process& answer, std::string_view words) {
  return answer.last_words.find(words) != std::string::npos;
}

/// The library prints this when a filter finds nothing: proof that the program has the library.
constexpr const char* kFoundNothing = "Failed to match any benchmarks";
bool found_nothing(const Process& answer) { return says(answer, kFoundNothing); }

/// Libraries before 1.8 want a number and refuse a count. They say so, but a program that does not
/// check for unknown flags goes on, and would run for the library's own time.
bool refuses_count(const Process& answer) { return says(answer, "expected to be a double"); }

/// Whether the library says that the filter is no regular expression; it ends well all the same.
bool refuses_filter(const Process& answer) {
  const bool crashed_late = answer.signal && !answer.output.empty();
  const bool failed = answer.exit_code && !crashed_late && answer.stopped == Process::Stopped::no;
  return says(answer, "ould not compile") || (failed && !found_nothing(answer));
}

/// Whether the program crashed or hung, though it may have answered before.
bool ended_late(const Process& answer) {
  return answer.stopped == Process::Stopped::at_its_end ||
         (answer.signal && answer.stopped == Process::Stopped::no);
}

Process ask_for_list(const fs::path& program, const std::vector<std::string>& arguments,
                     const std::string& filter, bool takes_counts, const ProcessLimits& limits) {
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.insert(words.end(), {"--benchmark_list_tests=true", "--benchmark_filter=" + filter,
                             std::string("--benchmark_min_time=") + (takes_counts ? "1x" : "0")});
  return ask_program(program, words, limits, Output::terminal);
}

CannotMeasure broken(const fs::path& program, const std::string& what) {
  return CannotMeasure(
      fmt::format("{} {}; give a Google Benchmark program, which accepts --benchmark_list_tests",
                  program.string(), what));
}

CannotMeasure ended_badly(const fs::path& program, const Process& answer) {
  const std::string words = last_line(answer.last_words);
  const std::string what = fmt::format("{} when asked for its benchmarks{}", bad_end(answer),
                                       words.empty() ? "" : " (it said: " + words + ")");
  if (answer.stopped == Process::Stopped::no) return broken(program, what);
  return CannotMeasure(program.string() + " " + what);
}

std::vector<std::string> lines_of(const std::string& text) {
  constexpr size_t kLongest = 10000;
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    // A line with our flags is a program that shows its command line.
    const bool shows_flags = line.find("--benchmark_") != std::string::npos;
    if (!line.empty() && line.size() <= kLongest && !shows_flags) lines.push_back(std::move(line));
  }
  return lines;
}

/// The text that stands in `all` between a start and an end which together are `noise`; nothing
/// when there is no such text of whole lines. The start best ends with a line.
std::optional<std::string> between(const std::string& noise, const std::string& all) {
  if (noise.empty() || all.size() < noise.size()) {
    return noise.empty() ? std::optional(all) : std::nullopt;
  }
  const size_t length = all.size() - noise.size();
  const auto same_start = std::ranges::mismatch(noise, all).in1 - noise.begin();
  const auto same_end = std::mismatch(noise.rbegin(), noise.rend(), all.rbegin()).first;
  const auto last = static_cast<size_t>(same_start);
  std::optional<size_t> best;
  for (size_t start = static_cast<size_t>(noise.rend() - same_end); start <= last; ++start) {
    if (length > 0 && all[start + length - 1] != '\n') continue;
    best = start;
    if (start == 0 || noise[start - 1] == '\n') break;
  }
  return best ? std::optional(all.substr(*best, length)) : std::nullopt;
}

/// The names, with their places, among the lines that a program prints.
class Names {
 public:
  explicit Names(std::vector<std::string> lines) : lines_(std::move(lines)) {}
  /// Takes each of these lines out once.
  void without(const std::vector<std::string>& noise) {
    keep(noise, [](int& left) { return left-- <= 0; });
  }
  /// Keeps those that are among these lines too.
  void only(const std::vector<std::string>& again) {
    keep(again, [](int& left) { return left-- > 0; });
  }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  void keep(const std::vector<std::string>& others, bool (*wanted)(int&)) {
    std::unordered_map<std::string, int> count;
    for (const std::string& line : others) ++count[line];
    std::erase_if(lines_, [&](const std::string& line) { return !wanted(count[line]); });
  }
  std::vector<std::string> lines_;
};

/// The same expression in other words, so that a program that prints it prints another line.
std::string reworded(const std::string& filter) {
  const bool excludes = filter.starts_with('-');
  return fmt::format("{}({})", excludes ? "-" : "", filter.substr(excludes ? 1 : 0));
}

}  // namespace

std::map<std::string, fs::path> find_programs(const fs::path& folder) {
  std::map<std::string, fs::path> programs;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (!entry.is_regular_file() || access(entry.path().c_str(), X_OK) != 0) continue;
    programs[entry.path().filename().string()] = entry.path();
  }
  return programs;
}

Process ask_program(const fs::path& program, const std::vector<std::string>& words,
                    const ProcessLimits& limits, Output to) {
  Process answer = read_output(words, limits, to);
  if (!stop_requested()) return answer;
  throw StoppedByUser("stopped while " + program.string() + " was asked for its benchmarks");
}

std::string with_last_words(const std::string& reason, const std::string& words) {
  const std::string last = last_line(words);
  return last.empty() ? reason : reason + "; it said: " + last;
}

void forget_library_flags() {
  for (const char* flag : {"COLOR", "CONTEXT", "COUNTERS_TABULAR", "DISPLAY_AGGREGATES_ONLY",
                           "DRY_RUN", "ENABLE_RANDOM_INTERLEAVING", "FILTER", "FORMAT",
                           "LIST_TESTS", "MIN_TIME", "MIN_WARMUP_TIME", "OUT", "OUT_FORMAT",
                           "PERF_COUNTERS", "REPETITIONS", "REPORT_AGGREGATES_ONLY", "TIME_UNIT"}) {
    unsetenv((std::string("BENCHMARK_") + flag).c_str());
  }
}

Probe probe(const fs::path& program, const std::vector<std::string>& arguments, double most_s) {
  ProcessLimits limits{.span_s = kAsk_s, .whole_s = most_s};
  limits.is_whole = [](const std::string&, const std::string& words) {
    return words.find(kFoundNothing) != std::string::npos;
  };
  Process answer = ask_for_list(program, arguments, kNone, true, limits);
  Probe found{.takes_counts = !refuses_count(answer)};
  found.is_benchmark = !found.takes_counts || found_nothing(answer);
  if (answer.exit_code && !found.takes_counts) {
    answer = ask_for_list(program, arguments, kNone, false, limits);
  }
  if (answer.exit_code && !found.is_benchmark) throw ended_badly(program, answer);
  found.does_not_end = answer.stopped == Process::Stopped::at_its_end;
  found.start_s = std::max(0.0, answer.wall_s - (found.does_not_end ? kLinger_s : 0));
  found.noise = std::move(answer.output);
  return found;
}

Benchmarks list_benchmarks(const fs::path& program, const std::vector<std::string>& arguments,
                           const std::string& filter, const Probe& probe, double most_s) {
  const std::string wanted = filter.empty() ? kAll : filter;
  ProcessLimits limits{.span_s = kAsk_s, .whole_s = most_s};
  if (probe.does_not_end) {
    limits.is_whole = [&](const std::string& output, const std::string& words) {
      return output.size() > probe.noise.size() || words.find(kFoundNothing) != std::string::npos;
    };
  }
  const auto ask = [&](const std::string& expression) {
    return ask_for_list(program, arguments, expression, probe.takes_counts, limits);
  };
  const Process answer = ask(wanted);
  const bool refused = !filter.empty() && refuses_filter(answer);
  const bool is_late = ended_late(answer);
  const bool is_whole = is_late && !answer.output.empty() && ask(wanted).output == answer.output;
  if (answer.exit_code && !refused && !found_nothing(answer) && !is_whole) {
    throw ended_badly(program, answer);
  }
  Benchmarks benchmarks{.takes_counts = probe.takes_counts,
                        .start_s = std::min(probe.start_s, answer.wall_s),
                        .late_end = is_late ? bad_end(answer) : ""};
  const auto names = [&] {
    if (const auto middle = between(probe.noise, answer.output)) return Names(lines_of(*middle));
    Names told(lines_of(answer.output));  // no two runs of it print the same
    told.without(lines_of(probe.noise));
    told.only(lines_of(ask(reworded(wanted)).output));
    return told;
  }();
  std::unordered_map<std::string, int> count;
  for (const std::string& name : names.lines()) {
    if (++count[name] == 1) benchmarks.names.push_back(name);
    if (count[name] == 2) benchmarks.duplicates.push_back(name);
  }
  if (!benchmarks.names.empty() && !refused) return benchmarks;
  // A program that lists nothing at all is to blame itself.
  const bool blameless =
      probe.is_benchmark ||
      (!filter.empty() && !list_benchmarks(program, arguments, "", probe, most_s).names.empty());
  if (!blameless || (filter.empty() && benchmarks.names.empty())) {
    throw broken(program, answer.output.empty()
                              ? "lists no benchmark"
                              : "does not list benchmarks but prints something else");
  }
  if (!refused) return benchmarks;
  throw UserError(with_last_words(
      fmt::format("{} rejects --filter '{}'", program.filename().string(), filter.substr(0, 60)),
      answer.last_words));
}

}  // namespace cliffbench
