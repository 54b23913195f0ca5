// Plans: what is read, is written and read again as the same; its trials are split without loss.
#include "harness/plan/plan.hpp"

#include <cstdlib>

#include "harness/fuzz/json_input.hpp"
#include "harness/plan/shard.hpp"

using namespace cliffbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = read_input(data, size, parse_plan);
  if (!input) return 0;
  Plan plan = *input;
  const auto written = plan_json(plan);
  if (plan_json(parse_plan(written)) != written) std::abort();
  long trials = 0;
  for (const Cell& cell : plan.cells) trials += cell.rounds;
  size_t cells = 0;
  for (const auto& shard : split(plan.cells, 3)) cells += shard.size();
  if (cells != plan.cells.size()) std::abort();
  constexpr long kQuick = 10000;
  if (trials > kQuick) return 0;
  if (schedule(plan.cells, plan.seed).size() != static_cast<size_t>(trials)) std::abort();
  size_t slots = 0;
  plan.shard.count = 3;
  for (plan.shard.index = 1; plan.shard.index <= 3; ++plan.shard.index) {
    slots += slots_of(plan).size();
  }
  if (slots != static_cast<size_t>(trials)) std::abort();
  return 0;
}
