#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/core/cli/cli_options.hpp"
#include "harness/core/cli/verbs.hpp"
#include "harness/core/host/file.hpp"
#include "harness/core/text/text.hpp"
#include "harness/gate/gate.hpp"
#include "harness/gate/gate_folder.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

struct GateFlags {
  GateRequest request;
  std::string out, resume, instructions = "needed";
  std::vector<std::string> metrics, larger, margins, must_find;
  std::vector<fs::path> from;
};

void add_measuring_options(CLI::App* verb, GateFlags& flags) {
  GateRequest& request = flags.request;
  verb->add_option("--budget", request.budget_s,
                   "Stop after this time, such as 10m, pilot runs and instruction counts included; "
                   "undecided benchmarks are inconclusive (default: no limit)")
      ->transform(time_option());
  verb->add_option(
          "--limit", request.limit_s,
          "Longest time of a process; one that takes far longer than its pilot run is stopped "
          "earlier (default: 600s)")
      ->transform(time_option());
  verb->add_option("--memory-limit", request.memory_limit_bytes,
                   "Memory of each process, such as 500MB (default: 9/10 of what is free)")
      ->transform(size_option());
  verb->add_flag("--strict", request.strict, "Exit with 12 if a benchmark is inconclusive");
  verb->add_option("--margin", flags.margins,
                   "Largest slowdown that is not a regression (default: 2%; layout and noise cause "
                   "as much). For some benchmarks: --margin '^parse=10%'; the last match wins")
      ->allow_extra_args(false)
      ->transform(own_share_option());
  verb->add_option("--must-find", flags.must_find,
                   "Smallest slowdown that must be detected: a benchmark is ok if it is ruled out "
                   "(default: 5%). Must exceed --margin; REGEX as in --margin")
      ->allow_extra_args(false)
      ->transform(own_share_option());
  verb->add_option("--seed", request.seed, "Seed of the random order (default: a new one)")
      ->transform(whole_number_option());
  verb->add_option(
      "--out", flags.out,
      "Output folder (default: cliffbench-gate/<time>-gate; of --from, its first folder)");
  verb->add_option("--resume", flags.resume, "Continue in this folder, with the same programs")
      ->excludes("--seed", "--out", "--margin", "--must-find");
}

void read_metrics(const GateFlags& flags, GateRequest& request) {
  constexpr std::string_view kCounter = "counter:";
  for (const std::string& metric : flags.metrics) {
    if (metric.starts_with(kCounter)) {
      const std::string name = metric.substr(kCounter.size());
      request.counters.push_back({name, contains(flags.larger, name) || is_rate(name)});
    } else if (!request.metric) {
      request.metric = value_of<Metric>(metric);
    } else {
      throw UserError(fmt::format("--metric takes only one of {} and {}; counters may be added",
                                  word(*request.metric), metric));
    }
  }
  for (const std::string& name : flags.larger) {
    const auto found = std::ranges::find(request.counters, name, &WantedCounter::name);
    if (found != request.counters.end()) continue;
    throw UserError("--larger-is-better " + name + " needs --metric counter:" + name);
  }
  if (request.metric == Metric::instructions && !request.counters.empty()) {
    throw UserError("--metric instructions measures no pairs, so no counter can be compared");
  }
}

std::vector<OwnShare> read_shares(const std::vector<std::string>& words, double& for_all) {
  std::vector<OwnShare> own;
  for (const std::string& word : words) {
    const size_t equals = word.rfind('=');
    const double share = std::stod(word.substr(equals + 1));  // of npos + 1, all
    if (equals == std::string::npos) {
      for_all = share;
    } else {
      own.push_back({word.substr(0, equals), share});
    }
  }
  return own;
}

void complete(GateFlags& flags, const Call& call) {
  GateRequest& request = flags.request;
  request.own_margins = read_shares(flags.margins, request.margin);
  request.own_must_find = read_shares(flags.must_find, request.must_find);
  if (!(request.margin < request.must_find)) {
    throw UserError(fmt::format("--margin {:g}% must be less than --must-find {:g}%",
                                request.margin * 100, request.must_find * 100));
  }
  read_metrics(flags, request);
  if (!request.head_filter.empty() &&
      (request.filter.starts_with('-') || request.head_filter.starts_with('-'))) {
    throw UserError("--filter and --head-filter cannot exclude (-REGEX) when both are given");
  }
  request.count = value_of<CountWhen>(flags.instructions);
  request.resume = !flags.resume.empty();
  request.own_folder = flags.resume.empty() && flags.out.empty();
  request.folder = request.resume ? flags.resume : flags.out;
  if (request.own_folder) {
    request.folder = unused("cliffbench-gate/" + utc_now("%Y%m%d-%H%M%S-gate"));
  }
  request.arguments = call.arguments;
  request.command = call.command;
}

