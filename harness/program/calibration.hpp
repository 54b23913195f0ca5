#pragma once

/// The trials before the pairs: how many iterations make a batch, which clock decides. They prime
/// both programs and are thrown away.

#include <filesystem>
#include <string>

#include "harness/judge/gate.hpp"
#include "harness/program/program.hpp"

namespace cliffbench {

struct PilotRequest {
  std::filesystem::path base, head;
  std::string name;
  bool takes_counts = false;  ///< both programs do
  double batch_s = 0.05;
  TrialLimits limits;
  std::filesystem::path scratch;
};

struct Pilot {
  Amount amount;
  Metric metric = Metric::cpu;
  bool digests = false;  ///< both sides are programs of our kit: their labels are digests
  double round_s = 0;    ///< both processes together
  std::string trouble;   ///< why it cannot be measured; "" when it can
  bool stopped = false;  ///< by the user, or by `limits.whole_s`: then nothing is known
};

/// One count for both sides, so that the slower one takes about `batch_s`; programs that take no
/// counts get an equal minimum time. CPU time decides unless the name says otherwise (real_time,
/// manual_time, threads), or the program uses several processors, or waits.
[[nodiscard]] Pilot calibrate(const PilotRequest& request);

}  // namespace cliffbench
