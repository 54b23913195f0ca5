#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "harness/build_info.hpp"
#include "harness/case/describe.hpp"
#include "harness/cli/cli_gate.hpp"
#include "harness/cli/cli_options.hpp"
#include "harness/host/exit_code.hpp"
#include "harness/host/machine.hpp"
#include "harness/host/text.hpp"
#include "harness/plan/shard.hpp"
#include "harness/print/width.hpp"
#include "harness/program/program.hpp"
#include "harness/record/folder.hpp"
#include "harness/record/record.hpp"
#include "harness/record/session.hpp"
#include "harness/run/import.hpp"
#include "harness/run/judge.hpp"
#include "harness/run/merge.hpp"
#include "harness/run/run.hpp"
#include "harness/run/status.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// build/cases, beside this program.
fs::path cases_folder(const char* argv0) {
  const fs::path self = own_path();
  return (self.empty() ? fs::absolute(argv0) : self).parent_path() / "cases";
}

void list(const std::map<std::string, CaseProgram>& programs) {
  for (const auto& [name, program] : programs) {
    const Case& declared = program.description.declared;
    fmt::print("{}\n  {}\n", name, declared.why);
    Table axes, variants, profiles;
    for (const Axis& axis : declared.axes) {
      axes.row({"  axis " + axis.name,
                joined(axis.values) + (axis.unit.empty() ? "" : "  (" + axis.unit + ")")});
    }
    for (const Variant& variant : declared.variants) {
      variants.row({"  variant " + variant.name, word(variant.role), variant.why});
    }
    for (const Profile& profile : declared.profiles) {
      profiles.row({"  profile " + profile.name, profile.why});
    }
    fmt::print("{}{}{}", axes.text(), variants.text(), profiles.text());
  }
}

void doctor(const std::map<std::string, fs::path>& programs) {
  const Machine machine = describe_machine();
  const auto load = load_averages();
  const std::string counts = why_no_instruction_counts();
  fmt::print("machine      {} ({}), {} cores{}, {}{}\n", machine.cpu, machine.arch, machine.cores,
             machine.core_kinds.empty() ? "" : " (" + machine.core_kinds + ")", machine.caches,
             machine.virtualised ? ", virtualised" : "");
  if (machine.emulated)
    fmt::print("             emulated: nothing that is measured here is a row\n");
  fmt::print("system       {}, {}\n", machine.os, machine.kernel);
  fmt::print("memory       {}, {} free\n", byte_size(static_cast<double>(machine.memory_bytes)),
             byte_size(static_cast<double>(available_memory_bytes())));
  fmt::print("disk         {} free here\n",
             byte_size(static_cast<double>(fs::space(".").available)));
  const bool busy = load[0] > machine.cores * 0.5;
  fmt::print("load         {:.2f} {:.2f} {:.2f}{}\n", load[0], load[1], load[2],
             busy ? "  busy: times will be noisy, wait until it is idle" : "");
  fmt::print("built with   {} {}, commit {}{}\n", kCompiler, kFlags, kCommit,
             kDirty ? " with local changes" : "");
  fmt::print("can measure\n");
  fmt::print("  wall time, CPU time, peak memory: yes\n");
  fmt::print("  instruction counts: {}\n", counts.empty() ? "yes" : "no (" + counts + ")");
  const bool mac = machine.cpu.starts_with("Apple");
  fmt::print("  Apple M1: {}\n",
             mac ? "this machine is " + machine.cpu : "no (this machine is " + machine.arch + ")");
  for (const auto& [name, path] : programs) {
    try {
      for (const auto& [case_name, description] : describe_program(path)) {
        fmt::print("  {}: yes, {} variants\n", case_name, description.declared.variants.size());
      }
    } catch (const CannotMeasure& error) {
      fmt::print("  {}: no ({})\n", name, error.what());
    }
  }
  if (programs.empty()) fmt::print("  no case is built; run: make build\n");
}

/// Writes results/schema.json and the table in results/README.md from the one table of fields.
void write_schema(const fs::path& results) {
  constexpr std::string_view kStart = "<!-- row fields: cliffbench schema -->\n";
  constexpr std::string_view kEnd = "<!-- end -->";
  const fs::path readme = results / "README.md";
  std::string text = read_file(readme);
  const size_t start = text.find(kStart);
  const size_t end = start == std::string::npos ? start : text.find(kEnd, start);
  if (end == std::string::npos) {
    throw UserError(fmt::format("{} has no place for the table (a line '{}' and a line '{}')",
                                readme.string(), kStart.substr(0, kStart.size() - 1), kEnd));
  }
  text.replace(start + kStart.size(), end - start - kStart.size(), row_table());
  write_file(readme, text);
  write_file(results / "schema.json", row_schema().dump(2) + "\n");
}

