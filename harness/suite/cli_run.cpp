#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "harness/core/cli/cli_options.hpp"
#include "harness/core/cli/verbs.hpp"
#include "harness/core/host/file.hpp"
#include "harness/core/record/folder.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/plan/shard.hpp"
#include "harness/suite/run/case_programs.hpp"
#include "harness/suite/run/estimate.hpp"
#include "harness/suite/run/run.hpp"
#include "harness/suite/run/run_folder.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// The words as typed, and the request made of them.
struct RunFlags {
  std::vector<std::string> programs, axes, variants;
  std::string out, resume, shard = "1/1";
  RunRequest request;
};

/// The options of `run` and `plan` that choose the cells.
void add_filter_options(CLI::App* verb, RunFlags& flags) {
  verb->add_option("programs", flags.programs,
                   "Cases, case@subject, or paths of programs (default: all)");
  verb->add_option("--profile", flags.request.filter.profile,
                   "Which cells of each case (default: quick; with --axis or --variant: every cell "
                   "that matches)");
  verb->add_option("--axis", flags.axes, "NAME=VALUE[,VALUE...]: only these values of an axis");
  verb->add_option("--variant", flags.variants, "NAME[,NAME...]: only these variants");
  verb->add_option("--rounds", flags.request.filter.rounds,
                   "Rounds of every cell (default: the profile's)")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--limit", flags.request.filter.limit_s,
                   "Stop a timed region after this time, such as 90s")
      ->transform(time_option());
  verb->add_option("--seed", flags.request.seed, "Seed of the random order (default: a new one)")
      ->transform(whole_number_option());
}

/// The cases of a plan that are built here. Asks each program once; empty without a plan.
CasePrograms planned_cases(const fs::path& plan, const fs::path& folder) {
  CasePrograms cases;
  if (!is_there(plan)) return cases;
  const auto planned = read_plan(plan, Links::followed).programs;
  const auto known = find_programs(folder);
  const auto add = [&](const fs::path& path) {
    for (auto& [name, description] : describe_program(path)) {
      if (planned.contains(name)) cases.try_emplace(name, path, std::move(description));
    }
  };
  for (const auto& [program, path] : known) {
    if (planned.contains(program)) add(path);
  }
  for (const auto& [program, path] : known) {
    if (planned.contains(program)) continue;
    if (cases.size() == planned.size()) break;  // require_same_programs says which is missing
    try {
      add(path);
    } catch (const CannotMeasure&) {  // broken, and not asked for
    }
  }
  return cases;
}

RunRequest make_request(const RunFlags& flags, const Call& call) {
  RunRequest request = flags.request;
  CellFilter& filter = request.filter;
  filter.axes = parse_axes(flags.axes);
  filter.variants = parse_variants(flags.variants);
  if (filter.profile.empty() && filter.axes.empty() && filter.variants.empty()) {
    filter.profile = "quick";
  }
  const bool has_plan_file = !request.plan_file.empty();
  request.resume = !flags.resume.empty();
  request.folder = request.resume ? flags.resume : flags.out;
  if (request.folder.empty() && !has_plan_file) {
    request.folder = unused("results/local/" + utc_now("%Y%m%d-%H%M%S"));
  }
  if ((request.resume || has_plan_file) && flags.programs.empty()) {
    const fs::path plan = has_plan_file ? request.plan_file : request.folder / "plan.json";
    request.programs = planned_cases(plan, call.cases);
  } else {
    request.programs = wanted_cases(flags.programs, call.cases);
  }
  for (const std::string& word : flags.programs) {
    if (word.find('/') != std::string::npos) request.paths += quoted(word) + " ";
  }
  if (request.seed == 0) request.seed = std::random_device()();
  request.shard = parse_shard(flags.shard);
  request.command = call.command;
  return request;
}

int write_plan(const RunRequest& request) {
  const Plan plan = make_plan(request.programs, request.filter, request.seed);
  const std::string text = estimate_text(plan, estimate(plan, slots_of(plan), costs_before(plan)));
  if (is_standard_output(request.folder)) {
    fmt::print("{}", record_text(plan_json(plan)));
    if (std::fflush(stdout) != 0) throw CannotMeasure("cannot write to standard output");
    say(stderr, "{}\n", text);
    return 0;
  }
  write_record(request.folder, plan_json(plan));
  say_wrapped(fmt::format("{} in {}\n", text, request.folder.string()));
  return 0;
}

}  // namespace

void add_plan(CLI::App& app, Call& call) {
  CLI::App* verb =
      app.add_subcommand("plan", "Write a run's plan to a file, to measure it on several machines");
  const auto flags = std::make_shared<RunFlags>();
  add_filter_options(verb, *flags);
  verb->add_option("--out", flags->out, "The plan's file (-: standard output)")->required();
  verb->footer(
      "Example: cliffbench plan --profile full --out plan.json\n"
      "         cliffbench run --plan plan.json --shard 2/8 --out rows/2   (again: resumes)\n"
      "         cliffbench merge rows/* --out all\n"
      "Exit: 0 written, 2 usage, 13 a program is broken or the file cannot be written");
  verb->callback([&call, flags] { call.exit = write_plan(make_request(*flags, call)); });
}

void add_run(CLI::App& app, Call& call) {
  CLI::App* verb = app.add_subcommand(
      "run",
      "Measure: one process per trial, all variants of a point back to back in random order");
  const auto shared = std::make_shared<RunFlags>();
  RunFlags& flags = *shared;
  add_filter_options(verb, flags);
  verb->add_option("--memory-limit", flags.request.memory_limit_bytes,
                   "Memory of each trial, such as 500MB (default: 9/10 of the free memory)")
      ->transform(size_option());
  verb->add_option("--out", flags.out, "Folder of the run (default: results/local/<time>)");
  verb->add_option("--resume", flags.resume, "Resume the run in this folder")
      ->excludes("--profile", "--axis", "--variant", "--rounds", "--limit", "--seed", "--out");
  verb->add_option("--plan", flags.request.plan_file,
                   "Measure this plan; repeat the command to resume it")
      ->excludes("--profile", "--axis", "--variant", "--rounds", "--limit", "--seed", "--resume");
  verb->add_option("--shard", flags.shard, "I/N: only the I-th of N parts of the plan")
      ->needs("--plan");
  verb->add_option("--budget", flags.request.budget_s,
                   "Start no new point after this time, such as 90s, 20m, 8h")
      ->transform(time_option());
  verb->add_flag("--dry-run", flags.request.dry_run, "Estimate the time; measure nothing");
  verb->add_flag("--quiet", flags.request.quiet,
                 "Do not print each trial (they are in the folder's trials.log)");
  verb->footer(
      "Example: cliffbench run conceptual_stmt --axis buffers=1,2 --axis size=768x512 --axis "
      "format=HTML "
      "--axis target=host --variant baseline,all\n"
      "Exit: 0 measured, 2 usage, 13 could not measure, 130 stopped by the user");
  verb->callback([&call, shared] { call.exit = run_benchmarks(make_request(*shared, call)); });
}

}  // namespace cliffbench
