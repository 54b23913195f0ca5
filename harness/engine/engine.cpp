#include "harness/engine/engine.hpp"

#include "harness/host/stopping.hpp"

namespace cliffbench {

bool measure(Schedule& schedule, const std::function<void(Row&)>& keep) {
  while (!stop_requested()) {
    std::optional<Trial> trial = schedule.next();
    if (!trial) break;
    if (trial->observe && !trial->observe(trial->row)) {
      schedule.cut_short();
      break;
    }
    keep(trial->row);
    schedule.measured(trial->row);
  }
  return !stop_requested();
}

bool measure(Schedule& schedule, Workplace& place) {
  return measure(schedule, [&](Row& row) { place.keep(row); });
}

}  // namespace cliffbench