struct RunFlags {
  std::vector<std::string> programs, axes;
  std::string profile, out, resume, plan, shard = "1/1";
  std::vector<std::string> variants;
  int rounds = 0;
  double limit_s = 0;
  std::uint64_t seed = 0;
  std::uint64_t memory_limit = 0;
  double budget_s = 0;
  bool until_decided = false;
  bool dry_run = false;
  bool quiet = false;
};

/// What chooses the cells of a plan: of `run` and of `plan`.
void add_wish(CLI::App* verb, RunFlags& flags) {
  verb->add_option("programs", flags.programs,
                   "Cases, case@subject, or paths of programs (default: all)");
  verb->add_option(
      "--profile", flags.profile,
      "Which cells of each case (default: quick; without a profile but with --axis or --variant: "
      "every cell that matches)");
  verb->add_option("--axis", flags.axes, "NAME=VALUE[,VALUE...]: only these values of an axis");
  verb->add_option("--variant", flags.variants, "NAME[,NAME...]: only these variants");
  verb->add_option("--rounds", flags.rounds, "Rounds of every cell (default: the profile's)")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--limit", flags.limit_s, "Stop a timed region after this time, such as 90s")
      ->transform(time_option());
  verb->add_option("--seed", flags.seed, "Seed of the random order (default: a new one)")
      ->transform(whole_number_option());
}

CLI::App* add_plan(CLI::App& app, RunFlags& flags) {
  CLI::App* plan =
      app.add_subcommand("plan", "Write a run's plan to a file, to measure it on several machines");
  add_wish(plan, flags);
  plan->add_option("--out", flags.out, "The plan's file (-: standard output)")->required();
  plan->footer(
      "Example: cliffbench plan --profile full --out plan.json\n"
      "         cliffbench run --plan plan.json --shard 2/8 --out rows/2   (again: resumes)\n"
      "         cliffbench merge rows/* --out all\n"
      "Exit: 0 written, 2 usage, 13 a program is broken or the file cannot be written");
  return plan;
}

CLI::App* add_run(CLI::App& app, RunFlags& flags) {
  CLI::App* run = app.add_subcommand(
      "run", "Measure: one process a trial, all variants of a point back to back in random order");
  add_wish(run, flags);
  run->add_option("--memory-limit", flags.memory_limit,
                  "Memory of each trial, such as 500MB (default: 9/10 of what is free)")
      ->transform(size_option());
  run->add_option("--out", flags.out, "Folder of the run (default: results/local/<time>)");
  run->add_option("--resume", flags.resume, "Resume the run in this folder")
      ->excludes("--profile", "--axis", "--variant", "--rounds", "--limit", "--seed", "--out");
  run->add_option("--plan", flags.plan, "Measure this plan; the same call again resumes it")
      ->excludes("--profile", "--axis", "--variant", "--rounds", "--limit", "--seed", "--resume");
  run->add_option("--shard", flags.shard, "I/N: only the I-th of N parts of the plan")
      ->needs("--plan");
  run->add_option("--budget", flags.budget_s,
                  "Begin no point after this time, such as 90s, 20m, 8h")
      ->transform(time_option());
  run->add_flag("--until-decided", flags.until_decided,
                "Stop after 6, 12, 24... rounds once every claim is decided");
  run->add_flag("--dry-run", flags.dry_run, "Estimate time and memory; measure nothing");
  run->add_flag("--quiet", flags.quiet,
                "Do not print each trial; trials.log in the folder has them");
  run->footer(
      "Example: cliffbench run conceptual_stmt --axis buffers=1,2 --axis size=768x512 --axis "
      "format=HTML "
      "--axis target=host --variant baseline,all\n"
      "Exit: 0 measured, 2 usage, 13 could not measure, 130 stopped by the user");
  return run;
}

