#include "harness/gate/second_look.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/pairs/layouts.hpp"

namespace cliffbench {

namespace fs = std::filesystem;

void SecondLook::ask(const PlannedBenchmark& planned, const ProgramPair& pair,
                     ComparedBenchmark& benchmark, GateFinding& finding) {
  const bool by_instructions = plan_.by_instructions();
  if (planned.trouble.empty() && wants_count(finding)) count(planned, pair, finding);
  apply_evidence(finding, evidence, by_instructions);
  if (finding.ruling == Ruling::layout_suspect && relink(planned, pair, benchmark)) {
    apply_evidence(finding, evidence, by_instructions);
  }
}

bool SecondLook::wants_count(const GateFinding& finding) const {
  if (plan_.by_instructions()) return true;
  if (request_.instructions == "never" || finding.metric == Metric::wall) return false;
  const bool faulty =
      finding.ruling == Ruling::not_measured || finding.ruling == Ruling::wrong_output;
  if (faulty) return false;
  return request_.instructions == "always" || finding.ruling == Ruling::regression ||
         finding.ruling == Ruling::inconclusive;
}

void SecondLook::count(const PlannedBenchmark& benchmark, const ProgramPair& pair,
                       const GateFinding& finding) {
  const BenchmarkKey key{finding.program, finding.name};
  if (session_.budget().over()) {
    evidence.not_counted[key] = "the time budget ran out";
    return;
  }
  if (!counter_) counter_ = find_instruction_counter();
  session_.show("counting instructions of", finding.name);
  // Counting is about 50 times slower than running.
  Batches batches = benchmark.batches;
  batches.iterations = std::max<std::int64_t>(1, batches.iterations * batches.count / 10);
  batches.count = 1;
  const auto count_side = [&](const fs::path& program) {
    return count_instructions(*counter_, {.program = program,
                                          .arguments = plan_.arguments,
                                          .name = finding.name,
                                          .batches = batches,
                                          .scratch = session_.place().scratch(),
                                          .budget = session_.budget()});
  };
  try {
    const double base = count_side(pair.base);  // before there is an entry: either may throw
    const double head = count_side(pair.head);
    evidence.instructions[key] = {base, head};
  } catch (const CannotMeasure& error) {
    session_.place().check(true);
    evidence.not_counted[key] = error.what();
  }
  session_.place().check(false);
}

/// Measures a suspect in other layouts, where the build can make them. Whether it did.
bool SecondLook::relink(const PlannedBenchmark& planned, const ProgramPair& pair,
                        ComparedBenchmark& benchmark) {
  if (request_.relink.empty()) {
    notes.push_back(
        fmt::format("{}: to decide it, give a program that links a side in another layout, "
                    "called as PROGRAM SEED OUT: --relink scripts/relink (from the Python "
                    "package: --relink $(command -v cliffbench-relink))",
                    benchmark.name));
    return false;
  }
  session_.show("measuring other layouts of", benchmark.name);
  if (layout_ratios(benchmark).empty()) measure_layouts(planned, pair, benchmark);
  evidence.layouts[{benchmark.program, benchmark.name}] = layout_ratios(benchmark);
  return true;
}

/// What an earlier session measured counts.
void SecondLook::measure_layouts(const PlannedBenchmark& planned, const ProgramPair& pair,
                                 ComparedBenchmark& benchmark) {
  const auto layouts = link_layouts({.relink = request_.relink,
                                     .base = fs::canonical(pair.base),
                                     .head = fs::canonical(pair.head),
                                     .folder = session_.folder() / "sides",
                                     .seed = plan_.seed,
                                     .budget = session_.budget()});
  LayoutSchedule schedule(benchmark, layouts, plan_.seed, [&](const fs::path& program) {
    return measure_(program, planned.batches);
  });
  if (!layouts.empty()) measure(schedule, session_.place());
}

}  // namespace cliffbench
