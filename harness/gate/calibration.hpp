#pragma once

/// The trials before the pairs: how many iterations make a batch, which clock decides, which look
/// slower. They prime both programs and are discarded. Benchmarks of one program share processes.

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/program/program.hpp"
#include "harness/gate/ruling.hpp"

namespace cliffbench {

struct PilotRequest {
  std::filesystem::path base, head;
  std::vector<std::string> names;       ///< of the base's benchmarks
  std::vector<std::string> head_names;  ///< of those that they are compared with, in their order
  bool takes_counts = false;            ///< both programs do
  bool shares_process = true;           ///< a program of our kit may not
  double start_s = 0;                   ///< what a process of either takes beside its benchmarks
  double batch_s = 0.05;
  TrialLimits limits;
};

inline constexpr int kRoundTrials = 3;  ///< base, head, control; a few rounds have no control

/// How a benchmark is timed.
struct Timing {
  Batches batches = {};
  Metric metric =
      Metric::cpu;       ///< by the benchmark's name or the user; rounds may choose wall time
  bool digests = false;  ///< both sides are programs of our kit: their labels are digests
  double start_s = 0;    ///< of a process, beside its benchmarks
  bool shares_process = false;  ///< the start is what costs, so others are in its process
  double round_s = 0;  ///< expected of a round (the base twice, the head once), with starts that it
                       ///< does not share
  std::vector<WantedCounter> counters = {};  ///< that decide beside the time
  std::optional<Metric> asked = {};          ///< by the user
  int screening = 0;    ///< so many first rounds only choose the suspects (screening.hpp)
  bool control = true;  ///< later rounds have one: there is time for as many as can tell something

  /// Expected of one process, without a start that it shares.
  [[nodiscard]] double process_s() const { return round_s / kRoundTrials; }
  /// The start that it shares, if it does.
  [[nodiscard]] double shared_start_s() const { return shares_process ? start_s : 0; }
  void stop_sharing() {
    round_s += kRoundTrials * shared_start_s();
    shares_process = false;
  }
  [[nodiscard]] int trials(int round) const {
    return control && round > screening ? kRoundTrials : kRoundTrials - 1;
  }
};

/// Why a benchmark is not timed, and its ruling.
struct NotTimed {
  Ruling ruling = Ruling::not_measured;
  std::string reason;
};

struct Pilot {
  Timing timing;
  double slower = 0;  ///< ln(t_head / t_base), roughly
  std::optional<NotTimed> not_timed;
  std::string note;                          ///< what of its result was left out
  std::string base_late_end, head_late_end;  ///< Remarks
  std::vector<std::string> counters;         ///< those asked for that both sides have
};

struct PilotRow : Row {
  Remarks remarks;
};

/// What one trial of each side says about a benchmark. `process_s` and `process_cpu_s` of the rows
/// are without the start.
[[nodiscard]] Pilot pilot_of(const PilotRequest& request, const PilotRow& base,
                             const PilotRow& head);

/// A pilot for each benchmark that both sides have run, by the base's name; the others have none:
/// the user stopped it, or `limits.budget` is over. One count for both sides, so that the slower
/// one takes about `batch_s`, in up to ten batches; programs that take no counts get an equal
/// minimum time. A process of the head has a limit from what the base took. CPU time decides unless
/// the name says otherwise (real_time, manual_time, threads); whether the program waits or uses
/// several processors is seen later, by `decides_by_wall`.
[[nodiscard]] std::map<std::string, Pilot> calibrate(const PilotRequest& request);

/// Whether all of these processes of one side of a benchmark waited, for work of other threads or
/// anything else, or any used several processors. A process that only had to wait for a processor
/// did neither, however busy the machine is. `start_s`: what a process takes before its benchmark.
[[nodiscard]] bool decides_by_wall(std::span<const Row> rows, double start_s);

/// The limit of one process of the pairs, from what its pilot took.
[[nodiscard]] double process_limit_s(double expected_s);

}  // namespace cliffbench
