#pragma once

/// The kit that a case links: `case_main` turns a declaration and its measured function into an
/// ordinary Google Benchmark program that also knows --describe. The harness starts one process per
/// trial of such a program.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/suite/case/case.hpp"

namespace cliffbench {

/// Thrown by a case during set-up: these parameters make no sense here, for the reason given. The
/// row is `skipped`.
struct Skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One run of the measured function, in the order of use: set up, ready(), the loop, done(),
/// digest(), check.
class Trial {
 public:
  Trial(benchmark::State& state, Params at, const Variant& of)
      : params(std::move(at)),
        variant(of.name),
        state_(state),
        patches_(of.patches),
        unasked_(of.patches) {}

  const Params params;
  const std::string variant;

  /// Whether the variant has the patch of this card.
  [[nodiscard]] bool has_patch(const Patch& card) const;
  /// The names of all patches of the variant.
  [[nodiscard]] const std::vector<std::string>& patches() const;

  /// Set-up has ended: the time limit counts from here. Call it right before the loop.
  void ready();
  /// First in the loop: between two iterations, calls `body` and does not measure it.
  template <typename Body>
  void between(const Body& body) {
    if (std::exchange(begun_, true)) {
      pause();
      body();
      resume();
    }
  }
  /// The loop has ended: reads CPU time and page faults, with those of children that were waited
  /// for, and the peak memory of the largest of these processes. Call it right after the loop,
  /// before any check.
  void done();
  /// A digest of what the loop produced (printable ASCII). Untimed.
  void digest(const std::string& text);
  /// The case's own oracle says that the result is wrong: the trial is `wrong` with this reason.
  void wrong(const std::string& reason);
  /// A test asks the case to spoil its own result in this way, before digest and check
  /// (cases/wrong_test.py).
  [[nodiscard]] static bool spoiled(int slip = 1) {
    const char* asked = std::getenv("CLIFFBENCH_SPOIL");
    return asked && std::atoi(asked) == slip;
  }

  /// Adds the life time of the returned object to a named stage.
  [[nodiscard]] auto stage(std::string name) {
    struct Timer {
      Trial& trial;
      std::string name;
      std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
      ~Timer() {
        trial.stages_[name] +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      }
    };
    return Timer{*this, std::move(name)};
  }

  /// Adds seconds that were timed by other means, over all iterations, to a named stage. Call it
  /// before done().
  void add_to_stage(const std::string& name, double seconds) { stages_[name] += seconds; }

  /// Throws std::logic_error if the function did not call done(), or never asked for a patch of
  /// the variant: then it measured the baseline under the patch's name.
  void require_complete() const;

 private:
  struct Usage {
    double cpu_s = 0;
    double page_faults = 0;
  };
  [[nodiscard]] static Usage usage();  // of the process and its children so far
  void pause();
  void resume();
  void add_used();

  benchmark::State& state_;
  std::vector<std::string> patches_;
  mutable std::vector<std::string> unasked_;
  std::map<std::string, double> stages_;  // seconds, over all iterations
  Usage start_;
  Usage used_;  // until the last pause
  bool begun_ = false;
  bool done_ = false;
  bool wrong_ = false;
  std::string digest_;
};

using TrialFunction = std::function<void(benchmark::State&, Trial&)>;

/// A declared case with its measured function.
struct Bench {
  Case declared;
  TrialFunction function;
};

/// An action that the program takes instead of measuring when its first argument is the name. It is
/// given the other arguments and returns main's exit code.
struct Verb {
  std::string name;  ///< "--inspect"
  std::function<int(const std::vector<std::string>& arguments)> run;
};

/// Registers every cell of the declared axes and runs what the command line asks for, as any Google
/// Benchmark program does. --describe prints each declaration as one line of JSON, and
/// --gate-benchmarks what a gate compares without a filter. Returns main's exit code.
int case_main(const std::vector<Bench>& benches, int argc, char** argv,
              const std::vector<Verb>& verbs = {});

}  // namespace cliffbench
