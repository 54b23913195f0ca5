// halide-patched [--patches LIST] -- PROGRAM...     runs a program with the patches preloaded.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <vector>

#include "patches/halide/choice.hpp"
#include "patches/halide/preload/preload.hpp"

namespace {

namespace fs = std::filesystem;

/// The preloaded library, beside this program (built) or below ../lib (installed).
std::string preload_library() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {here / kPatchesFolder, here / "../lib" / kPatchesFolder}) {
    if (fs::exists(folder / "preload.so")) return fs::canonical(folder / "preload.so");
  }
  throw std::runtime_error("preload.so is not in " + (here / kPatchesFolder).string() +
                           "; build or install it again");
}

std::string every_name() {
  std::string names;
  for (const auto& [name, member] : patches::halide::kPatchNames) {
    names += (names.empty() ? "" : ",") + std::string(name);
  }
  return names;
}

int run(const std::string& names, std::vector<std::string> command) {
  (void)patches::halide::choice_of(names);
  std::string libraries = preload_library();
  if (const char* others = std::getenv("LD_PRELOAD"); others && *others) {
    libraries += ":" + std::string(others);
  }
  setenv("LD_PRELOAD", libraries.c_str(), 1);
  setenv(kPatchesVariable, names.c_str(), 1);
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
      "data.\nhalide-patched [--patches LIST] -- PROGRAM [ARGUMENTS...]"};
  std::string names = every_name();
  app.add_option("--patches", names, "Names, separated by commas")->capture_default_str();
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
    return run(names, {argv + own, argv + argc});
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << "halide-patched: " << error.what() << "\n";
    return 2;
  }
}
