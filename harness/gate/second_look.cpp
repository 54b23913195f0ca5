#include "harness/gate/second_look.hpp"

#include <algorithm>

#include "harness/text/text.hpp"

namespace cliffbench {

namespace fs = std::filesystem;

GateFinding SecondLook::rule(const ComparedBenchmark& benchmark, const ProgramPair& pair,
                             bool by_instructions) {
  GateFinding finding = benchmark.finding;
  if (benchmark.pilot.trouble.empty() && wants_count(finding, by_instructions)) {
    count(benchmark, pair);
  }
  apply_evidence(finding, evidence, by_instructions);
  return finding;
}

bool SecondLook::wants_count(const GateFinding& finding, bool by_instructions) const {
  const std::string& instructions = session_.request.instructions;
  if (by_instructions) return true;
  if (instructions == "never" || finding.metric == Metric::wall) return false;
  const bool faulty =
      finding.ruling == Ruling::not_measured || finding.ruling == Ruling::wrong_output;
  if (faulty) return false;
  return instructions == "always" || finding.ruling == Ruling::regression ||
         finding.ruling == Ruling::inconclusive;
}

void SecondLook::count(const ComparedBenchmark& benchmark, const ProgramPair& pair) {
  const BenchmarkKey key{benchmark.program, benchmark.name};
  if (session_.budget.over()) {
    evidence.not_counted[key] = "the time budget ran out";
    return;
  }
  if (!counter_) counter_ = find_instruction_counter();
  session_.line.show("counting instructions of " + benchmark.name);
  // Counting is about 50 times slower than running.
  Batches batches = benchmark.pilot.batches;
  batches.iterations = std::max<std::int64_t>(1, batches.iterations * batches.count / 10);
  batches.count = 1;
  const auto count_side = [&](const fs::path& program, const std::string& name) {
    return count_instructions(*counter_, {.program = program,
                                          .arguments = session_.request.arguments,
                                          .name = name,
                                          .batches = batches,
                                          .scratch = session_.place.scratch(),
                                          .budget = session_.budget});
  };
  try {
    const double base =
        count_side(pair.base, benchmark.base_name);  // before there is an entry: either may throw
    const double head = count_side(pair.head, benchmark.head_name);
    evidence.instructions[key] = {base, head};
  } catch (const CannotMeasure& error) {
    session_.place.check(true);
    evidence.not_counted[key] = error.what();
  }
  session_.place.check(false);
}

}  // namespace cliffbench
