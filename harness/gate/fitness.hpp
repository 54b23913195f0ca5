#pragma once

/// The machine's other work while times were taken.

#include <cstdint>
#include <string>

#include "harness/core/host/machine.hpp"

namespace cliffbench {

/// The processors between two moments.
struct Disturbance {
  double seconds = 0;   ///< of all processors together
  double others_s = 0;  ///< busy with neither this program nor its children
  double steal_s = 0;
  std::int64_t throttled = 0;
  std::string power;         ///< machine.hpp's why_power_unfit
  bool another_cpu = false;  ///< the model is not what it was: the machine has moved
  bool hosted_mac = false;   ///< a virtual macOS machine
};

/// Why no time may be compared with another: the processor's model changed; else "". Pure.
[[nodiscard]] std::string why_unfit(const Disturbance& disturbance);

/// One sentence on why times scatter, or "": more than half of the processors busy with other work,
/// a tenth stolen, heat, battery, a hosted macOS machine. It costs power and no trust: which side
/// of a pair comes first is drawn, so a disturbance falls on both alike. Pure.
[[nodiscard]] std::string disturbance_text(const Disturbance& disturbance);

/// Watches from its construction on.
class Fitness {
 public:
  Fitness();
  [[nodiscard]] Disturbance disturbance() const;

 private:
  CpuTime cpu_;
  double own_s_ = 0;
  std::int64_t throttled_ = 0;
  std::string model_;
};

}  // namespace cliffbench
