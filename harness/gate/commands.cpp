#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness/gate/gate_session.hpp"
#include "harness/host/process.hpp"
#include "harness/program/program.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

/// A plain command is started directly, anything that needs a shell by one.
std::vector<std::string> words_of(const std::string& command) {
  if (command.find_first_of("|&;<>()$`\\\"'*?[]#~=%{}!\n") != std::string::npos) {
    return {"/bin/sh", "-c", command};
  }
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (words.empty()) throw UserError("a command is empty");
  return words.front().find('/') == std::string::npos
             ? std::vector<std::string>{"/bin/sh", "-c", "exec " + command}
             : words;
}

/// Commands, of which the first is the base.
class Commands : public Subjects {
 public:
  Commands(const CompareRequest& request, GateSession& session)
      : request_(request), session_(session) {}

  [[nodiscard]] std::map<std::string, std::string> identities() const override {
    std::map<std::string, std::string> texts;
    for (size_t side = 0; side < request_.commands.size(); ++side) {
      texts[fmt::format("command {}", side + 1)] = request_.commands[side];
    }
    return texts;
  }

  void describe(GatePlan& plan) override {
    plan.sides = request_.commands;
    ComparedBenchmark benchmark{.program = "commands",
                                .name = request_.commands.front(),
                                .pilot = {.batches = {.iterations = 0}}};
    for (size_t side = 0; side < request_.commands.size(); ++side) {
      benchmark.sides.push_back({variant(side)});
    }
    plan.benchmarks.push_back(std::move(benchmark));
  }

  /// One of each command, if there is time for them.
  void calibrate(GatePlan& plan) override {
    ComparedBenchmark& benchmark = plan.benchmarks.front();
    if (benchmark.has_pilot()) return;
    Pilot pilot;
    for (size_t side = 0; side < request_.commands.size(); ++side) {
      session_.line().show("pilot of " + request_.commands[side]);
      Row row;
      if (session_.budget().over() || !run_command(side, row)) return;
      session_.place().check(is_failure(row.status));
      pilot.round_s += row.process_s;
      if (row.status != Status::ok && pilot.trouble.empty()) {
        pilot.trouble = request_.commands[side] + ": " + row.reason;
      }
      // Waiting and several threads make CPU time another quantity than what is waited for.
      const double cpu_s = row.cpu_s.value_or(0);
      if (cpu_s < 0.5 * row.process_s || cpu_s > 1.2 * row.process_s) pilot.metric = Metric::wall;
    }
    if (request_.metric == "cpu") pilot.metric = Metric::cpu;
    if (request_.metric == "wall") pilot.metric = Metric::wall;
    benchmark.pilot = pilot;
  }

  [[nodiscard]] Observe observe(const ComparedBenchmark&, size_t side) override {
    return [this, side](Row& row) { return run_command(side, row); };
  }

  [[nodiscard]] bool has_filter() const override { return false; }

 private:
  /// The first command is the base; a later one goes by its text, with its number where that is
  /// taken.
  [[nodiscard]] std::string variant(size_t side) const {
    if (side == 0) return "base";
    const auto& commands = request_.commands;
    const std::string& text = commands[side];
    const auto end = commands.begin() + static_cast<std::ptrdiff_t>(side);
    const bool taken =
        text == "base" || text == "control" || std::find(commands.begin() + 1, end, text) != end;
    return taken ? fmt::format("{} ({})", text, side + 1) : text;
  }

  /// False: the user stopped it, or the budget is over.
  bool run_command(size_t side, Row& row) {
    const ProcessLimits limits{request_.limit_s, session_.place().memory_limit_bytes(),
                               session_.budget().left_s()};
    const std::map<std::string, std::string> environment = {{"TMPDIR", session_.place().scratch()}};
    if (!request_.setup.empty()) {
      const Process setup =
          run_process({"/bin/sh", "-c", request_.setup}, environment, limits, Leftovers::keep);
      if (setup.cut_short()) return false;
      if (setup.exit_code || setup.signal) {
        throw CannotMeasure(
            fmt::format("the set-up '{}' failed: {}", request_.setup,
                        setup.last_words.empty() ? "it said nothing" : setup.last_words));
      }
    }
    const Process process = run_process(words_of(request_.commands[side]), environment, limits);
    empty_folder(session_.place().scratch());
    if (process.cut_short()) return false;
    row.process_s = process.wall_s;
    row.process_rss_bytes = process.rss_bytes;
    row.limit_s = request_.limit_s;
    row.iterations = 1;
    read_end(process, limits, row);
    return true;
  }

  /// What became of a command.
  void read_end(const Process& process, const ProcessLimits& limits, Row& row) const {
    if (process.stopped == Process::Stopped::over_memory) {
      row.status = Status::oom;
      row.reason = "stopped at " + byte_size(static_cast<double>(limits.memory_bytes)) +
                   " of memory (--memory-limit)";
    } else if (process.stopped != Process::Stopped::no) {
      row.status = Status::timeout;
      row.reason = "stopped at the limit of " + duration(request_.limit_s);
    } else if (process.signal || (process.exit_code && !request_.ignore_failure) ||
               process.exit_code == 127) {
      row.status = Status::crash;
      const bool could_be = process.exit_code && process.exit_code != 127;
      const char* hint = could_be ? " (--ignore-failure measures it anyway)" : "";
      row.reason = with_last_words(bad_end(process) + hint, process.last_words);
    } else {
      row.status = Status::ok;
      row.wall_s = process.wall_s;
      row.cpu_s = process.cpu_s;
    }
  }

  const CompareRequest& request_;
  GateSession& session_;
};

}  // namespace

int run_compare(const CompareRequest& request) {
  if (request.commands.size() < 2) throw UserError("compare takes two commands or more");
  GateSession session(request);
  Commands commands(request, session);
  return compare_sides(session, commands);
}

}  // namespace cliffbench