RunRequest make_request(const RunFlags& flags, const fs::path& cases, const std::string& command) {
  RunRequest request;
  request.wish.axes = parse_axes(flags.axes);
  request.wish.variants = parse_variants(flags.variants);
  request.wish.profile = flags.profile;
  if (flags.profile.empty() && flags.axes.empty() && flags.variants.empty()) {
    request.wish.profile = "quick";
  }
  if (flags.rounds) request.wish.rounds = flags.rounds;
  if (flags.limit_s > 0) request.wish.limit_s = flags.limit_s;
  request.programs = wanted_cases(flags.programs, cases);
  request.seed = flags.seed ? flags.seed : std::random_device()();
  request.memory_limit_bytes = static_cast<std::int64_t>(flags.memory_limit);
  request.dry_run = flags.dry_run;
  request.resume = !flags.resume.empty();
  request.plan_file = flags.plan;
  request.shard = parse_shard(flags.shard);
  request.budget_s = flags.budget_s;
  request.until_decided = flags.until_decided;
  request.quiet = flags.quiet;
  request.folder = request.resume ? flags.resume : flags.out;
  if (request.folder.empty() && flags.plan.empty()) {
    request.folder = "results/local/" + utc_now("%Y%m%d-%H%M%S");
  }
  request.command = command;
  return request;
}

int write_plan(const RunRequest& request) {
  const Plan plan = make_plan(request.programs, request.wish, request.seed);
  const std::string text = estimate_text(plan, estimate(plan, slots_of(plan)));
  if (is_standard_output(request.folder)) {
    fmt::print("{}", record_text(plan_json(plan)));
    if (std::fflush(stdout) != 0) throw CannotMeasure("cannot write to standard output");
    fmt::print(stderr, "{}\n", text);
    return 0;
  }
  write_record(request.folder, plan_json(plan));
  fmt::print("{} in {}\n", text, request.folder.string());
  return 0;
}

/// Cases, or how far the runs in these folders are.
void list_words(const std::vector<std::string>& words, const fs::path& cases) {
  const auto is_folder = [](const std::string& word) { return fs::is_directory(word); };
  if (words.empty() || !std::all_of(words.begin(), words.end(), is_folder)) {
    list(wanted_cases(words, cases));
    return;
  }
  for (const std::string& folder : words) fmt::print("{}", status_text(folder));
}

