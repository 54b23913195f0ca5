#include "harness/cli/cli_gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/cli/cli_options.hpp"
#include "harness/gate/gate_folder.hpp"
#include "harness/host/file.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

void add_common(CLI::App* verb, GateOptions& options, std::string& out, std::string& resume) {
  verb->add_option("--budget", options.budget_s,
                   "Stop after this time, such as 10m, pilot runs and instruction counts included; "
                   "what is undecided by then is inconclusive (default: no limit)")
      ->transform(time_option());
  verb->add_option("--limit", options.limit_s, "Stop a process after this time (default: 600s)")
      ->transform(time_option());
  verb->add_option("--memory-limit", options.memory_limit_bytes,
                   "Memory of each process, such as 500MB (default: 9/10 of what is free)")
      ->transform(size_option());
  verb->add_flag("--strict", options.strict, "Exit with 12 if a benchmark is inconclusive");
  verb->add_flag("--trust-times", options.trust_times,
                 "Let times decide even if the CPU model changes during the run");
  verb->add_option(
          "--margin", options.margin,
          "A smaller slowdown is not a regression (default: 2%, which layout and noise can cause)")
      ->transform(share_option());
  verb->add_option("--must-find", options.must_find,
                   "A slowdown that must be ruled out before a benchmark is ok (default: 5%); more "
                   "than --margin")
      ->transform(share_option());
  verb->add_option("--seed", options.seed, "Seed of the random order (default: a new one)")
      ->transform(whole_number_option());
  verb->add_option("--out", out,
                   "Output folder (default: cliffbench-gate/<time>-" + verb->get_name() + ")");
  verb->add_option("--resume", resume, "Continue in this folder, with the same programs")
      ->excludes("--seed", "--out", "--margin", "--must-find");
}

}  // namespace

GateVerbs::GateVerbs(CLI::App& app) {
  gate_ = app.add_subcommand(
      "gate", "Did this change make a benchmark slower? Compares pairs of processes");
  GateRequest& gate = gate_request_;
  gate_->add_option("--base", gate.base,
                    "Google Benchmark program, or build folder, before the change");
  gate_->add_option("--head", gate.head, "The same after the change");
  gate_->add_option("--filter", gate.filter,
                    "Only benchmarks whose name matches this regular expression");
  gate_
      ->add_option("--metric", gate.metric,
                   "What decides: cpu, wall or instructions (default: CPU time for single-threaded "
                   "programs, otherwise wall time)")
      ->check(CLI::IsMember({"cpu", "wall", "instructions"}));
  gate_
      ->add_option(
          "--instructions", gate.instructions,
          "Count instructions: needed (for slower and undecided benchmarks), always, never")
      ->check(CLI::IsMember({"needed", "always", "never"}))
      ->capture_default_str();
  gate_
      ->add_option("--batch", gate.batch_s,
                   "Timed region of one process, in up to ten batches of which the fastest counts "
                   "(default: 50ms)")
      ->check(CLI::Range(0.001, 3600.0))
      ->transform(time_option());
  gate_
      ->add_option("--relink", gate.relink,
                   "Program that links a suspect in another layout, called as PROGRAM SEED OUT")
      ->check(CLI::ExistingFile);
  gate_->add_flag("--new-output", gate.new_output, "Accept output that differs from the base's");
  add_common(gate_, gate, out_, resume_);
  gate_->add_option("--from", from_,
                    "Judge the rows of these folders (from one machine or several) again without "
                    "measuring; only --out and --strict go with it");
  gate_->footer(
      "Arguments after -- go to both programs. Both run in your working folder and\nwith your "
      "environment, except for a TMPDIR of their own.\nThe chance of a false REGRESSION anywhere "
      "in a suite is at most 1 %, however\nmany benchmarks it has; so is that of a false UNPROVEN "
      "(exit code 14).\nExample: cliffbench gate --base old/my_benchmark --head new/my_benchmark "
      "--filter parse -- --data my.json\nExit: 0 no regression, 2 usage, 10 regression, 12 "
      "inconclusive (--strict),\n      13 a benchmark crashed, was wrong or could not be "
      "measured,\n      14 the base differs from itself, 130 stopped by the user");

  compare_ = app.add_subcommand("compare", "Which command is faster? Like gate, for any commands");
  CompareRequest& compare = compare_request_;
  compare_->add_option("commands", compare.commands, "Commands to compare; the first is the base")
      ->required();
  compare_->add_option("--setup", compare.setup, "Run this before each command, unmeasured");
  compare_->add_option("--metric", compare.metric, "What decides: cpu or wall")
      ->check(CLI::IsMember({"cpu", "wall"}));
  compare_->add_flag("--ignore-failure", compare.ignore_failure, "Accept any exit code");
  add_common(compare_, compare, out_, resume_);
  compare_->footer(
      "Example: cliffbench compare --setup sync 'gzip -k -f data' 'zstd -k -f data'\nExit: 0 no "
      "command is slower than the first, 2 usage, 10 one is slower,\n      12 inconclusive "
      "(--strict), 13 a command failed,\n      14 the first differs from itself, 130 stopped by "
      "the user");
}

void GateVerbs::take_arguments(int& argc, char** argv) {
  if (argc < 2 || gate_->get_name() != argv[1]) return;
  char** const end = argv + argc;
  char** const mark = std::find(argv, end, std::string_view("--"));
  if (mark == end) return;
  arguments_.assign(mark + 1, end);
  argc = static_cast<int>(mark - argv);
}

bool GateVerbs::run(const std::string& command, int& exit) {
  if (!*gate_ && !*compare_) return false;
  GateOptions& options = *gate_ ? static_cast<GateOptions&>(gate_request_) : compare_request_;
  if (!from_.empty()) {
    for (const CLI::Option* option : gate_->get_options()) {
      const std::string name = option->get_name();
      const bool obeyed = name == "--from" || name == "--out" || name == "--strict";
      if (option->count() == 0 || obeyed) continue;
      throw UserError("--from judges what was measured and takes no " + name);
    }
    exit = judge_gate_folders(from_, out_.empty() ? from_.front() : fs::path(out_), options.strict);
    return true;
  }
  if (*gate_ && (gate_request_.base.empty() || gate_request_.head.empty())) {
    throw UserError(
        "gate needs --base and --head: two Google Benchmark programs, or two build folders");
  }
  for (const std::string& argument : arguments_) {
    if (!argument.starts_with("--benchmark_")) continue;
    throw UserError(argument + " after -- is chosen by the gate; leave it out" +
                    (argument.starts_with("--benchmark_filter") ? " and use --filter" : ""));
  }
  if (!(options.margin < options.must_find)) {
    throw UserError(fmt::format("--margin {:g}% must be less than --must-find {:g}%",
                                options.margin * 100, options.must_find * 100));
  }
  gate_request_.arguments = arguments_;
  options.own_folder = resume_.empty() && out_.empty();
  options.resume = !resume_.empty();
  options.folder =
      !resume_.empty() ? resume_
      : !out_.empty()
          ? out_
          : unused("cliffbench-gate/" + utc_now("%Y%m%d-%H%M%S-") + (*gate_ ? "gate" : "compare"));
  options.command = command;
  exit = *gate_ ? run_gate(gate_request_) : run_compare(compare_request_);
  return true;
}

}  // namespace cliffbench
