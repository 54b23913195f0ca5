#include "harness/instructions.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "harness/benchmark_json.hpp"
#include "harness/folder.hpp"
#include "harness/machine.hpp"
#include "harness/process.hpp"
#include "harness/text.hpp"

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

double parse_number(const std::string& text, size_t from) {
  std::string digits;
  for (size_t i = from; i < text.size() && (std::isdigit(text[i]) || text[i] == ','); ++i) {
    if (text[i] != ',') digits += text[i];
  }
  return digits.empty() ? NAN : std::strtod(digits.c_str(), nullptr);
}

double count_once(const InstructionCounter& counter, const CountRequest& request,
                  std::int64_t iterations) {
  const bool perf = counter.tool == InstructionCounter::Tool::perf;
  const fs::path log = request.scratch / "counted.log";
  const fs::path result = request.scratch / "counted.json";
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
                                      {request.limit_s, request.limit_s, request.limit_s, 0});
  if (process.stopped != Process::Stopped::no) {
    throw CannotMeasure(fmt::format("counting took over {}", duration(request.limit_s)));
  }
  if (process.signal || process.exit_code) {
    throw CannotMeasure(
        fmt::format("the program does not run under {}", perf ? "perf" : "valgrind"));
  }
  const BenchmarkReport report = parse_benchmark_json(read_file(result));
  if (report.results.empty() || !report.results.front().error.empty()) {
    throw CannotMeasure("the program gave no result while instructions were counted");
  }
  if (report.results.front().iterations != iterations) {
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
  const double once = count_once(counter, request, request.iterations);
  const double twice = count_once(counter, request, 2 * request.iterations);
  if (twice <= once) throw CannotMeasure("twice the iterations executed no more instructions");
  return (twice - once) / static_cast<double>(request.iterations);
}

double parse_valgrind_log(const std::string& text) {
  constexpr std::string_view kWord = "refs:";
  const size_t word = text.find(kWord);
  const size_t at =
      word == std::string::npos ? word : text.find_first_not_of(' ', word + kWord.size());
  const double count = at == std::string::npos ? NAN : parse_number(text, at);
  if (std::isnan(count)) throw CannotMeasure("valgrind collected no instruction count");
  return count;
}

double parse_perf_csv(const std::string& text) {
  const size_t at = text.find(",,instructions");
  const size_t line = at == std::string::npos ? at : text.rfind('\n', at);
  const double count =
      at == std::string::npos
          ? NAN
          : parse_number(text.substr(0, at), line == std::string::npos ? 0 : line + 1);
  if (std::isnan(count)) throw CannotMeasure("perf counted no instructions");
  return count;
}

}  // namespace cliffbench