int dispatch(int argc, char** argv) {
  CLI::App app("Reproduce performance cliffs, measure each fix, check each claim, gate benchmarks");
  app.require_subcommand(1);
  app.footer(
      "Example: cliffbench run conceptual_stmt --out mine && cliffbench judge mine\n"
      "Exit: 0 fine, 2 usage, 10 regression (gate, compare), 11 a verdict is not as "
      "expected,\n"
      "      12 inconclusive (--strict), 13 could not measure, 14 a control moved, 130 stopped by "
      "the user;\n"
      "      `cliffbench VERB --help` lists those of a verb");
  app.set_version_flag("--version", fmt::format("cliffbench {} (schema {})", kVersion, kSchema));
  std::vector<std::string> programs;
  CLI::App* list_verb = app.add_subcommand(
      "list", "Show the cases with axes, variants and profiles, or the progress of a run");
  list_verb->add_option("programs", programs, "Cases (default: all), or folders of runs");
  list_verb->footer(
      "Example: cliffbench list conceptual_stmt\nExit: 0 fine, 2 usage, 13 a program is broken");
  RunFlags run_flags;
  CLI::App* run_verb = add_run(app, run_flags);
  CLI::App* plan_verb = add_plan(app, run_flags);
  std::string folder;
  CLI::App* judge_verb = app.add_subcommand("judge", "Check the claims against a run");
  judge_verb->add_option("folder", folder, "Folder of a run, or its rows.jsonl")->required();
  std::vector<std::string> claims;
  judge_verb
      ->add_option(
          "--claim", claims,
          "Check this claim too: 'CASE VARIANT ratio|memory|time|share|exponent|agreement [of "
          "STAGE] [along AXIS] [against VARIANT] [at AXIS=VALUE,...] >= NUMBER' (or <=, or "
          "in LOW HIGH)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  bool brief = false;
  judge_verb->add_flag("--brief", brief, "Print the answers only, without the table");
  judge_verb->footer(
      "Example: cliffbench judge results/local/latest --claim 'conceptual_stmt@halide-19.0.0 all "
      "ratio at "
      "buffers=1,size=3072x2048,format=HTML,target=host >= 20'\n"
      "Exit: 0 as expected, 2 usage, 11 a verdict is not as expected,\n"
      "      13 something crashed, was wrong or could not be measured, 14 a control moved");
  GateVerbs gate_verbs(app);
  std::vector<std::string> sources;
  std::string target;
  CLI::App* merge_verb = app.add_subcommand(
      "merge", "Merge runs of several machines, dates or builds into one folder");
  merge_verb->add_option("folders", sources, "Folders of runs")->required();
  merge_verb->add_option("--out", target, "New folder")->required();
  merge_verb->footer(
      "Example: cliffbench merge monday tuesday --out both\n"
      "Exit: 0 merged, 2 usage, 13 the runs contradict each other");
  ImportRequest import_request;
  CLI::App* import_verb = app.add_subcommand(
      "import", "Import another program's Google Benchmark JSON as rows, marked as imported");
  import_verb->add_option("file", import_request.file,
                          "Report written with --benchmark_out_format=json")
      ->required();
  import_verb->add_option("--case", import_request.case_name, "Name of the case")->required();
  import_verb->add_option("--subject", import_request.subject, "Program, with its version")
      ->required();
  import_verb->add_option("--variant", import_request.variant,
                          "baseline, or a name for what was changed")
      ->required();
  import_verb->add_option("--out", import_request.folder,
                          "Folder of the run: a new one, or one to add to")
      ->required();
  import_verb->footer(
      "Example: cliffbench import before.json --case lookup --subject theirs-1.2 --variant "
      "baseline "
      "--out results/local/theirs\n"
      "Exit: 0 imported, 2 usage, 13 the file is no report of Google Benchmark");
  CLI::App* doctor_verb =
      app.add_subcommand("doctor", "Say what this machine can measure, what it cannot, and why");
  bool doctor_json = false;
  doctor_verb->add_flag("--json", doctor_json,
                        "Only the machine, as a session's file has it");
  doctor_verb->footer("Example: cliffbench doctor\nExit: 0 done, 2 usage");
  std::string results = "results";
  CLI::App* schema_verb =
      app.add_subcommand("schema", "Write results/schema.json and the table in results/README.md");
  schema_verb->add_option("results", results, "Folder of both files (default: results)");
  schema_verb->footer("Example: cliffbench schema\nExit: 0 written, 2 usage, 13 cannot write");
  refuse_empty_texts(argc, argv);
  refuse_empty_texts(app);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("cliffbench: {}; see `cliffbench VERB --help`\n",
                       sentence_of(error.what()));
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : Exit::usage;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of files' size is an error to report, no death
  const fs::path cases = cases_folder(argv[0]);
  if (*list_verb) list_words(programs, cases);
  std::string command;
  for (int i = 0; i < argc; ++i) command += (i ? " " : "") + std::string(argv[i]);
  int exit = 0;
  if (gate_verbs.run(command, exit)) return exit;
  if (*run_verb && describe_machine().emulated) {
    throw CannotMeasure("this program is emulated: times under emulation are never rows");
  }
  if (*plan_verb) return write_plan(make_request(run_flags, cases, command));
  if (*run_verb) return run_benchmarks(make_request(run_flags, cases, command));
  if (*judge_verb) return judge_folder(folder, claims, brief);
  if (*merge_verb) merge_folders({sources.begin(), sources.end()}, target);
  if (*import_verb) import_benchmark_json(import_request);
  if (*doctor_verb && doctor_json) fmt::print("{}\n", machine_json(describe_machine()).dump());
  if (*doctor_verb && !doctor_json) doctor(find_programs(cases));
  if (*schema_verb) write_schema(results);
  return 0;
}

}  // namespace
}  // namespace cliffbench

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // to write too large a file fails like any other writing
  const auto end_with = [](int code, const std::string& sentence) {
    std::fprintf(stderr, "cliffbench: %s\n", cliffbench::sentence_of(sentence).c_str());
    return code;
  };
  try {
    return cliffbench::dispatch(argc, argv);
  } catch (const cliffbench::UserError& error) {
    return end_with(cliffbench::Exit::usage, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return end_with(
        cliffbench::Exit::cannot_measure,
        fmt::format("cannot use {}: {}", error.path1().string(), error.code().message()));
  } catch (const std::exception& error) {
    return end_with(cliffbench::Exit::cannot_measure, error.what());
  }
}
