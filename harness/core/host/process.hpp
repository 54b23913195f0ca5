#pragma once

/// One child process in a group of its own, with limits. Knows nothing of benchmarks.

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cliffbench {

/// As main() and exec() take words: a pointer to each, and a null pointer. The words must outlive
/// them.
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& words);

struct ProcessLimits {
  /// For each of three spans: from the start until the child says that it is ready; from there
  /// until it says that it is done; from there until it has ended.
  double span_s = 600;
  std::int64_t memory_bytes = 0;  ///< of its data; 0: no limit
  /// For all three together: what is left of a budget.
  double whole_s = std::numeric_limits<double>::infinity();
  /// Whether the child has given all that it should, from its standard output and error so far. It
  /// is asked from `asked_after_s` on. A child that still runs kLinger_s later is stopped.
  std::function<bool(const std::string& output, const std::string& words)> is_whole = {};
  double asked_after_s = 0;
};
inline constexpr double kLinger_s = 1;

struct Process {
  enum class Stopped {
    no,
    in_setup,
    in_timed_region,
    afterwards,
    by_user,
    over_memory,
    over_budget,
    at_its_end  ///< it had given all that it should
  };
  Stopped stopped = Stopped::no;  ///< by us, at which limit
  int exit_code = 0;              ///< 0 when a signal ended it
  int signal = 0;                 ///< 0 when it exited
  double wall_s = 0;
  double cpu_s = 0;  ///< user + system, of the child and of what it waited for
  /// Wall time in which its main thread neither ran nor was ready to; nothing where the system does
  /// not tell.
  std::optional<double> blocked_s;
  /// Highest resident size; never below this process's own peak (the kernel inherits it).
  std::int64_t rss_bytes = 0;
  std::string last_words;  ///< the end of its standard error
  std::string output;      ///< its standard output, of `read_output`
  /// The user or the end of the budget stopped it early, so it is no evidence.
  [[nodiscard]] bool cut_short() const {
    return stopped == Stopped::by_user || stopped == Stopped::over_budget;
  }
};

/// Starts `argv` (no shell), standard output discarded, `environment` added to ours, waits, and
/// ends the whole group and, on Linux, what it left behind outside it (a daemon). The child may
/// write 'r' (ready) and 'd' (done) to the descriptor named in CLIFFBENCH_READY_FD; one that does
/// not is held to `span_s` as a whole. Exit code 127 with last words when the program cannot be
/// started.
[[nodiscard]] Process run_process(const std::vector<std::string>& argv,
                                  const std::map<std::string, std::string>& environment,
                                  const ProcessLimits& limits);

/// Opens ours and a child's end of a terminal that changes no byte; false where the system has
/// none.
[[nodiscard]] bool open_terminal(std::array<int, 2>& ends);

/// What the child writes to. To a terminal the C library passes on each line, so what a program has
/// printed is there even if it crashes before it ends. Where the system gives no terminal, a pipe.
enum class Output { pipe, terminal };

/// Runs a short helper command for its output. Exit code 128 when a signal ended it, or a limit.
[[nodiscard]] Process read_output(const std::vector<std::string>& argv, const ProcessLimits& limits,
                                  Output to = Output::pipe);
[[nodiscard]] inline Process read_output(const std::vector<std::string>& argv, double limit_s) {
  return read_output(argv, ProcessLimits{.span_s = limit_s});
}

/// "ended with exit code 3", "ended by signal 11 (Segmentation fault)", "was stopped after 60 s";
/// "" when it ended well.
[[nodiscard]] std::string bad_end(const Process& process);

}  // namespace cliffbench
