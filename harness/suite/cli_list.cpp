#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/core/cli/verbs.hpp"
#include "harness/core/host/build_info.hpp"
#include "harness/core/host/file.hpp"
#include "harness/core/host/machine.hpp"
#include "harness/core/program/program.hpp"
#include "harness/core/record/row.hpp"
#include "harness/core/record/session.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/case/describe.hpp"
#include "harness/suite/run/case_programs.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// Says what each case is about.
void list(const std::map<std::string, CaseProgram>& programs) {
  const Screen shown{terminal_width(), screen().colours};
  for (const auto& [name, program] : programs) {
    const Case& declared = program.description.declared;
    std::vector<std::string> profiles;
    for (const Profile& profile : declared.profiles) profiles.push_back(profile.name);
    say_styled(styled(name, Style::bold, shown.colours) + "\n");
    const std::string text = fmt::format("  {}\n  {} variants; profiles: {}\n", declared.why,
                                         declared.variants.size(), joined(profiles));
    say("{}", wrapped(text, shown.width));
  }
  say("{}", wrapped("\nA case's axes, variants and profiles: cliffbench list CASE\n", shown.width));
}

/// Prints everything that one can choose of each case.
void show(const std::map<std::string, CaseProgram>& programs) {
  const Screen shown{terminal_width(), screen().colours};
  for (const auto& [name, program] : programs) {
    const Case& declared = program.description.declared;
    say_styled(styled(name, Style::bold, shown.colours) + "\n");
    std::string text = fmt::format("  {}\n", declared.why);
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
    text += axes.text() + variants.text() + profiles.text() + "\n";
    say("{}", wrapped(text, shown.width));
  }
}

std::string machine_lines(const Machine& machine) {
  const auto load = load_averages();
  std::string text =
      fmt::format("machine      {} ({}), {} cores{}, {}{}\n", machine.cpu, machine.arch,
                  machine.cores, machine.core_kinds.empty() ? "" : " (" + machine.core_kinds + ")",
                  machine.caches, machine.virtualised ? ", virtualised" : "");
  if (machine.emulated) text += "             emulated: times under emulation are not recorded\n";
  text += fmt::format("system       {}, {}\n", machine.os, machine.kernel);
  text += fmt::format("memory       {}, {} free\n",
                      byte_size(static_cast<double>(machine.memory_bytes)),
                      byte_size(static_cast<double>(available_memory_bytes())));
  text += fmt::format("disk         {} free here\n",
                      byte_size(static_cast<double>(fs::space(".").available)));
  const bool busy = load[0] > machine.cores * 0.5;
  return text + fmt::format("load         {:.2f} {:.2f} {:.2f}{}\n", load[0], load[1], load[2],
                            busy ? "  busy: times will be noisy; wait until it is idle" : "");
}

void doctor(const fs::path& cases) {
  const Machine machine = describe_machine();
  std::string text = machine_lines(machine);
  text += fmt::format("built with   {} {}, commit {}{}\n", kCompiler, kFlags, kCommit,
                      kDirty ? " with local changes" : "");
  text += "can measure\n  wall time, CPU time, peak memory: yes\n";
  const std::string counts = why_no_instruction_counts();
  text += fmt::format("  instruction counts: {}\n",
                      counts.empty() ? "yes"
                                     : "no hardware counter (" + counts +
                                           "); the gate uses valgrind if it is installed");
  const bool mac = machine.cpu.starts_with("Apple"), m1 = machine.cpu.starts_with("Apple M1");
  text += fmt::format(
      "  Apple M1: {}\n",
      m1 ? "yes" : fmt::format("no (this machine is {})", mac ? machine.cpu : machine.arch));
  const auto programs = find_programs(cases);
  for (const auto& [name, path] : programs) {
    try {
      for (const auto& [case_name, description] : describe_program(path)) {
        text += fmt::format("  {}: yes, {} variants\n", case_name,
                            description.declared.variants.size());
      }
    } catch (const CannotMeasure& error) {
      text += fmt::format("  {}: no ({})\n", name, error.what());
    }
  }
  if (programs.empty()) text += "  no case is built; run: make build\n";
  say_wrapped(text);
}

/// Writes the schemas of rows and sessions from the tables of fields.
void write_schema(const fs::path& results) {
  write_file(results / "schema.json", row_schema().dump(2) + "\n");
  write_file(results / "session.schema.json", session_schema().dump(2) + "\n");
}

}  // namespace

void add_list(CLI::App& app, Call& call) {
  CLI::App* verb =
      app.add_subcommand("list", "List the cases, or the axes, variants and profiles of one");
  const auto words = std::make_shared<std::vector<std::string>>();
  verb->add_option("programs", *words, "Cases (default: an overview of all)");
  verb->footer(
      "Example: cliffbench list conceptual_stmt\nExit: 0 fine, 2 usage, 13 a program is broken");
  verb->callback([&call, words] {
    const auto programs = wanted_cases(*words, call.cases);
    words->empty() ? list(programs) : show(programs);
  });
}

void add_doctor(CLI::App& app, Call& call) {
  CLI::App* verb =
      app.add_subcommand("doctor", "Show what this machine can measure, what it cannot, and why");
  const auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "Print only the machine, in the JSON of a session's file");
  verb->footer("Example: cliffbench doctor\nExit: 0 done, 2 usage");
  verb->callback([&call, json] {
    if (!*json) return doctor(call.cases);
    fmt::print("{}\n", machine_json(describe_machine()).dump());
  });
}

void add_schema(CLI::App& app, Call&) {
  CLI::App* verb =
      app.add_subcommand("schema", "Write the schemas of rows and sessions in results/");
  verb->group("");  // hidden: only who adds a field needs it
  const auto results = std::make_shared<std::string>("results");
  verb->add_option("results", *results, "Their folder (default: results)");
  verb->footer("Example: cliffbench schema\nExit: 0 written, 2 usage, 13 cannot write");
  verb->callback([results] { write_schema(*results); });
}

}  // namespace cliffbench
