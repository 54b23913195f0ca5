#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/gate/evidence_file.hpp"
#include "harness/gate/gate_run.hpp"
#include "harness/gate/gate_session.hpp"
#include "harness/host/process.hpp"
#include "harness/host/stopping.hpp"
#include "harness/print/rulings.hpp"
#include "harness/program/program.hpp"
#include "harness/record/record.hpp"
#include "harness/text/terminal.hpp"
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

class Comparison {
 public:
  explicit Comparison(const CompareRequest& request) : request_(request), session_(request) {}

  int run() {
    if (request_.commands.size() < 2) throw UserError("compare takes two commands or more");
    GatePlan plan = request_.resume ? session_.resume_plan(fingerprints()) : new_plan();
    const bool written = request_.resume && plan.benchmarks.front().has_pilot();
    if (!plan.benchmarks.front().has_pilot()) calibrate_all(plan.benchmarks.front());
    if (stop_requested()) return session_.stopped();
    std::vector<ComparedBenchmark> benchmarks = read_benchmarks(plan, session_.folder());
    for (size_t side = 0; side < request_.commands.size(); ++side) {
      benchmarks.front().sides[side].observe = [this, side](Row& row) {
        return observe(side, row);
      };
    }
    session_.begin(plan, written);
    const auto print = [](size_t, const std::vector<GateFinding>& findings) {
      for (const GateFinding& finding : findings)
        say_coloured(finding_text(finding, screen_width()) + "\n");
      std::fflush(stdout);
    };
    const auto left = session_.measure(plan, benchmarks, print);
    if (!left) return session_.stopped();
    GateReport report = report_of(plan, benchmarks, session_.number());
    report.has_filter = false;
    report.open = left->open;
    report.open_s = left->next_s;
    Evidence evidence;
    evidence.unfit = session_.why_unfit();
    apply_evidence(report, evidence, false);
    write_record(session_.folder() / "evidence.json", evidence_json(evidence));
    return session_.publish(std::move(report));
  }

 private:
  [[nodiscard]] std::map<std::string, std::string> fingerprints() const {
    std::map<std::string, std::string> found;
    for (size_t side = 0; side < request_.commands.size(); ++side) {
      found[fmt::format("command {}", side + 1)] = request_.commands[side];
    }
    return found;
  }

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

  GatePlan new_plan() {
    GatePlan plan = session_.new_plan(request_.commands, {});
    plan.fingerprints = fingerprints();
    PlannedBenchmark benchmark{
        .program = "commands", .name = request_.commands.front(), .batches = {0, 0}};
    for (size_t side = 0; side < request_.commands.size(); ++side) {
      benchmark.variants.push_back(variant(side));
    }
    plan.benchmarks.push_back(std::move(benchmark));
    return plan;
  }

  /// One of each command, if there is time for them.
  void calibrate_all(PlannedBenchmark& benchmark) {
    PlannedBenchmark seen = benchmark;
    for (size_t side = 0; side < request_.commands.size(); ++side) {
      session_.show_pilot(request_.commands[side]);
      Row row;
      if (session_.budget().over() || !observe(side, row)) return;
      session_.place().check(is_failure(row.status));
      seen.round_s += row.process_s;
      if (row.status != Status::ok && seen.trouble.empty()) {
        seen.trouble = request_.commands[side] + ": " + row.reason;
      }
      // Waiting and several threads make CPU time another quantity than what is waited for.
      const double cpu_s = row.cpu_s.value_or(0);
      if (cpu_s < 0.5 * row.process_s || cpu_s > 1.2 * row.process_s) seen.metric = Metric::wall;
    }
    if (request_.metric == "cpu") seen.metric = Metric::cpu;
    if (request_.metric == "wall") seen.metric = Metric::wall;
    seen.batches.iterations = 1;
    benchmark = std::move(seen);
  }

  bool observe(size_t side, Row& row) {
    const ProcessLimits limits{request_.limit_s, session_.place().memory_limit_bytes(),
                               session_.budget().left_s()};
    const std::map<std::string, std::string> surroundings = {
        {"TMPDIR", session_.place().scratch()}};
    if (!request_.setup.empty()) {
      const Process setup =
          run_process({"/bin/sh", "-c", request_.setup}, surroundings, limits, Leftovers::keep);
      if (setup.cut_short()) return false;
      if (setup.exit_code || setup.signal) {
        throw CannotMeasure(
            fmt::format("the set-up '{}' failed: {}", request_.setup,
                        setup.last_words.empty() ? "it said nothing" : setup.last_words));
      }
    }
    const Process process = run_process(words_of(request_.commands[side]), surroundings, limits);
    empty_folder(session_.place().scratch());
    row.process_s = process.wall_s;
    row.process_rss_bytes = process.rss_bytes;
    row.limit_s = request_.limit_s;
    row.iterations = 1;
    if (process.cut_short()) return false;
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
    return true;
  }

  const CompareRequest& request_;
  GateSession session_;
};

}  // namespace

int run_compare(const CompareRequest& request) { return Comparison(request).run(); }

}  // namespace cliffbench