int judge_again(const GateFlags& flags, const CLI::App* verb) {
  for (const CLI::Option* option : verb->get_options()) {
    const std::string name = option->get_name();
    const bool obeyed = name == "--from" || name == "--out" || name == "--strict";
    if (option->count() == 0 || obeyed) continue;
    throw UserError("--from judges recorded rows and takes no " + name);
  }
  const fs::path out = flags.out.empty() ? flags.from.front() : fs::path(flags.out);
  return judge_gate_folders(flags.from, out, flags.request.strict);
}

int measure_gate(GateFlags& flags, const CLI::App* verb, const Call& call) {
  if (!flags.from.empty()) return judge_again(flags, verb);
  GateRequest& request = flags.request;
  if (request.base.empty() || request.head.empty()) {
    throw UserError(
        "gate needs --base and --head: two Google Benchmark programs, or two build folders");
  }
  for (const std::string& argument : call.arguments) {
    // These change what is measured, and nothing of what the gate asks for.
    const bool passed_on = argument.starts_with("--benchmark_min_warmup_time=") ||
                           argument.starts_with("--benchmark_perf_counters=") ||
                           argument.starts_with("--benchmark_context=");
    if (!argument.starts_with("--benchmark_") || passed_on) continue;
    throw UserError("the gate sets " + argument + " itself; leave it out after --" +
                    (argument.starts_with("--benchmark_filter") ? " and use --filter" : ""));
  }
  complete(flags, call);
  return run_gate(request);
}

}  // namespace

void add_gate(CLI::App& app, Call& call) {
  CLI::App* verb = app.add_subcommand(
      "gate", "Did this change make a benchmark slower? Compares pairs of processes");
  const auto flags = std::make_shared<GateFlags>();
  GateRequest& request = flags->request;
  verb->add_option("--base", request.base,
                   "Google Benchmark program, or build folder, before the change");
  verb->add_option("--head", request.head, "The same after the change");
  verb->add_option("--filter", request.filter,
                   "Compare only these benchmarks, as --benchmark_filter does; -REGEX excludes");
  verb->add_option("--head-filter", request.head_filter,
                   "Compare the base's benchmarks that match --filter with the head's that match "
                   "this, such as --filter sort_old --head-filter sort_new")
      ->needs("--filter");
  verb->add_option("--metric", flags->metrics,
                   "Compare cpu, wall or instructions (default: CPU time, but wall time for "
                   "programs that use threads or block); also any number of counter:NAME")
      ->allow_extra_args(false)
      ->check([](const std::string& text) -> std::string {
        const bool counter = text.starts_with("counter:") && text.size() > 8;
        if (counter || text == "cpu" || text == "wall" || text == "instructions") return "";
        return "'" + text + "' is not cpu, wall, instructions or counter:NAME";
      });
  verb->add_option("--larger-is-better", flags->larger,
                   "Counter that is better when larger (default for NAME_per_second, NAME/s, "
                   "NAME_rate)")
      ->allow_extra_args(false);
  verb->add_option("--instructions", flags->instructions,
                   "Count instructions: always, never, or where they explain or change a ruling "
                   "(default: needed)")
      ->check(CLI::IsMember({"needed", "always", "never"}));
  verb->add_option("--batch", request.batch_s,
                   "Timed region of one process, in up to ten batches (default: 50ms)")
      ->check(CLI::Range(0.001, 3600.0))
      ->transform(time_option());
  verb->add_flag("--time-unchanged", request.time_unchanged,
                 "Also time programs that are identical on both sides");
  verb->add_flag("--new-output", request.new_output, "Accept output that differs from the base's");
  add_measuring_options(verb, *flags);
  verb->add_option("--from", flags->from,
                   "Judge the recorded rows of these folders, from one machine or several, again; "
                   "takes only --out and --strict");
  verb->footer(
      "Arguments after -- go to both programs. Both run in your working folder and\nwith your "
      "environment, except for a TMPDIR of their own.\nThe chance of a false REGRESSION in a whole "
      "suite is at most 1 %, and so is\nthe chance of a false UNPROVEN (exit code 14).\nExample: "
      "cliffbench gate --base old/my_benchmark --head new/my_benchmark "
      "--filter parse -- --data my.json\nExit: 0 no regression, 2 usage, 10 regression, 12 "
      "inconclusive (--strict),\n      13 a benchmark crashed, was wrong or could not be "
      "measured, or nothing was compared,\n      14 the base differs from itself, 130 stopped by "
      "the user");
  verb->callback([flags, verb, &call] { call.exit = measure_gate(*flags, verb, call); });
}

}  // namespace cliffbench
