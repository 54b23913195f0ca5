#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string_view>

#include "harness/core/cli/cli_options.hpp"
#include "harness/core/cli/verbs.hpp"
#include "harness/core/host/build_info.hpp"
#include "harness/core/host/exit_code.hpp"
#include "harness/core/host/machine.hpp"
#include "harness/core/program/program.hpp"
#include "harness/core/record/params.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// CLI11's complaint about a call; for a word that it does not know, which one was meant.
std::string failure(const CLI::App* app, const CLI::Error& error) {
  const auto left = app->remaining(true);
  if (const std::string_view what = error.what(); what.ends_with(" missing")) {
    return std::string(what.substr(0, what.find(':'))) +
           " needs a value";  // "--out: 1 required ..."
  }
  if (left.empty()) return sentence_of(error.what());
  const auto verbs = app->get_subcommands();  // the ones in this call
  std::vector<std::string> known;
  if (left.front().starts_with("-")) {
    for (const CLI::Option* option : (verbs.empty() ? app : verbs.front())->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    const std::string flag = left.front().substr(0, left.front().find('='));
    return sentence_of(no_such("flag", flag, known));
  }
  if (!verbs.empty()) return sentence_of(error.what());
  for (const CLI::App* verb : app->get_subcommands(nullptr)) {
    if (!verb->get_group().empty()) known.push_back(verb->get_name());
  }
  return sentence_of(no_such("verb", left.front(), known));
}

int dispatch(int argc, char** argv) {
  CLI::App app;
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("cliffbench {} (schema {})", kVersion, kSchema));
  const fs::path self = own_path();
  Call call{.cases = (self.empty() ? fs::absolute(argv[0]) : self).parent_path() / "cases"};
  for (int i = 0; i < argc; ++i) call.command += (i ? " " : "") + std::string(argv[i]);
  add_gate(app, call);
#ifdef CLIFFBENCH_SUITE  // not in `make tool`: the gate alone compiles in two thirds of the time
  for (const auto add : {add_list, add_run, add_plan, add_status, add_judge, add_merge, add_report,
                         add_doctor, add_schema}) {
    add(app, call);
  }
  app.description("Reproduce performance cliffs, measure each fix, check claims, gate benchmarks");
  app.footer(
      "Example: cliffbench run conceptual_stmt --out mine && cliffbench judge mine\n"
      "Exit: 0 fine, 2 usage, 10 regression (gate), 11 unexpected verdict,\n"
      "      12 inconclusive (--strict), 13 could not measure, 14 a control moved,\n"
      "      130 stopped by the user; `cliffbench VERB --help` lists those of a verb");
#else
  app.description(
      "Is a Google Benchmark program slower than before? (built without the other verbs)");
#endif
  const std::string_view verb = argc < 2 ? "" : argv[1];
  if (char** const mark = std::find(argv, argv + argc, std::string_view("--"));
      verb == "gate" && mark != argv + argc) {
    call.arguments.assign(mark + 1, argv + argc);
    argc = static_cast<int>(mark - argv);
  }
  forget_library_flags();
  refuse_empty_texts(argc, argv);
  refuse_empty_texts(app);
  app.failure_message([](const CLI::App* whole, const CLI::Error& error) {
    const auto verbs = whole->get_subcommands();
    return fmt::format("cliffbench: {}; see `cliffbench{} --help`\n", failure(whole, error),
                       verbs.empty() ? "" : " " + verbs.front()->get_name());
  });
  if (argc == 1) {
    app.name(argv[0]);  // as parsing would
    say("{}", wrapped(app.help(), terminal_width()));
    return Exit::usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream help;
    const int code = app.exit(error, help, std::cerr);
    say("{}", wrapped(help.str(), terminal_width()));
    return code == 0 ? Exit::fine : Exit::usage;
  }
  return call.exit;
}

/// Keeps a stream that the caller closed from being reused: else the next file to be opened, such
/// as a run's rows, would get its number and everything that is printed.
void occupy_closed_streams() {
  for (const int stream : {0, 1, 2}) {
    if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace
}  // namespace cliffbench

int main(int argc, char** argv) {
  cliffbench::occupy_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // writing too large a file then fails like any other write
  const auto end_with = [](int code, const std::string& sentence) {
    std::fprintf(stderr, "cliffbench: %s\n", cliffbench::sentence_of(sentence).c_str());
    return code;
  };
  try {
    const int code = cliffbench::dispatch(argc, argv);
    if (std::fflush(stdout) == 0 || code != cliffbench::Exit::fine) return code;
    return end_with(cliffbench::Exit::cannot_measure,
                    fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  } catch (const cliffbench::StoppedByUser& error) {
    return end_with(cliffbench::Exit::stopped, error.what());
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
