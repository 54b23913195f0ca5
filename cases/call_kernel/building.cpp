// Circuit building: a model's layers, each calling both kernels.

#include <stdexcept>

#include "cases/call_kernel/bench.hpp"
#include "cases/call_kernel/free_memory.hpp"
#include "cases/call_kernel/kernels/heap_layout.hpp"

namespace zk {
namespace {

using namespace cliffbench;

struct LayerSizes {
  FreivaldsDims freivalds;
  SlnDims sln;
};
LayerSizes sizes_of(const Params& params) {
  const std::string& dims = params.at("dims");
  if (dims == "tiny") return {{2, 2, 2, 2}, {2, 4, 2, 3}};
  if (dims == "small") return {{64, 256, 256, 256}, {16, 256, 2, 8}};
  if (dims == "default") return {{256, 768, 768, 768}, {128, 768, 2, 12}};
  throw std::invalid_argument("no code knows the dims " + dims);
}

/// A kernel of a layer, with the values and shapes of each io.
template <typename Config>
struct Step {
  Kernel<typename Config::Scalar> kernel;
  std::vector<std::vector<typename Config::Packed>> values;
  std::vector<Shape> shapes;
};

template <typename Config, typename Context, typename Data>
Step<Config> prepared(Context& context, Kernel<typename Config::Scalar> kernel, bool is_sln,
                      const Data& data) {
  Step<Config> step{std::move(kernel), {}, {}};
  scatter(step.kernel, heap_layout<typename Config::Scalar>(is_sln), 8717);
  for (const DeviceMemoryHandle& handle : put_on_device(context, data)) {
    step.values.push_back(context.copy_simd_to_host(handle));
    step.shapes.push_back(context.shape(handle));
  }
  return step;
}

template <typename Naming, typename Evaluation>
void measure_layers(benchmark::State& state, Trial& trial) {
  using Config = typename Naming::Config;
  using Scalar = typename Config::Scalar;
  const LayerSizes sizes = sizes_of(trial.params);
  const int layers = std::stoi(trial.params.at("layers"));
  typename Naming::template ContextWith<Evaluation> context;
  const auto sln = [&](std::uint64_t lane) { return pre_attn_sln_data(sizes.sln, lane); };
  const auto product = [&](std::uint64_t lane) { return freivalds_data(sizes.freivalds, lane); };
  const FreeMemory memory(trial.params.at("free_memory"));
  std::vector<Step<Config>> steps;
  const auto begin = [&] {  // a new model: no kernel is known
    steps.clear();
    steps.push_back(prepared<Config>(context, pre_attn_sln<Scalar>(sizes.sln), true, sln));
    steps.push_back(prepared<Config>(context, freivalds<Scalar>(sizes.freivalds), false, product));
    context.reset();
    memory.forget();  // each model begins with new pages: those of the one before are no part of it
  };
  begin();

  trial.ready();
  for (auto _ : state) {
    trial.between(begin);
    using Name = decltype(Naming::name(context, std::move(steps[0].kernel)));
    std::vector<Name> names;
    {
      const auto timer = trial.stage("call_kernel");
      for (Step<Config>& step : steps)
        names.push_back(Naming::name(context, std::move(step.kernel)));
    }
    for (int layer = 0; layer < layers; ++layer) {
      for (size_t i = 0; i < steps.size(); ++i) {
        Ios ios;
        {
          const auto timer = trial.stage("copy_to_device");
          for (size_t io = 0; io < steps[i].values.size(); ++io) {
            ios.push_back(context.new_memory(steps[i].values[io], steps[i].shapes[io]));
          }
        }
        const auto timer = trial.stage("call_kernel");
        context.call_kernel(names[i], 1, ios);
      }
    }
  }
  trial.done();

  std::vector<KernelCall> calls = context.calls();
  if (trial.spoiled()) calls.pop_back();
  SipHasher hasher;
  for (const KernelCall& call : calls) hasher.u64(call.kernel_id);
  trial.digest(std::to_string(calls.size()) + " calls " + std::to_string(hasher.finish()));
  if (calls.size() != 2 * static_cast<size_t>(layers)) trial.wrong("calls are missing");
}

}  // namespace

cliffbench::Measure circuit_building_measure() {
  std::vector<std::string> patches = names_of(Namings<Bn254Config>());
  for (const std::string& name : names_of(Evaluations<Bn254Config>())) patches.push_back(name);
  const auto layers = [](benchmark::State& state, Trial& trial) {
    with_field(trial, [&]<typename Config>() {
      with_seams<Config>(trial, [&]<typename Naming, typename Evaluation>() {
        measure_layers<Naming, Evaluation>(state, trial);
      });
    });
  };
  return {.name = "circuit_building", .function = layers, .patches = patches};
}

}  // namespace zk
