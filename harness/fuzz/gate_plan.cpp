// Plans of gates: what is read, is written as it was, and its benchmarks can be judged.
#include "harness/gate/gate_plan.hpp"

#include <cstdlib>

#include "harness/fuzz/json_input.hpp"

using namespace cliffbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = read_input(data, size, parse_gate_plan);
  if (!input) return 0;
  const GatePlan& plan = *input;
  const auto written = gate_plan_json(plan);
  if (gate_plan_json(parse_gate_plan(written)) != written) std::abort();
  if (plan.pilots() > plan.benchmarks.size()) std::abort();
  if (!plan.benchmarks.empty() && plan.rule().decisions != plan.benchmarks.size()) std::abort();
  return 0;
}
