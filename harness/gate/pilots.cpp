#include "harness/gate/pilots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

/// Where starting is what costs, the benchmarks of the group have processes in common, all with the
/// same batches: a process has one count of iterations, or one time.
void share_processes(std::span<ComparedBenchmark*> group, double batch_s) {
  constexpr double kBatch_s = 0.015;  // counts that differ by 30 % then change a time by 0.5 %
  std::vector<ComparedBenchmark*> able;
  for (ComparedBenchmark* benchmark : group) {
    const Pilot& pilot = benchmark->pilot;
    if (pilot.trouble.empty() && pilot.start_s > kSlowStart_s) able.push_back(benchmark);
  }
  if (able.size() < 2) return;
  int count = 10;
  for (const auto* benchmark : able) count = std::min(count, benchmark->pilot.batches.count);
  for (ComparedBenchmark* benchmark : able) {
    Pilot& pilot = benchmark->pilot;
    pilot.together = true;
    pilot.batches = {.min_time_s = std::max(kBatch_s, batch_s / count), .count = count};
    pilot.round_s += kRoundTrials * (pilot.batches.min_time_s * count - batch_s);
    pilot.round_s -= kRoundTrials * pilot.start_s;
  }
}

/// Takes over what the pilot found.
void set_pilot(ComparedBenchmark& benchmark, const Pilot& pilot, GatePlan& plan,
               const GateRequest& request) {
  benchmark.pilot = pilot;
  if (plan.metric == "cpu") benchmark.pilot.metric = Metric::cpu;
  if (plan.metric == "wall") benchmark.pilot.metric = Metric::wall;
  if (request.new_output) benchmark.pilot.digests = false;
  for (const WantedCounter& counter : request.counters) {
    if (contains(pilot.counters, counter.name)) benchmark.counters.push_back(counter);
  }
  for (const auto& [side, how] :
       {std::pair("base", &pilot.base_late_end), {"head", &pilot.head_late_end}}) {
    const std::string note = late_end_note(benchmark.program, side, *how);
    if (!how->empty() && !contains(plan.notes, note)) plan.notes.push_back(note);
  }
  if (!pilot.note.empty()) plan.notes.push_back(benchmark.name + ": " + pilot.note);
}

/// Benchmarks of one program, whose pilots may share processes.
void measure_group(std::span<ComparedBenchmark> whole, GatePlan& plan, const Sides& sides,
                   GateSession& session) {
  std::vector<ComparedBenchmark*> group;
  std::vector<std::string> base_names, head_names;
  for (ComparedBenchmark& benchmark : whole) {
    if (benchmark.has_pilot()) continue;
    group.push_back(&benchmark);
    base_names.push_back(benchmark.base_name);
    head_names.push_back(benchmark.head_name);
  }
  if (group.empty()) return;
  session.line.show(fmt::format("pilots of {} from {} on", whole.front().program, base_names[0]));
  const ProgramPair& pair = sides.pair_of(whole.front());
  const CommonBenchmarks& both = sides.common(pair);
  const auto pilots = calibrate({.base = pair.base,
                                 .head = pair.head,
                                 .names = base_names,
                                 .head_names = head_names,
                                 .takes_counts = both.takes_counts,
                                 .shares_process = !both.of_kit,
                                 .start_s = both.start_s,
                                 .batch_s = session.request.batch_s,
                                 .limits = session.limits()});
  session.place.check(false);
  for (ComparedBenchmark* benchmark : group) {
    const auto pilot = pilots.find(benchmark->base_name);
    if (pilot == pilots.end()) continue;
    session.place.check(!pilot->second.trouble.empty());
    set_pilot(*benchmark, pilot->second, plan, session.request);
  }
  if (!both.of_kit) share_processes(group, session.request.batch_s);
}

}  // namespace

void measure_pilots(GatePlan& plan, const Sides& sides, GateSession& session) {
  constexpr std::ptrdiff_t kTogether = 50;  // between two groups the budget is looked at
  const auto end = plan.benchmarks.end();
  for (auto first = plan.benchmarks.begin(); first != end && !session.budget.over();) {
    auto last = first;
    while (last != end && last - first < kTogether && last->program == first->program) ++last;
    measure_group({first, last}, plan, sides, session);
    first = last;
  }
}

}  // namespace cliffbench
