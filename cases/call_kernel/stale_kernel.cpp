// Whether a kernel's address names the kernel: two kernels one after the other at one address.

#include "cases/call_kernel/bench.hpp"
#include "cases/call_kernel/free_memory.hpp"
#include "cases/call_kernel/kernels/emit.hpp"

namespace zk {
namespace {

using namespace cliffbench;
using Config = Bn254Config;
using Scalar = Config::Scalar;

/// x0 + x1, or x0 - x1.
Kernel<Scalar> sum_or_difference(bool sum) {
  return emitted<Scalar>({{{2}, Direction::input}, {{}, Direction::output}}, 1,
                         [sum](Emitter<Scalar>& e) {
                           const Scalar one(1);
                           return std::vector{e.lin_comb({{1, one}, {2, sum ? one : -one}})};
                         });
}

template <typename Naming>
void measure_sequence(benchmark::State& state, Trial& trial) {
  using Evaluate = EvaluateInstances<Config>;
  typename Naming::template ContextWith<Evaluate> context;
  DeviceMemoryHandle x;
  std::vector<DeviceMemoryHandle> outputs;
  const auto begin = [&] {
    context.reset();
    outputs.clear();
    x = context.copy_to_device(std::vector{Scalar(7), Scalar(3)});
  };
  const auto call = [&](const auto& name) {
    Ios ios = {x, {}};
    context.call_kernel(name, 1, ios);
    outputs.push_back(ios[1]);
  };
  const std::string& sequence = trial.params.at("sequence");
  const FreeMemory memory(trial.params.at("free_memory"));
  begin();

  trial.ready();
  for (auto _ : state) {
    trial.between(begin);
    if (sequence == "same_slot") {
      for (const bool sum : {true, false}) {
        const auto name = Naming::name(context, sum_or_difference(sum));
        call(name);
      }
    } else if (sequence == "reassigned") {
      auto name = Naming::name(context, sum_or_difference(true));
      call(name);
      name = Naming::name(context, sum_or_difference(false));
      call(name);
    } else {
      // Both are built before the first goes: no part of the second takes the freed block.
      auto first = Naming::name(context, sum_or_difference(true));
      auto second = Naming::name(context, sum_or_difference(false));
      using Name = decltype(first);
      auto kernel = std::make_unique<Name>(std::move(first));
      call(*kernel);
      kernel.reset();
      kernel = std::make_unique<Name>(std::move(second));
      call(*kernel);
    }
  }
  trial.done();

  std::string digest = "recorded";
  for (const KernelCall& recorded : context.calls())
    digest += ' ' + std::to_string(recorded.kernel_id);
  digest += ", computed";
  for (const DeviceMemoryHandle& output : outputs) {
    digest += ' ' + std::to_string(context.copy_simd_to_host(output)[0].lane(0).limbs()[0]);
  }
  trial.digest(digest);
}

}  // namespace

cliffbench::Measure stale_kernel_measure() {
  const auto measure = [](benchmark::State& state, Trial& trial) {
    fill<ByContent<Config>>(Namings<Config>(), trial,
                            [&]<typename Naming>() { measure_sequence<Naming>(state, trial); });
  };
  return {.name = "stale_kernel", .function = measure, .patches = names_of(Namings<Config>())};
}

}  // namespace zk
