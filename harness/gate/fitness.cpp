#include "harness/gate/fitness.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cliffbench {
namespace {

/// CPU time of this process and of its children that have ended.
double own_cpu_s() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    seconds += cpu_seconds(usage);
  }
  return seconds;
}

}  // namespace

std::string why_unfit(const Disturbance& disturbance) {
  return disturbance.another_cpu ? "the processor's model changed during the run" : "";
}

std::string disturbance_text(const Disturbance& disturbance) {
  constexpr double kOthers = 0.5;
  constexpr double kSteal = 0.1;
  constexpr double kShortest_s = 1;  // the system counts in ticks of 10 ms
  if (!disturbance.power.empty()) return disturbance.power;
  if (disturbance.hosted_mac)
    return "this is a hosted macOS machine, where times drift on their own";
  if (disturbance.throttled > 0) return "heat throttled the processors during the run";
  if (disturbance.seconds < kShortest_s) return "";
  if (disturbance.steal_s > kSteal * disturbance.seconds) {
    return fmt::format("other virtual machines took {:.0f} % of the processor time",
                       100 * disturbance.steal_s / disturbance.seconds);
  }
  if (disturbance.others_s > kOthers * disturbance.seconds) {
    return fmt::format("other programs kept {:.0f} % of the processors busy",
                       100 * disturbance.others_s / disturbance.seconds);
  }
  return "";
}

Fitness::Fitness()
    : cpu_(cpu_time()),
      own_s_(own_cpu_s()),
      throttled_(throttle_events()),
      model_(describe_machine().cpu) {}

Disturbance Fitness::disturbance() const {
  const CpuTime now = cpu_time();
  const double own_s = own_cpu_s() - own_s_;
  const Machine machine = describe_machine();
  return {.seconds = now.total_s - cpu_.total_s,
          .others_s = std::max(0.0, now.busy_s - cpu_.busy_s - own_s),
          .steal_s = now.steal_s - cpu_.steal_s,
          .throttled = throttle_events() - throttled_,
          .power = why_power_unfit(),
          .another_cpu = machine.cpu != model_,
          .hosted_mac = is_hosted_mac(machine.virtualised, machine.os)};
}

}  // namespace cliffbench
