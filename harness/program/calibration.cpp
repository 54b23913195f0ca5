#include "harness/program/calibration.hpp"

#include <algorithm>
#include <cmath>

namespace cliffbench {
namespace {

constexpr double kPilot_s = 0.01;  ///< of each benchmark: the first iteration alone is cold
constexpr double kStart_s = 0.01;  ///< what a process takes beside its batch, until rounds tell
constexpr int kBatches = 10;       ///< of a process: on a disturbed machine, one of them is not
constexpr double kParallel = 1.2;  ///< processors that are more than one

/// The benchmarks of one side, many to a process. After one that dies its benchmarks are run alone
/// first, so that each has its own reason.
std::map<std::string, Row> run_pilots(const PilotRequest& request,
                                      const std::filesystem::path& program) {
  constexpr size_t kMost = 50;  // names in a filter, which some libraries match by recursion
  const size_t most = request.shares_process ? kMost : 1;
  const Batches short_time{1, kPilot_s};
  std::map<std::string, Row> rows;
  std::vector<std::string> open(request.names.rbegin(), request.names.rend());
  for (size_t together = most; !open.empty();) {
    const size_t size = std::min(together, open.size());
    const std::vector<std::string> names(open.rbegin(),
                                         open.rbegin() + static_cast<std::ptrdiff_t>(size));
    if (size == 1) {
      Row row;
      row.name = names.front();
      if (!run_trial(program, request.limits, row, short_time)) break;
      rows[row.name] = row;
    } else if (!run_trials(program, request.limits, names, short_time, rows)) {
      break;
    }
    const size_t before = open.size();
    std::erase_if(open, [&](const std::string& name) { return rows.contains(name); });
    together = before - open.size() < size ? 1 : std::min(2 * size, most);
  }
  return rows;
}

double time_of(const Row& row) { return std::max({*row.wall_s, row.cpu_s.value_or(0), 1e-10}); }

Metric metric_for(const std::string& name, const Row& base, const Row& head) {
  constexpr double kWaits = 0.5;
  for (const char* word : {"/threads:", "/real_time", "/manual_time"}) {
    if (name.find(word) != std::string::npos) return Metric::wall;
  }
  for (const Row* row : {&base, &head}) {
    const double share = row->cpu_s.value_or(0) / std::max(*row->wall_s, 1e-12);
    if (share > kParallel || share < kWaits) return Metric::wall;
  }
  return Metric::cpu;
}

/// Each batch repeats the benchmark's own set-up, so that there are several only where the pilots,
/// which repeat it too, took little beside what they timed.
int batches_for(const PilotRequest& request, const Row& base, const Row& head) {
  constexpr double kShort_s = 0.05;  // of a pilot with its start: the rest is set-up
  constexpr double kWaited_s = 0.5;  // the same, on a busy machine
  for (const Row* row : {&base, &head}) {
    if (row->process_cpu_s > kShort_s || row->process_s > kWaited_s) return 1;
  }
  constexpr double kLeast_s = 0.002;  // of a batch: clocks and caches need as long
  const double batch_s = std::max({time_of(base), time_of(head), kLeast_s});
  return static_cast<int>(std::clamp(request.batch_s / batch_s, 1.0, 1.0 * kBatches));
}

Pilot pilot_of(const PilotRequest& request, const Row& base, const Row& head) {
  constexpr double kMostIterations = 1e9;
  Pilot pilot;
  for (const Row* row : {&base, &head}) {
    if (row->status == Status::ok) continue;
    pilot.trouble = std::string(row == &base ? "base: " : "head: ") +
                    (row->status == Status::wrong ? "wrong: " : "") + row->reason;
    pilot.wrong = row->status == Status::wrong;
    return pilot;
  }
  const double slower_s = std::max(time_of(base), time_of(head));
  pilot.batches.count = batches_for(request, base, head);
  const double batch_s = request.batch_s / pilot.batches.count;
  if (request.takes_counts) {
    pilot.batches.iterations = std::llround(std::clamp(batch_s / slower_s, 1.0, kMostIterations));
  } else {
    pilot.batches.min_time_s = batch_s;
  }
  // Our kit labels its results with digests; nobody else has its counter of memory.
  pilot.digests = base.rss_bytes && head.rss_bytes;
  pilot.metric = metric_for(base.name, base, head);
  pilot.round_s = 3 * (std::max(slower_s, request.batch_s) + kStart_s);
  pilot.lead = std::log(time_of(head) / time_of(base));
  return pilot;
}

}  // namespace

std::map<std::string, Pilot> calibrate(const PilotRequest& request) {
  const auto base = run_pilots(request, request.base);
  const auto head = run_pilots(request, request.head);
  std::map<std::string, Pilot> pilots;
  for (const auto& [name, row] : base) {
    const auto other = head.find(name);
    if (other != head.end()) pilots[name] = pilot_of(request, row, other->second);
  }
  return pilots;
}

bool several_processors(const Row& row) { return row.process_cpu_s > kParallel * row.process_s; }

}  // namespace cliffbench
