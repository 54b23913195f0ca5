// Plans of gates: what is read, is written as it was, and its contests can be judged.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "harness/gate/gate_folder.hpp"

using namespace cliffbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* text = reinterpret_cast<const char*>(data);  // libc++ knows no text of other bytes
  const auto json = nlohmann::json::parse(text, text + size, nullptr, false);
  GatePlan plan;
  try {
    plan = parse_gate_plan(json);
  } catch (const nlohmann::json::exception&) {
    return 0;
  } catch (const std::runtime_error&) {
    return 0;
  }
  const auto written = gate_plan_json(plan);
  if (gate_plan_json(parse_gate_plan(written)) != written) std::abort();
  if (plan.pilots() > plan.contests.size()) std::abort();
  if (!plan.contests.empty() && plan.rule().decisions < plan.contests.size()) std::abort();
  return 0;
}
