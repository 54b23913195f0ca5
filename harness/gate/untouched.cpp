#include "harness/gate/untouched.hpp"

#include <fmt/format.h>

#include <map>
#include <random>

#include "harness/host/shuffle.hpp"
#include "harness/host/stopping.hpp"
#include "harness/text/text.hpp"
#ifdef CLIFFBENCH_IMPACT
#include "harness/impact/impact.hpp"
#endif

namespace cliffbench {
namespace {

#ifdef CLIFFBENCH_IMPACT
/// Finds the untouched ones of a program; counts the reasons of the others.
void follow_program(const ProgramPair& pair, GatePlan& plan, GateSession& session,
                    std::vector<ComparedBenchmark*>& untouched,
                    std::map<std::string, size_t>& reasons) {
  ComparedPrograms programs(pair.base, pair.head);
  for (ComparedBenchmark& benchmark : plan.benchmarks) {
    if (benchmark.program != pair.name || benchmark.has_pilot() || benchmark.unchanged()) continue;
    if (session.budget.over() || stop_requested()) return;
    session.line.show("following " + benchmark.name);
    const std::string why = programs.touched(benchmark.base_name, benchmark.head_name,
                                             session.request.batch_s, session.limits());
    if (why.empty())
      untouched.push_back(&benchmark);
    else
      ++reasons[why];
  }
}
#else
void follow_program(const ProgramPair&, GatePlan&, GateSession&, std::vector<ComparedBenchmark*>&,
                    std::map<std::string, size_t>&) {
  throw UserError("--impact needs Linux on x86-64, and a cliffbench built with libzydis-dev");
}
#endif

}  // namespace

void find_untouched(GatePlan& plan, const Sides& sides, GateSession& session) {
  constexpr size_t kAuditEvery = 20;
  std::map<std::string, size_t> reasons;
  std::vector<ComparedBenchmark*> untouched;
  for (const ProgramPair& pair : sides.programs()) {
    if (!sides.common(pair).of_kit) follow_program(pair, plan, session, untouched, reasons);
  }
  std::mt19937_64 random(plan.seed);
  shuffle(untouched, random);
  for (size_t i = 0; i < untouched.size(); ++i) {
    untouched[i]->audited = i % kAuditEvery == 0;
    if (!untouched[i]->audited) untouched[i]->leave_untimed();
  }
  for (const auto& [reason, count] : reasons)
    plan.notes.push_back(fmt::format("touched, {}: {}", counted(count, "benchmark"), reason));
}

}  // namespace cliffbench
