#pragma once

/// The kit that a case links: the declaration as data, and `case_main`, which makes of it an
/// ordinary Google Benchmark program that also knows --describe. The harness starts one process per
/// trial of such a program.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/patch.hpp"

namespace cliffbench {

/// One value per axis, by the axis's name: {"buffers": "1", "size": "3072x2048"}.
using Params = std::map<std::string, std::string>;

struct Axis {
  std::string name;
  std::string unit;
  std::vector<std::string> values;  ///< "8", or "3072x2048" (counts as the product), or a word
  std::map<std::string, double> sizes = {};  ///< the number that a word stands for, if it has one
};

enum class Role { baseline, control, patch, reference };

struct Variant {
  std::string name;
  Role role = Role::patch;
  std::string why;
  std::vector<std::string> patches = {};  ///< names of the cards; empty for none
  std::string equals = "baseline";        ///< variant whose digest this one promises; "" for none
};

/// A closed interval; `hi` may be infinite ("at least lo").
struct Bounds {
  double lo = 0;
  double hi = std::numeric_limits<double>::infinity();
};

enum class Quantity { ratio, memory, time, share, exponent, agreement };
enum class Origin { ours, theirs };
enum class Verdict { held, refuted, undecided, unproven, not_measured };

/// What somebody promised of one variant. ratio: time (or stage `of`) of `against` / that of
/// `variant`; memory: the same of peak memory; time: its own, in seconds; share: stage `of` in the
/// variant's own time; exponent: of the time (or of stage `of`) along `axis`; agreement: share of
/// the rounds in which its digest is that of `against`.
struct Claim {
  std::string id;
  std::string text;
  Quantity quantity = Quantity::ratio;
  std::string variant;
  std::string against = "baseline";  ///< ratio, memory, agreement
  std::string of = "";               ///< the stage; "" is the whole timed region
  std::string axis = "";             ///< exponent only
  Params where = {};                 ///< judged at every measured point that agrees with it
  std::string machine = "";  ///< judged only where the CPU's model or architecture contains this
  Bounds range = {};
  bool control = false;  ///< if the whole interval lies outside `range`, the run is unproven
  Origin origin = Origin::ours;
  Verdict expected = Verdict::held;
  std::string source = "";
};

/// One part of an answer: the baseline's time against that of a variant, or of the same case with
/// another subject (then unpaired).
struct Answer {
  std::string text;  ///< "with all patches"; of those after the first: "one patch alone gives"
  std::string variant;
  std::string subject = "";  ///< "" is this one
};

/// What a reader wants to know of a run before anything else, and what answers it: `cliffbench
/// judge` ends with it. Cases with the same question are answered together.
struct Headline {
  std::string question;
  std::string about;  ///< "one {size} matrix": {axis} stands for its value
  Params where = {};  ///< answered at the point that agrees and where the baseline takes longest
  std::vector<Answer> answers = {};  ///< the first with both times
};

/// All cells {one value of each axis} x {variant} that agree with `where`; an axis left out stands
/// at its first value.
struct Selection {
  std::map<std::string, std::vector<std::string>> where;
  std::vector<std::string> variants;
  int rounds = 6;
  double limit_s = 0;  ///< 0: the case's own
};

struct Profile {
  std::string name;
  std::string why;
  std::vector<Selection> selections;
};

struct Subject {
  std::string name;     ///< "halide-19.0.0"
  std::string version;  ///< "19.0.0"
  std::string sha256;   ///< of the library or program under study
};

struct Case {
  std::string name;
  std::string why;     ///< one sentence
  std::string readme;  ///< path of the case's README, copied into the run's folder
  Subject subject;
  std::vector<Axis> axes;  ///< at least one value each
  std::vector<Variant> variants;
  std::string stages_from =
      "";  ///< the variant whose stages stand for the baseline's, when that one shows none
  std::vector<Patch> patches;
  std::vector<Claim> claims;
  std::optional<Headline> headline = {};
  std::vector<Profile> profiles;
  double limit_s = 600;  ///< of the timed region
  /// True: the loop can run once a process only (a first call), whatever the command line says.
  std::function<bool(const Params&, const std::string& variant)> once = nullptr;
};

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
      : params(std::move(at)), variant(of.name), patches(of.patches), state_(state) {}

  const Params params;
  const std::string variant;
  const std::vector<std::string> patches;  ///< of the variant

  [[nodiscard]] bool has_patch(std::string_view name) const {
    return std::find(patches.begin(), patches.end(), name) != patches.end();
  }

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
  /// The loop has ended: reads peak memory and CPU time. Call it right after the loop, before any
  /// check.
  void done();
  /// A digest of what the loop produced (printable ASCII). Untimed.
  void digest(const std::string& text) { state_.SetLabel(text); }
  /// The case's own oracle says that the result is wrong: the trial is `failed` with this reason.
  void wrong(const std::string& reason) { state_.SkipWithError(("wrong: " + reason).c_str()); }

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

  /// Adds to a named stage what was timed by other means, in seconds over all iterations. Before
  /// done().
  void add_to_stage(const std::string& name, double seconds) { stages_[name] += seconds; }

  [[nodiscard]] bool complete() const { return done_; }

 private:
  void pause();
  void resume();

  benchmark::State& state_;
  std::map<std::string, double> stages_;  // seconds, over all iterations
  double cpu_start_s_ = 0;
  double cpu_s_ = 0;  // until the last pause
  bool begun_ = false;
  bool done_ = false;
};

using TrialFunction = std::function<void(benchmark::State&, Trial&)>;

/// "case/axis:value/.../variant:name", axes in the order of their declaration.
[[nodiscard]] std::string trial_name(const Case& declared, const Params& params,
                                     std::string_view variant);

/// A declared case with its measured function.
struct Bench {
  Case declared;
  TrialFunction function;
};

/// What the program does instead of measuring when its first argument is the name; is given the
/// other arguments, returns main's exit code.
struct Verb {
  std::string name;  ///< "--inspect"
  std::function<int(const std::vector<std::string>& arguments)> run;
};

/// Registers every cell of the declared axes and runs what the command line asks for, as any Google
/// Benchmark program does; --describe prints each declaration as one line of JSON. Returns main's
/// exit code.
int case_main(const std::vector<Bench>& benches, int argc, char** argv,
              const std::vector<Verb>& verbs = {});

}  // namespace cliffbench
