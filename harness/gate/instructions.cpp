#include "harness/gate/instructions.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "harness/core/host/machine.hpp"
#include "harness/core/host/process.hpp"
#include "harness/core/program/benchmark_json.hpp"
#include "harness/core/record/folder.hpp"
#include "harness/core/stats/stats.hpp"
#include "harness/core/text/expression.hpp"
#include "harness/core/text/text.hpp"
#include "harness/gate/ruling.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

std::string find_tool(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  return "";
}

/// Address randomisation off, for two reasons: counts repeat, and programs of library 1.9.3 and
/// later would start themselves again without it, out of the tool's sight.
std::vector<std::string> without_randomisation() {
  const std::string setarch = find_tool("setarch");
  if (setarch.empty()) return {};
  return {setarch, describe_machine().arch, "-R"};
}

/// The number, maybe with commas, that the expression finds in the text. Throws CannotMeasure when
/// there is none.
double find_count(const std::string& text, const char* expression, const char* none) {
  std::string digits = Expression(expression).first_group(text);
  std::erase(digits, ',');
  const auto count = known(std::strtod(digits.c_str(), nullptr));
  if (digits.empty() || !count) throw CannotMeasure(none);
  return *count;
}

struct Executed {
  double instructions = 0;
  std::int64_t iterations = 0;
  double each_s = 0;
};

Executed count_once(const InstructionCounter& counter, const CountRequest& request,
                    const Batches& batches) {
  constexpr double kLimit_s = 120;
  const bool perf = counter.tool == InstructionCounter::Tool::perf;
  const bool takes_count = batches.min_time_s == 0;
  const fs::path log = request.scratch / "counted.log";
  const fs::path result = request.scratch / "counted.json";
  for (const fs::path& before : {log, result}) fs::remove(before);
  std::vector<std::string> argv = without_randomisation();
  if (perf) {
    argv.insert(argv.end(), {find_tool("perf"), "stat", "-x", ",", "-e", "instructions:u", "-o",
                             log.string(), "--"});
  } else {
    argv.insert(argv.end(), {find_tool("valgrind"), "--tool=cachegrind", "--cache-sim=no",
                             "--log-file=" + log.string(), "--cachegrind-out-file=/dev/null"});
  }
  const auto program = trial_arguments(request.program, request.arguments,
                                       exact_filter(request.name), batches, result);
  argv.insert(argv.end(), program.begin(), program.end());
  if (!takes_count) argv.push_back("--v=2");
  const Process process = run_process(argv, {{"TMPDIR", request.scratch.string()}},
                                      {kLimit_s, 0, request.budget.left_s()});
  if (process.stopped == Process::Stopped::over_budget)
    throw CannotMeasure("the time budget ran out");
  if (process.stopped != Process::Stopped::no) {
    throw CannotMeasure(fmt::format("counting took over {}", duration(kLimit_s)));
  }
  if (process.signal || process.exit_code) {
    throw CannotMeasure(
        fmt::format("the program does not run under {}", perf ? "perf" : "valgrind"));
  }
  const auto results = parse_benchmark_json(read_file(result));
  if (results.empty() || !results.front().error.empty()) {
    throw CannotMeasure("the program gave no result while instructions were counted");
  }
  const BenchmarkResult& counted = results.front();
  if (takes_count && counted.iterations != batches.iterations) {
    throw CannotMeasure("the program chooses its own number of iterations");
  }
  const std::string text = read_file(log);
  return {.instructions = perf ? parse_perf_csv(text) : parse_valgrind_log(text),
          .iterations = takes_count ? batches.iterations : logged_iterations(process.last_words),
          .each_s = counted.wall_s};
}

/// The two runs whose difference in instructions is counted.
std::pair<Batches, Batches> less_and_more(const InstructionCounter& counter,
                                          const CountRequest& request) {
  const std::int64_t count = request.batches.iterations;
  if (request.batches.min_time_s == 0) return {{count, 0}, {2 * count, 0}};
  const Batches once{1, kShortMinTime_s};
  return {once, {1, long_min_time_s(count_once(counter, request, once).each_s)}};
}

}  // namespace

InstructionCounter find_instruction_counter() {
  const std::string no_counters = why_no_instruction_counts();
  if (no_counters.empty() && !find_tool("perf").empty()) {
    return {InstructionCounter::Tool::perf, ""};
  }
  if (!find_tool("valgrind").empty()) return {InstructionCounter::Tool::cachegrind, ""};
  return {InstructionCounter::Tool::none,
          "valgrind is not installed, and hardware counters are not available: " +
              (no_counters.empty() ? "perf is not installed" : no_counters)};
}

double count_instructions(const InstructionCounter& counter, const CountRequest& request) {
  if (counter.tool == InstructionCounter::Tool::none) throw CannotMeasure(counter.why_not);
  const auto [less, more] = less_and_more(counter, request);
  const auto each = [](const Executed& a, const Executed& b) {
    return (b.instructions - a.instructions) / static_cast<double>(b.iterations - a.iterations);
  };
  // In the order 1, 2, 2, 1, so that a drift from run to run moves the two counts apart.
  const Executed once = count_once(counter, request, less);
  const Executed twice = count_once(counter, request, more);
  const Executed twice_again = count_once(counter, request, more);
  return agreed_count(each(once, twice), each(count_once(counter, request, less), twice_again));
}

double long_min_time_s(double each_s) {
  constexpr double kTimes = 6;
  return kTimes * std::max(kShortMinTime_s, each_s);
}

double agreed_count(double count, double again) {
  const auto one = positive(count);
  const auto other = positive(again);
  if (!one || !other) throw CannotMeasure("twice the iterations executed no more instructions");
  const double apart = std::max(*one, *other) / std::min(*one, *other) - 1;
  if (!(apart <= kCountsAgree)) {
    throw CannotMeasure(
        fmt::format("two counts of the same program differ by {:.1f} %", apart * 100));
  }
  return (*one + *other) / 2;
}

std::int64_t logged_iterations(const std::string& log) {
  std::int64_t sum = 0;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const size_t number = line.rfind(" for ");
    if (line.find("Running ") == std::string::npos || number == std::string::npos) continue;
    sum += std::strtoll(line.c_str() + number + 5, nullptr, 10);
  }
  if (sum > 0) return sum;
  throw CannotMeasure("the program accepts no iteration count, and its library logs none");
}

double parse_valgrind_log(const std::string& text) {
  return find_count(text, "refs: *([0-9,]*[0-9])", "valgrind collected no instruction count");
}

double parse_perf_csv(const std::string& text) {
  return find_count(text, "([0-9,]*[0-9]),,instructions", "perf counted no instructions");
}

}  // namespace cliffbench
