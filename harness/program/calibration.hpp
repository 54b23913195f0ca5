#pragma once

/// The trials before the pairs: how many iterations make a batch, which clock decides, which look
/// slower. They prime both programs and are discarded. Benchmarks of one program share processes.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/judge/gate.hpp"
#include "harness/program/program.hpp"

namespace cliffbench {

struct PilotRequest {
  std::filesystem::path base, head;
  std::vector<std::string> names;
  bool takes_counts = false;   ///< both programs do
  bool shares_process = true;  ///< a program of our kit may not
  double batch_s = 0.05;
  TrialLimits limits;
};

struct Pilot {
  Batches batches;
  Metric metric = Metric::cpu;
  bool digests = false;  ///< both sides are programs of our kit: their labels are digests
  double round_s = 0;    ///< expected of a round: the base twice, the head once
  double lead = 0;       ///< ln(t_head / t_base), roughly
  std::string trouble;   ///< why it cannot be measured; "" when it can
  bool wrong = false;    ///< its output is wrong: the trouble says how
};

/// A pilot for each benchmark that both sides have run; the others have none: the user stopped it,
/// or `limits.budget` is over. One count for both sides, so that the slower one takes about
/// `batch_s`, in up to ten batches; programs that take no counts get an equal minimum time. CPU
/// time decides unless the name says otherwise (real_time, manual_time, threads), or the program
/// waits; several processors are seen later, by `several_processors`.
[[nodiscard]] std::map<std::string, Pilot> calibrate(const PilotRequest& request);

/// The library sees the main thread's time only; a process that has one benchmark tells more.
[[nodiscard]] bool several_processors(const Row& row);

}  // namespace cliffbench
