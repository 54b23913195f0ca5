#include "harness/cli/cli_gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/cli/cli_options.hpp"
#include "harness/gate/gate_folder.hpp"
#include "harness/host/file.hpp"
#include "harness/host/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

void add_common(CLI::App* verb, GateOptions& options, std::string& out, std::string& resume) {
  verb->add_option("--budget", options.budget_s,
                   "Stop after this time, as 10m, pilots and counting included; what is left is "
                   "inconclusive (no end)")
      ->transform(time_option());
  verb->add_option("--limit", options.limit_s, "Time after which one process is stopped (600s)")
      ->transform(time_option());
  verb->add_option("--memory-limit", options.memory_limit_bytes,
                   "Memory of each process, as 500MB (9/10 of what is free)")
      ->transform(size_option());
  verb->add_flag("--strict", options.strict, "Exit with 12 when something is left inconclusive");
  verb->add_flag("--trust-times", options.trust_times,
                 "Let times decide even if the processor's model changed in the middle");
  verb->add_option("--margin", options.margin,
                   "Slower by less is no regression (2%: layout and noise make as much)")
      ->transform(share_option());
  verb->add_option("--must-find", options.must_find,
                   "A slowdown that must show before a benchmark is ok (5%); above the margin")
      ->transform(share_option());
  verb->add_option("--seed", options.seed, "Of the order (drawn anew)")
      ->transform(whole_number_option());
  verb->add_option("--out", out, "Folder of it (cliffbench-gate/<time>-" + verb->get_name() + ")");
  verb->add_option("--resume", resume, "Go on in this folder, with the same sides")
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
  gate_->add_option("--filter", gate.filter, "Only benchmarks whose name this expression finds");
  gate_
      ->add_option("--metric", gate.metric,
                   "What decides: cpu, wall or instructions (CPU time for single-threaded "
                   "programs, else wall time)")
      ->check(CLI::IsMember({"cpu", "wall", "instructions"}));
  gate_
      ->add_option("--instructions", gate.instructions,
                   "Count them: needed (for slower and undecided ones), always, never")
      ->check(CLI::IsMember({"needed", "always", "never"}))
      ->capture_default_str();
  gate_->add_option("--batch", gate.batch_s, "Timed region of one process (50ms)")
      ->check(CLI::Range(0.001, 3600.0))
      ->transform(time_option());
  gate_
      ->add_option("--relink", gate.relink,
                   "Program that links a suspect in another layout: PROGRAM SEED OUT")
      ->check(CLI::ExistingFile);
  gate_->add_flag("--new-output", gate.new_output, "The head's digests may differ from the base's");
  add_common(gate_, gate, out_, resume_);
  gate_->add_option("--from", from_,
                    "Rule again from the rows of these folders (of one machine or several), as "
                    "they were measured; takes --out and --strict alone");
  gate_->footer(
      "What stands after -- goes to both programs; they have your environment (but a TMPDIR of "
      "their\nown) and working folder.\n"
      "The chance of a false REGRESSION anywhere in a suite is at most 1 %, however many "
      "benchmarks it has,\nand so is that of a false UNPROVEN (14).\n"
      "Example: cliffbench gate --base old/my_benchmark --head new/my_benchmark --filter parse -- "
      "--data my.json\n"
      "Exit: 0 no regression, 2 usage, 10 regression, 12 inconclusive (--strict), 13 a benchmark "
      "crashed,\n      was wrong or could not be measured, 14 the base differs from itself, 130 "
      "stopped by the user");

  compare_ = app.add_subcommand("compare", "Which command is faster? As gate, for any commands");
  CompareRequest& compare = compare_request_;
  compare_->add_option("commands", compare.commands, "The first is the base")->required();
  compare_->add_option("--setup", compare.setup, "Run before each command, not measured");
  compare_->add_option("--metric", compare.metric, "What decides: cpu or wall")
      ->check(CLI::IsMember({"cpu", "wall"}));
  compare_->add_flag("--ignore-failure", compare.ignore_failure, "Exit codes do not matter");
  add_common(compare_, compare, out_, resume_);
  compare_->footer(
      "Example: cliffbench compare --setup sync 'gzip -k -f data' 'zstd -k -f data'\n"
      "Exit: 0 no command is slower than the first, 2 usage, 10 one is slower, 12 inconclusive "
      "(--strict),\n      13 a command failed, 14 the first differs from itself, 130 stopped by "
      "the "
      "user");
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
      throw UserError("--from rules again by what was measured and takes no " + name);
    }
    exit = judge_gate_folders(from_, out_.empty() ? from_.front() : fs::path(out_), options.strict);
    return true;
  }
  if (*gate_ && (gate_request_.base.empty() || gate_request_.head.empty())) {
    throw UserError(
        "gate takes --base and --head: two Google Benchmark programs, or two build "
        "folders");
  }
  for (const std::string& argument : arguments_) {
    if (!argument.starts_with("--benchmark_")) continue;
    throw UserError(argument + " after -- is the gate's own to choose; leave it out" +
                    (argument.starts_with("--benchmark_filter") ? " and give --filter" : ""));
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
