#include "harness/program/calibration.hpp"

#include <algorithm>
#include <cmath>

namespace cliffbench {
namespace {

/// What a pilot trial of one side showed.
struct Seen {
  Row row;
  [[nodiscard]] bool ok() const { return row.status == Status::ok; }
  [[nodiscard]] double time_s() const { return std::max(*row.wall_s, row.cpu_s.value_or(0)); }
};

bool fly(const PilotRequest& request, const std::filesystem::path& program, const Amount& amount,
         Pilot& pilot, Seen& seen) {
  seen.row = Row();
  seen.row.name = request.name;
  if (!run_trial(program, request.scratch, request.limits, seen.row, amount)) {
    pilot.stopped = true;
    return false;
  }
  if (!seen.ok()) {
    const bool base = program == request.base;
    pilot.trouble = std::string(base ? "base: " : "head: ") +
                    (seen.row.status == Status::wrong ? "wrong: " : "") + seen.row.reason;
  }
  return seen.ok();
}

/// Iterations that take about `batch_s` on this side, from runs of 1 and of about 5 ms: the first
/// iteration alone is cold.
std::int64_t count_for(const PilotRequest& request, const std::filesystem::path& program,
                       Pilot& pilot) {
  constexpr double kWarm_s = 0.005;
  constexpr double kMost = 1e9;
  std::int64_t count = 1;
  for (int step = 0; step < 4; ++step) {
    Seen seen;
    if (!fly(request, program, {count, 0}, pilot, seen)) return 0;
    // Our kit labels its results with digests; nobody else has its counter of memory.
    pilot.digests = seen.row.rss_bytes.has_value();
    const double each_s = std::max(seen.time_s(), 1e-10);
    const double ran_s = each_s * static_cast<double>(count);
    const bool warm = ran_s >= kWarm_s;
    const double wanted = std::clamp((warm ? request.batch_s : 2 * kWarm_s) / each_s, 1.0, kMost);
    const auto next = static_cast<std::int64_t>(std::llround(wanted));
    if (warm || next <= count) return warm ? next : count;
    count = next;
  }
  return count;
}

Metric metric_for(const std::string& name, const Seen& base, const Seen& head) {
  for (const char* word : {"/threads:", "/real_time", "/manual_time"}) {
    if (name.find(word) != std::string::npos) return Metric::wall;
  }
  constexpr double kParallel = 1.2;
  constexpr double kWaits = 0.5;
  for (const Seen* seen : {&base, &head}) {
    const Row& row = seen->row;
    // The library sees the main thread only, so ask for the whole process too.
    const double share = row.cpu_s.value_or(0) / std::max(*row.wall_s, 1e-12);
    const bool parallel = share > kParallel || row.process_cpu_s > kParallel * row.process_s;
    if (parallel || share < kWaits) return Metric::wall;
  }
  return Metric::cpu;
}

}  // namespace

Pilot calibrate(const PilotRequest& request) {
  Pilot pilot;
  if (request.takes_counts) {
    const std::int64_t base = count_for(request, request.base, pilot);
    const bool base_digests = pilot.digests;
    const std::int64_t head = base ? count_for(request, request.head, pilot) : 0;
    if (!base || !head) return pilot;
    pilot.digests = pilot.digests && base_digests;
    pilot.amount.iterations = std::min(base, head);
  } else {
    pilot.amount = {1, request.batch_s};
  }
  Seen base;
  Seen head;
  if (!fly(request, request.base, pilot.amount, pilot, base) ||
      !fly(request, request.head, pilot.amount, pilot, head)) {
    return pilot;
  }
  pilot.round_s = base.row.process_s + head.row.process_s;
  pilot.metric = metric_for(request.name, base, head);
  return pilot;
}

}  // namespace cliffbench
