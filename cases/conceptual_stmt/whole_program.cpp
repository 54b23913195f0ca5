#include "cases/conceptual_stmt/whole_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cases/conceptual_stmt/page_check.hpp"
#include "cases/conceptual_stmt/pipeline.hpp"
#include "cases/conceptual_stmt/scratch.hpp"
#include "patches/halide/conceptual_stmt.hpp"

extern char** environ;

namespace {

namespace fs = std::filesystem;
using cliffbench::Skipped;
using cliffbench::Trial;

/// Runs a command and waits for it; its status, of waitpid().
int run(std::vector<std::string> command, bool silent = false) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (silent) {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  constexpr int kNotStarted = 127 << 8;
  int status = kNotStarted;
  if (posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ) == 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

/// Ends this process as its child ended; the child's last words stand on standard error.
[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) raise(WTERMSIG(status));
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

std::string weights_file(const std::string& folder, int stage) {
  return folder + "/weights_" + std::to_string(stage);
}

void write_weights(const std::string& folder, int stages, Size size) {
  for (int stage = 1; stage <= stages; ++stage) {
    const auto weights = random_weights(size.width, size.height, stage);
    std::ofstream file(weights_file(folder, stage), std::ios::binary);
    file.write(reinterpret_cast<const char*>(weights.data()),
               static_cast<std::streamsize>(weights.size_in_bytes()));
    if (!file.flush()) throw std::runtime_error("cannot write the matrices");
  }
}

/// Puts the package halide_patched into a folder, as its wheel would.
void lay_out(const fs::path& package) {
  fs::create_directory(package);
  for (const auto& file :
       fs::directory_iterator(SOURCES "/patches/halide_patched/halide_patched")) {
    if (file.path().extension() == ".py") fs::copy(file, package);
  }
  fs::create_directory_symlink(BUILD "/halide-patches", package / "halide-patches");
}

/// The command of the variant, without its arguments. Python compiles here what it imports.
std::vector<std::string> command_of(const std::string& self, const Trial& trial,
                                    const std::string& scratch) {
  const bool patched = trial.variant == "launcher" || trial.variant == "import";
  if (patched && !fs::exists(BUILD "/halide-patched")) {
    throw Skipped("halide-patched was not built; it is built on Linux, for a shared libHalide");
  }
  if (trial.variant == "launcher") return {BUILD "/halide-patched", "--", self, "--write-page"};
  if (trial.variant == "launcher_baseline") return {self, "--write-page"};
  if (!fs::exists(HALIDE_PYTHON)) throw Skipped("this Halide has no Python package");
  const std::string python = SOURCES "/.deps/venv/bin/python";
  setenv("PYTHONPATH", (scratch + ":" HALIDE_PYTHON).c_str(), 1);
  unsetenv("PYTHONDONTWRITEBYTECODE");
  if (run({python, "-c", "import halide, numpy"}, true) != 0) {
    throw Skipped("Python cannot import numpy and halide here; the wheel is for CPython 3.11");
  }
  if (patched) {
    lay_out(scratch + "/halide_patched");
    if (const int status = run({python, "-c", "import halide_patched"})) end_as(status);
  }
  return {python, SOURCES "/cases/conceptual_stmt/write_page.py", patched ? "patched" : "plain"};
}

}  // namespace

void measure_whole_program(const std::string& self, benchmark::State& state, Trial& trial) {
  const int buffers = std::stoi(trial.params.at("buffers"));
  const Scratch scratch;
  const std::string folder = scratch / "";
  const std::string page = scratch / "conceptual.stmt.html";
  write_weights(folder, buffers, parse_size(trial.params.at("size")));
  std::vector<std::string> command = command_of(self, trial, folder);
  for (const char* axis : {"buffers", "size", "format", "target"}) {
    command.push_back(trial.params.at(axis));
  }
  command.insert(command.end(), {folder, page});

  int status = 0;
  trial.ready();
  for (auto _ : state) {
    if (status == 0) status = run(command);
  }
  trial.done();

  if (status != 0) end_as(status);
  const std::string written = patches::halide::contents_of(page);
  constexpr const char* kName = "output";  // the first of its name in its process
  if (trial.params.at("format") != "HTML") return check_text(trial, written, kName, buffers);
  const ViewerPage shown = read_page(written);
  check_page(trial, shown, kName, buffers);
  const bool patched = shown.assembly.front().find("halide-patched: ") != std::string::npos;
  if (patched == trial.patches().empty()) {
    trial.wrong(patched ? "the page was made with patches" : "the page was made without patches");
  }
}

int write_page(const std::vector<std::string>& arguments) try {
  if (arguments.size() != 6) {
    std::fputs("usage: --write-page BUFFERS SIZE FORMAT TARGET FOLDER PAGE\n", stderr);
    return 2;
  }
  const auto from_file = [&](int width, int height, int stage) {
    Halide::Buffer<float> weights(width, height, "weights_" + std::to_string(stage));
    std::ifstream file(weights_file(arguments[4], stage), std::ios::binary);
    file.read(reinterpret_cast<char*>(weights.data()),
              static_cast<std::streamsize>(weights.size_in_bytes()));
    if (!file) throw std::runtime_error("cannot read " + weights_file(arguments[4], stage));
    return weights;
  };
  const Size size = parse_size(arguments[1]);
  Pipeline pipeline =
      make_pipeline(std::stoi(arguments[0]), size.width, size.height, Weights::embedded, from_file);
  pipeline.output.compile_to_conceptual_stmt(arguments[5], pipeline.arguments,
                                             arguments[2] == "HTML" ? Halide::HTML : Halide::Text,
                                             target_named(arguments[3]));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "--write-page: %s\n", error.what());
  return 1;
}
