// halide-patched [-v] [--patches LIST] -- PROGRAM...     runs a program with the patches preloaded.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <vector>

#include "patches/halide/choice.hpp"
#include "patches/halide_patched/preload.hpp"
#include "patches/halide_patched/preloadable.hpp"
#include "patches/halide_patched/standard_error.hpp"

namespace {

/// The variable's value between `first` and `last`, separated by colons.
std::string with(const char* variable, const std::string& first, const std::string& last) {
  const char* value = std::getenv(variable);
  const std::string own = value ? value : "";
  return first + (first.empty() || own.empty() ? "" : ":") + own +
         (own.empty() || last.empty() ? "" : ":") + last;
}

int run(const std::string& names, bool verbose, std::vector<std::string> command) {
  (void)patches::halide::choice_of(names);
  if (verbose) setenv(kVerboseVariable, "1", 1);
  standard_error.remember();
  try {
    setenv("LD_PRELOAD", with("LD_PRELOAD", "", preloadable(preload_folder())).c_str(), 1);
    // The address sanitizer insists on being the first library, but may come after this one.
    setenv("ASAN_OPTIONS", with("ASAN_OPTIONS", "verify_asan_link_order=0", "").c_str(), 1);
    setenv(kPatchesVariable, names.c_str(), 1);
  } catch (const NotPreloadable& error) {
    say("%s; the program runs unpatched", error.what());
  }
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  execvp(words[0], words.data());
  std::cerr << "halide-patched: cannot run '" << command[0] << "': " << std::strerror(errno)
            << "\n";
  return errno == ENOENT ? 127 : 126;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Runs a program that uses Halide with the patches of its viewer: compiling to "
      "(conceptual) stmt HTML takes the time of the pipeline's code, not of its "
      "data.\nhalide-patched [-v] [--patches LIST] -- PROGRAM [ARGUMENTS...]"};
  std::string names = "all";
  bool verbose = false;
  app.add_option("--patches", names, "Names, separated by commas; all, or none")
      ->capture_default_str();
  app.add_flag("-v", verbose, "Say on standard error how each page is made, and why");
  app.footer(
      "Example: halide-patched -- python my_llama.py\n"
      "Exit: the program's own; 2 usage, 126 the program cannot be run, 127 not found");
  try {
    // Everything from the program on is the program's own.
    int own = 1;
    while (own < argc && argv[own][0] == '-' && std::strcmp(argv[own], "--") != 0) {
      own += std::strcmp(argv[own], "--patches") == 0 ? 2 : 1;
    }
    own = std::min(own, argc);
    app.parse(own, argv);
    if (own < argc && std::strcmp(argv[own], "--") == 0) ++own;
    if (own == argc)
      throw std::runtime_error("give the program to run, as halide-patched -- PROGRAM");
    return run(names, verbose, {argv + own, argv + argc});
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << "halide-patched: " << error.what() << "\n";
    return 2;
  }
}
