// The smallest case: what a trial costs when there is nothing to measure.
#include "harness/suite/kit/kit.hpp"

namespace {

void measure(benchmark::State& state, cliffbench::Trial& trial) {
  trial.ready();
  for (auto _ : state) benchmark::ClobberMemory();
  trial.done();
  trial.digest("nothing");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cliffbench;
  Case declared{.name = "empty",
                .why = "Nothing is measured, so what remains is the harness.",
                .subject = {"nothing", "1", ""},
                .axes = {{"number", "", {}}},
                .variants = {{"baseline", Role::baseline, "does nothing"},
                             {"control", Role::control, "does nothing again"}},
                .profiles = {{"quick", "one cell", {{.variants = {"baseline"}, .rounds = 1}}},
                             {"many",
                              "10,000 trials",
                              {{.variants = {"baseline", "control"}, .rounds = 50}}}},
                .limit_s = 10};
  for (int i = 1; i <= 100; ++i) declared.axes[0].values.push_back(std::to_string(i));
  declared.profiles[1].selections[0].where["number"] = declared.axes[0].values;
  return case_main({{declared, measure}}, argc, argv);
}
