#include "harness/gate/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

constexpr double kPilot_s = 0.01;  ///< for each benchmark: the first iteration alone would be cold
constexpr double kStart_s = 0.01;  ///< what a process takes beside its batch, until rounds tell
constexpr int kBatches = 10;       ///< in a process: on a disturbed machine, one is undisturbed
constexpr double kParallel = 1.2;  ///< from here on a process used several processors

/// How long a process of these benchmarks, by their places, may take.
using LimitOf = std::function<double(std::span<const size_t>)>;

/// The benchmarks of one side at `places`, many to a process. After one that dies its benchmarks
/// are run alone first, so that each has its own reason.
std::map<size_t, PilotRow> run_pilots(const PilotRequest& request, const fs::path& program,
                                      const std::vector<std::string>& names,
                                      std::vector<size_t> places, const LimitOf& limit_of) {
  const size_t most = request.shares_process ? kMostTogether : 1;
  const Batches short_time{1, kPilot_s};
  TrialLimits limits = request.limits;
  std::map<size_t, PilotRow> found;
  for (size_t together = most; !places.empty();) {
    const std::span group(places.data(), std::min(together, places.size()));
    limits.timed_s = limit_of(group);
    std::map<std::string, Row> rows;
    std::map<std::string, Remarks> remarks;
    if (group.size() == 1) {
      Row row;
      row.name = names[group[0]];
      if (!run_trial(program, limits, row, short_time, &remarks[row.name])) break;
      rows[row.name] = row;
    } else {
      std::vector<std::string> of_group;
      for (const size_t place : group) of_group.push_back(names[place]);
      if (!run_trials(program, limits, of_group, short_time, rows, &remarks)) break;
    }
    const auto size = static_cast<double>(group.size());
    const size_t asked = group.size();
    for (const size_t place : group) {
      const auto row = rows.find(names[place]);
      if (row == rows.end()) continue;
      // From here on, what the benchmark itself took.
      const auto own = [&](double seconds) {
        return std::max(0.0, seconds - request.start_s / size);
      };
      row->second.process_s = own(row->second.process_s);
      row->second.process_cpu_s = own(row->second.process_cpu_s);
      found[place] = {row->second, remarks[names[place]]};
    }
    std::erase_if(places, [&](size_t place) { return found.contains(place); });
    together = rows.size() < asked ? 1 : std::min(2 * asked, most);
  }
  return found;
}

double time_of(const Row& row) { return std::max({*row.wall_s, row.cpu_s.value_or(0), 1e-10}); }

Metric metric_for(const std::string& name, const Row& base, const Row& head) {
  for (const char* word : {"/threads:", "/real_time", "/manual_time"}) {
    if (name.find(word) != std::string::npos) return Metric::wall;
  }
  for (const Row* row : {&base, &head}) {  // the library sees several only where it is told to
    if (row->cpu_s.value_or(0) > kParallel * *row->wall_s) return Metric::wall;
  }
  return Metric::cpu;
}

/// Each batch repeats the benchmark's own set-up, so there are several only where the pilots, which
/// repeat it too, spent little time outside their timed regions.
int batches_for(const PilotRequest& request, const Row& base, const Row& head) {
  // A benchmark that fixes its iterations wants exactly these in a process: the first calls, say.
  if (base.name.find("/iterations:") != std::string::npos) return 1;
  constexpr double kShort_s = 0.05;  // of a pilot with its start: the rest is set-up
  constexpr double kWaited_s = 0.5;  // the same, on a busy machine
  for (const Row* row : {&base, &head}) {
    if (row->process_cpu_s > kShort_s || row->process_s > kWaited_s) return 1;
  }
  constexpr double kLeast_s = 0.002;  // of a batch: clocks and caches need as long
  const double batch_s = std::max({time_of(base), time_of(head), kLeast_s});
  return static_cast<int>(std::clamp(request.batch_s / batch_s, 1.0, 1.0 * kBatches));
}

}  // namespace

