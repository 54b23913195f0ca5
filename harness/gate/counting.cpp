#include "harness/gate/counting.hpp"

#include <algorithm>

#include "harness/core/text/text.hpp"

namespace cliffbench {

namespace fs = std::filesystem;

bool Counting::wants_count(const ComparedBenchmark& benchmark, bool by_instructions) const {
  if (benchmark.judged.not_timed) return false;
  if (by_instructions) return true;
  const CountWhen when = session_.request.count;
  const GateFinding& finding = benchmark.judged.finding;
  const bool faulty =
      finding.ruling == Ruling::not_measured || finding.ruling == Ruling::wrong_output;
  if (when == CountWhen::never || finding.metric == Metric::wall || faulty) return false;
  return when == CountWhen::always || !evidence.unfit.empty() || counts_tell(finding);
}

void Counting::count(const ComparedBenchmark& benchmark, const ProgramPair& pair) {
  Counted& counted = evidence.counted.emplace_back(
      Counted{.program = benchmark.id.program, .name = benchmark.id.name});
  if (session_.budget.over()) {
    counted.not_counted = "the time budget ran out";
    return;
  }
  if (!counter_) counter_ = find_instruction_counter();
  session_.line.show("counting instructions of " + benchmark.id.name);
  // Counting is about 50 times slower than running.
  Batches batches = benchmark.timing.batches;
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
    counted.instructions = {count_side(pair.base, benchmark.id.base_name),
                            count_side(pair.head, benchmark.id.head_name)};
  } catch (const CannotMeasure& error) {
    session_.place.check(true);
    counted.not_counted = error.what();
  }
  session_.place.check(false);
}

}  // namespace cliffbench
