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
    const bool timed = benchmark->stage() < Stage::no_pilot;
    if (timed && benchmark->timing.start_s > kSlowStart_s) able.push_back(benchmark);
  }
  if (able.size() < 2) return;
  int count = 10;
  for (const auto* benchmark : able) count = std::min(count, benchmark->timing.batches.count);
  for (ComparedBenchmark* benchmark : able) {
    Timing& timing = benchmark->timing;
    timing.shares_process = true;
    timing.batches = {.min_time_s = std::max(kBatch_s, batch_s / count), .count = count};
    timing.round_s += kRoundTrials * (timing.batches.min_time_s * count - batch_s);
    timing.round_s -= kRoundTrials * timing.start_s;
  }
}

void set_pilot(ComparedBenchmark& benchmark, const Pilot& pilot, GatePlan& plan,
               const GateRequest& request) {
  Timing& timing = benchmark.timing = pilot.timing;
  benchmark.seen.slower = pilot.slower;
  benchmark.judged.not_timed = pilot.not_timed;
  if (plan.metric && !plan.by_instructions()) timing.metric = *plan.metric;
  if (request.new_output) timing.digests = false;
  for (const WantedCounter& counter : request.counters) {
    if (contains(pilot.counters, counter.name)) timing.counters.push_back(counter);
  }
  for (const auto& [side, how] :
       {std::pair("base", &pilot.base_late_end), {"head", &pilot.head_late_end}}) {
    const std::string note = late_end_note(benchmark.id.program, side, *how);
    if (!how->empty() && !contains(plan.notes, note)) plan.notes.push_back(note);
  }
  if (!pilot.note.empty()) plan.notes.push_back(benchmark.id.name + ": " + pilot.note);
}

void measure_group(std::span<ComparedBenchmark> whole, GatePlan& plan, const Sides& sides,
                   GateSession& session) {
  std::vector<ComparedBenchmark*> group;
  std::vector<std::string> base_names, head_names;
  for (ComparedBenchmark& benchmark : whole) {
    if (benchmark.stage() != Stage::no_pilot) continue;
    group.push_back(&benchmark);
    base_names.push_back(benchmark.id.base_name);
    head_names.push_back(benchmark.id.head_name);
  }
  if (group.empty()) return;
  session.line.show(
      fmt::format("pilots of {} from {} on", whole.front().id.program, base_names[0]));
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
    const auto pilot = pilots.find(benchmark->id.base_name);
    if (pilot == pilots.end()) continue;
    session.place.check(pilot->second.not_timed.has_value());
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
    while (last != end && last - first < kTogether && last->id.program == first->id.program) ++last;
    measure_group({first, last}, plan, sides, session);
    first = last;
  }
}

}  // namespace cliffbench