Pilot pilot_of(const PilotRequest& request, const PilotRow& base, const PilotRow& head) {
  constexpr double kMostIterations = 1e9;
  Pilot pilot;
  const bool skips = base.remarks.says_skipped && base.status != Status::wrong;
  if (skips && head.remarks.says_skipped) {
    pilot.not_timed = {Ruling::skipped, base.reason};
    return pilot;
  }
  for (const PilotRow* row : {skips ? &head : &base, skips ? &base : &head}) {  // the news first
    if (row->status == Status::ok) continue;
    const bool wrong = row->status == Status::wrong;
    const char* side = row == &base ? "base" : "head";
    std::string reason = !wrong && row->remarks.says_skipped
                             ? fmt::format("only the {} skips it: {}", side, row->reason)
                             : fmt::format("{}: {}{}", side, wrong ? "wrong: " : "", row->reason);
    if (row == &head && row->process_s + request.start_s >= row->limit_s) {
      reason += fmt::format(" (the base took {})", duration(base.process_s));
    }
    pilot.not_timed = {wrong ? Ruling::wrong_output : Ruling::not_measured, reason};
    return pilot;
  }
  const double slower_s = std::max(time_of(base), time_of(head));
  Timing& timing = pilot.timing;
  timing.batches.count = batches_for(request, base, head);
  const double batch_s = request.batch_s / timing.batches.count;
  if (request.takes_counts) {
    timing.batches.iterations = std::llround(std::clamp(batch_s / slower_s, 1.0, kMostIterations));
  } else {
    timing.batches.min_time_s = batch_s;
  }
  // Our kit labels its results with digests; nobody else has its counter of memory.
  timing.digests = base.rss_bytes && head.rss_bytes;
  timing.metric = metric_for(base.name, base, head);
  // Beside what it times, a benchmark's process starts the program and sets the benchmark up.
  const double set_up_s = std::max(base.process_s, head.process_s) - 2 * kPilot_s - slower_s;
  timing.start_s = request.start_s;
  timing.round_s = kRoundTrials * (std::max(slower_s, request.batch_s) + std::max(0.0, set_up_s) +
                                   std::max(kStart_s, request.start_s));
  pilot.note = base.remarks.left_out.empty() ? head.remarks.left_out : base.remarks.left_out;
  pilot.base_late_end = base.remarks.late_end;
  pilot.head_late_end = head.remarks.late_end;
  for (const auto& [counter, value] : base.counters) {
    if (head.counters.contains(counter)) pilot.counters.push_back(counter);
  }
  pilot.slower = std::log(time_of(head) / time_of(base));
  return pilot;
}

std::map<std::string, Pilot> calibrate(const PilotRequest& request) {
  constexpr double kPatience_s = 5;   // beside a multiple of what is expected: machines stall
  constexpr double kTimes = 10;       // slower: it hangs
  constexpr double kBudgetShare = 4;  // nothing is known of the base yet
  const auto at_most = [&](double limit_s) { return std::min(limit_s, request.limits.timed_s); };
  const double start_s = kPatience_s + kTimes * request.start_s;
  const double first_s = at_most(std::max(start_s, request.limits.budget.left_s() / kBudgetShare));
  std::vector<size_t> places(request.names.size());
  std::iota(places.begin(), places.end(), 0);
  const auto base =
      run_pilots(request, request.base, request.names, places, [&](auto) { return first_s; });
  std::erase_if(places, [&](size_t place) {  // where the base hangs, so may the head
    const auto row = base.find(place);
    return row == base.end() || row->second.process_s >= first_s - request.start_s;
  });
  const auto head = run_pilots(request, request.head, request.head_names, places, [&](auto group) {
    double limit_s = start_s;
    for (const size_t place : group) limit_s += kTimes * base.at(place).process_s;
    return at_most(limit_s);
  });
  std::map<std::string, Pilot> pilots;
  for (const auto& [place, row] : base) {
    const auto other = head.find(place);
    if (row.status == Status::ok && other == head.end()) continue;
    const PilotRow& partner = other == head.end() ? row : other->second;  // the base's fault counts
    pilots[request.names[place]] = pilot_of(request, row, partner);
  }
  return pilots;
}

bool decides_by_wall(std::span<const Row> rows, double start_s) {
  // On a machine that was 55 to 85 % busy, the median of 200 processes that only compute was
  // blocked for 0.2 % of its time and the worst for 4.6 %.
  constexpr double kWaits = 0.05;
  const auto waits = [&](const Row& row) {
    const double blocked_s = row.blocked_s.value_or(0) - (start_s > kSlowStart_s ? start_s : 0);
    const double wall_s = row.mean_wall_s.value_or(row.wall_s.value_or(0));
    const double off_s = wall_s - row.mean_cpu_s.value_or(row.cpu_s.value_or(0));
    return blocked_s > kWaits * (blocked_s + row.process_cpu_s) && off_s > kWaits * wall_s;
  };
  const auto side_waits = [&](bool is_head) {
    const auto of_side = [&](const Row& row) { return (row.variant == "head") == is_head; };
    const auto works = [&](const Row& row) { return of_side(row) && !waits(row); };
    return std::ranges::any_of(rows, of_side) && std::ranges::none_of(rows, works);
  };
  const auto parallel = [](const Row& row) {
    return row.process_cpu_s > kParallel * row.process_s;
  };
  return std::ranges::any_of(rows, parallel) || side_waits(false) || side_waits(true);
}

double process_limit_s(double expected_s) {
  constexpr double kPatience_s = 10;
  constexpr double kTimes = 20;
  return kPatience_s + kTimes * expected_s;
}

}  // namespace cliffbench
