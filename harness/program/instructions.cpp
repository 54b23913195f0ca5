#include "harness/program/instructions.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "harness/host/machine.hpp"
#include "harness/host/process.hpp"
#include "harness/host/text.hpp"
#include "harness/judge/gate.hpp"
#include "harness/judge/stats.hpp"
#include "harness/program/benchmark_json.hpp"
#include "harness/record/folder.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// The path of an installed tool; "" when there is none.
std::string find_tool(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string folders = path ? path : "/usr/bin:/bin";
  for (size_t start = 0; start <= folders.size();) {
    const size_t end = std::min(folders.find(':', start), folders.size());
    const fs::path candidate = fs::path(folders.substr(start, end - start)) / name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
    start = end + 1;
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

std::optional<double> parse_number(const std::string& text, size_t from) {
  std::string digits;
  for (size_t i = from; i < text.size() && (std::isdigit(text[i]) || text[i] == ','); ++i) {
    if (text[i] != ',') digits += text[i];
  }
  return digits.empty() ? std::nullopt : known(std::strtod(digits.c_str(), nullptr));
}

double count_once(const InstructionCounter& counter, const CountRequest& request,
                  std::int64_t iterations) {
  constexpr double kLimit_s = 120;
  const bool perf = counter.tool == InstructionCounter::Tool::perf;
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
  const auto program = trial_arguments(request.program, request.name, {iterations, 0}, result);
  argv.insert(argv.end(), program.begin(), program.end());
  const Process process = run_process(argv, {{"TMPDIR", request.scratch.string()}, {"LC_ALL", "C"}},
                                      {kLimit_s, kLimit_s, kLimit_s, 0, request.budget.left_s()});
  if (process.stopped == Process::Stopped::over_budget) throw CannotMeasure("the time was used up");
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
  if (results.front().iterations != iterations) {
    throw CannotMeasure("the program chooses its own count of iterations");
  }
  const std::string text = read_file(log);
  return perf ? parse_perf_csv(text) : parse_valgrind_log(text);
}

}  // namespace

InstructionCounter find_instruction_counter() {
  const std::string no_counters = why_no_instruction_counts();
  if (no_counters.empty() && !find_tool("perf").empty()) {
    return {InstructionCounter::Tool::perf, ""};
  }
  if (!find_tool("valgrind").empty()) return {InstructionCounter::Tool::cachegrind, ""};
  return {InstructionCounter::Tool::none,
          "valgrind is not installed, and the machine's own counters: " +
              (no_counters.empty() ? "perf is not installed" : no_counters)};
}

double count_instructions(const InstructionCounter& counter, const CountRequest& request) {
  if (counter.tool == InstructionCounter::Tool::none) throw CannotMeasure(counter.why_not);
  const auto run = [&](int times) {
    return count_once(counter, request, times * request.iterations) /
           static_cast<double>(request.iterations);
  };
  // In the order of 1, 2, 2, 1: what only drifts from run to run moves the two counts apart.
  const double once = run(1);
  const double twice = run(2);
  const double twice_again = run(2);
  return agreed_count(twice - once, twice_again - run(1));
}

double agreed_count(double count, double again) {
  const auto one = positive(count);
  const auto other = positive(again);
  if (!one || !other) throw CannotMeasure("twice the iterations executed no more instructions");
  const double apart = std::max(*one, *other) / std::min(*one, *other) - 1;
  if (!(apart <= kMargin)) {
    throw CannotMeasure(
        fmt::format("the program's own two counts differ by {:.1f} %", apart * 100));
  }
  return (*one + *other) / 2;
}

double parse_valgrind_log(const std::string& text) {
  constexpr std::string_view kWord = "refs:";
  const size_t word = text.find(kWord);
  const size_t at =
      word == std::string::npos ? word : text.find_first_not_of(' ', word + kWord.size());
  const auto count = at == std::string::npos ? std::nullopt : parse_number(text, at);
  if (!count) throw CannotMeasure("valgrind collected no instruction count");
  return *count;
}

double parse_perf_csv(const std::string& text) {
  const size_t at = text.find(",,instructions");
  const size_t line = at == std::string::npos ? at : text.rfind('\n', at);
  const auto count =
      at == std::string::npos
          ? std::nullopt
          : parse_number(text.substr(0, at), line == std::string::npos ? 0 : line + 1);
  if (!count) throw CannotMeasure("perf counted no instructions");
  return *count;
}

}  // namespace cliffbench
