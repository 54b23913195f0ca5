// A case that says where its heap, stack and environment begin.
#include "harness/suite/kit/kit.hpp"
#include "harness/tests/programs/place.hpp"

namespace {

void measure(benchmark::State& state, cliffbench::Trial& trial) {
  for (const auto& [name, value] : places()) trial.add_to_stage(name, value);
  trial.ready();
  for (auto _ : state) benchmark::ClobberMemory();
  trial.done();
  trial.digest("nothing");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cliffbench;
  const Case declared{.name = "placed_case",
                      .why = "It says where its heap, stack and environment begin.",
                      .subject = {"nothing", "1", ""},
                      .axes = {{"n", "", {"1"}}},
                      .variants = {{"baseline", Role::baseline, "does nothing"},
                                   {"control", Role::control, "does nothing again"}},
                      .profiles = {{"quick", "all", {{.variants = {"baseline", "control"}}}}},
                      .limit_s = 10};
  return case_main({{declared, measure}}, argc, argv);
}
