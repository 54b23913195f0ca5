#pragma once

/// The verbs of the command line: each adds its options and what it does.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace cliffbench {

/// The input and the result of every verb.
struct Call {
  std::string command;  ///< as it was typed
  std::vector<std::string>
      arguments;                ///< for the measured programs: the words after "--" of `gate`
  std::filesystem::path cases;  ///< the folder of case programs: build/cases, beside this program
  int exit = 0;
};

void add_list(CLI::App& app, Call& call);
void add_doctor(CLI::App& app, Call& call);
void add_run(CLI::App& app, Call& call);
void add_plan(CLI::App& app, Call& call);
void add_status(CLI::App& app, Call& call);
void add_judge(CLI::App& app, Call& call);
void add_gate(CLI::App& app, Call& call);
void add_merge(CLI::App& app, Call& call);
void add_report(CLI::App& app, Call& call);
void add_schema(CLI::App& app, Call& call);

}  // namespace cliffbench
