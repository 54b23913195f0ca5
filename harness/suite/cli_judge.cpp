#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "harness/core/cli/verbs.hpp"
#include "harness/core/host/file.hpp"
#include "harness/core/host/process.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/run/judge_folder.hpp"
#include "harness/suite/run/merge.hpp"
#include "harness/suite/run/status.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// Replaces this process by scripts/report.py of the checkout that the program, or the user, is in.
[[noreturn]] void exec_report(const fs::path& cases, std::vector<std::string> words) {
  for (const fs::path& start : {cases, fs::current_path()}) {
    for (fs::path at = start; at.has_relative_path(); at = at.parent_path()) {
      const fs::path scripts = at / "scripts";
      if (!is_there(scripts / "report.py")) continue;
      words.insert(words.begin(), {scripts / "setup/python", scripts / "report.py"});
      const std::vector<char*> argv = pointers_to(words);
      execv(argv[0], argv.data());
      throw system_error("start", words[0]);
    }
  }
  throw UserError(
      "reports need scripts/report.py: call this in a checkout, or install cliffbench's wheel "
      "(docs/gate.md, As a package)");
}

/// Throws UserError for a gate's folder.
void require_run(const fs::path& folder) {
  if (!is_there(folder / "gate.json")) return;
  throw UserError(fmt::format(
      "{0} is a gate's folder; to rule on it again: cliffbench gate --from {0}", folder.string()));
}

}  // namespace

void add_status(CLI::App& app, Call&) {
  CLI::App* verb = app.add_subcommand("status", "Show the progress of runs");
  const auto folders = std::make_shared<std::vector<std::string>>();
  verb->add_option("folders", *folders, "Folders of runs, or of the shards of a plan")->required();
  verb->footer(
      "Example: cliffbench status results/local/latest\nExit: 0 done, 2 usage, 13 a file "
      "is damaged");
  verb->callback([folders] {
    for (const std::string& folder : *folders) {
      require_run(folder);
      say_wrapped(run_status_text(folder));
    }
  });
}

void add_judge(CLI::App& app, Call& call) {
  struct Flags {
    std::string folder;
    std::vector<std::string> claims;
  };
  CLI::App* verb = app.add_subcommand("judge", "Check the claims against a run");
  const auto flags = std::make_shared<Flags>();
  verb->add_option("folder", flags->folder, "Folder of a run, or its rows.jsonl")->required();
  verb->add_option(
          "--claim", flags->claims,
          "Check this claim too: 'CASE VARIANT ratio|memory|time|share|exponent|agreement [of "
          "STAGE] [along AXIS] [against VARIANT] [at AXIS=VALUE,...] >= NUMBER' (or <=, "
          "or in LOW HIGH)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->footer(
      "Example: cliffbench judge results/local/latest --claim 'conceptual_stmt@halide-19.0.0 all "
      "ratio at "
      "buffers=1,size=3072x2048,format=HTML,target=host >= 20'\n"
      "Exit: 0 as expected, 2 usage, 11 a verdict is not as expected,\n"
      "      13 a program crashed, gave wrong output or could not be measured, 14 a control moved");
  verb->callback([&call, flags] {
    require_run(flags->folder);
    call.exit = judge_folder(flags->folder, flags->claims);
  });
}

void add_merge(CLI::App& app, Call&) {
  CLI::App* verb = app.add_subcommand(
      "merge", "Merge runs of several machines, dates or builds into one folder");
  const auto sources = std::make_shared<std::vector<fs::path>>();
  const auto target = std::make_shared<fs::path>();
  verb->add_option("folders", *sources, "Folders of runs")->required();
  verb->add_option("--out", *target, "New folder")->required();
  verb->footer(
      "Example: cliffbench merge monday tuesday --out both\n"
      "Exit: 0 merged, 2 usage, 13 the runs contradict each other");
  verb->callback([sources, target] {
    for (const fs::path& source : *sources) require_run(source);
    merge_folders(*sources, *target);
  });
}

void add_report(CLI::App& app, Call& call) {
  CLI::App* verb = app.add_subcommand("report", "Write the page of a judged run");
  const auto words = std::make_shared<std::vector<std::string>>();
  verb->add_option("folders", *words, "Folder of a judged run; several are compared")->required();
  verb->footer(
      "Example: cliffbench report results/local/latest\n"
      "         cliffbench report BEFORE AFTER (into AFTER/comparison)\n"
      "Exit: 0 written, 2 usage, 13 the folder cannot be read or written");
  verb->callback([&call, words] { exec_report(call.cases, *words); });
}

}  // namespace cliffbench
