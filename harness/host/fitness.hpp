#pragma once

/// Whether the machine is quiet enough for times to decide anything.

#include <cstdint>
#include <string>

#include "harness/host/machine.hpp"

namespace cliffbench {

/// What happened to the processors between two moments.
struct Disturbance {
  double seconds = 0;   ///< of all processors together
  double others_s = 0;  ///< busy with neither this program nor its children
  double steal_s = 0;
  std::int64_t throttled = 0;
  std::string power;         ///< machine.hpp's why_power_unfit
  bool another_cpu = false;  ///< the model is not what it was: the machine has moved
  bool hosted_mac = false;   ///< a virtual macOS machine
};

/// One sentence, or "" when times may decide. Pure. More than half of the processors busy with
/// other work, a tenth stolen, heat, battery, or another model.
[[nodiscard]] std::string why_unfit(const Disturbance& seen);

/// Watches from its construction on.
class Fitness {
 public:
  Fitness();
  [[nodiscard]] std::string why_unfit() const;

 private:
  CpuTime cpu_;
  double own_s_ = 0;
  std::int64_t throttled_ = 0;
  std::string model_;
};

}  // namespace cliffbench
