// The cost of calls of zk circuit kernels (ECC's call_kernel), as it was and with each patch.

#include "case_toml.hpp"
#include "cases/call_kernel/bench.hpp"
#include "cases/call_kernel/inspect.hpp"

int main(int argc, char** argv) {
  using namespace zk;
  std::vector<cliffbench::Measure> measures = repeat_call_measures();
  measures.push_back(circuit_building_measure());
  measures.push_back(mul_line_measure());
  measures.push_back(stale_kernel_measure());
  std::vector<cliffbench::Patch> cards = cards_of(Namings<Bn254Config>());
  for (const auto& more :
       {cards_of(Evaluations<Bn254Config>()), cards_of(EvaluationsWithOutputs<Bn254Config>())}) {
    cards.insert(cards.end(), more.begin(), more.end());
  }
  cliffbench::CaseContext context = cliffbench::this_case(cards);
  context.subject = subject();
  return cliffbench::case_main(context, measures, argc, argv, {{"--inspect", inspect}});
}
