#include "harness/gate/pilots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace cliffbench {
namespace {

/// Benchmarks of one program, whose pilots may share processes.
void measure_group(std::span<ComparedBenchmark> group, const GatePlan& plan, const Sides& sides,
                   GateSession& session) {
  std::vector<std::string> names;
  for (const ComparedBenchmark& benchmark : group) {
    if (!benchmark.has_pilot()) names.push_back(benchmark.name);
  }
  if (names.empty()) return;
  session.line.show(fmt::format("pilots of {} from {} on", group.front().program, names.front()));
  const ProgramPair& pair = sides.pair_of(group.front());
  const CommonBenchmarks& both = sides.common(pair);
  const auto pilots = calibrate({.base = pair.base,
                                 .head = pair.head,
                                 .names = names,
                                 .takes_counts = both.takes_counts,
                                 .shares_process = !both.of_kit,
                                 .batch_s = session.request.batch_s,
                                 .limits = session.limits()});
  session.place.check(false);
  for (ComparedBenchmark& benchmark : group) {
    const auto pilot = pilots.find(benchmark.name);
    if (pilot == pilots.end()) continue;
    session.place.check(!pilot->second.trouble.empty());
    benchmark.pilot = pilot->second;
    if (plan.metric == "cpu") benchmark.pilot.metric = Metric::cpu;
    if (plan.metric == "wall") benchmark.pilot.metric = Metric::wall;
    if (session.request.new_output) benchmark.pilot.digests = false;
  }
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
