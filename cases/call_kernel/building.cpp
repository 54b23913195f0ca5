// Building: a model's layers, each calling both kernels; and the kernels themselves.

#include <stdexcept>

#include "cases/call_kernel/bench.hpp"
#include "cases/call_kernel/circuit/scatter.hpp"
#include "cases/call_kernel/free_memory.hpp"

namespace zk {
namespace {

using namespace cliffbench;

struct Sizes {
  FreivaldsDims freivalds;
  SlnDims sln;
};
Sizes sizes_of(const Params& params) {
  const std::string& dims = params.at("dims");
  if (dims == "tiny") return {{2, 2, 2, 2}, {2, 4, 2, 3}};
  if (dims == "small") return {{64, 256, 256, 256}, {16, 256, 2, 8}};
  if (dims == "default") return {{256, 768, 768, 768}, {128, 768, 2, 12}};
  throw std::invalid_argument("no code knows the dims " + dims);
}

template <typename Naming, typename Evaluation>
void measure_layers(benchmark::State& state, Trial& trial) {
  using Config = typename Naming::Config;
  using Scalar = typename Config::Scalar;
  using Packed = typename Config::Packed;
  const Sizes sizes = sizes_of(trial.params);
  const int layers = std::stoi(trial.params.at("layers"));
  typename Naming::template ContextWith<Evaluation> context;
  struct Step {
    Kernel<Scalar> kernel;
    std::vector<std::vector<Packed>> values;  // of each io
    std::vector<Shape> shapes;
  };
  const auto prepared = [&](const Source<Scalar>& source, const auto& data) {
    Step step{compile(source), {}, {}};
    scatter(step.kernel, 8717);
    for (const DeviceMemoryHandle& handle : put_on_device(context, data)) {
      step.values.push_back(context.copy_simd_to_host(handle));
      step.shapes.push_back(context.shape(handle));
    }
    return step;
  };
  const auto sln = [&](std::uint64_t lane) { return pre_attn_sln_data(sizes.sln, lane); };
  const auto product = [&](std::uint64_t lane) { return freivalds_data(sizes.freivalds, lane); };
  const FreeMemory memory(trial.params.at("free_memory"));
  std::vector<Step> steps;
  const auto begin = [&] {  // a new model: no kernel is known
    steps.clear();
    steps.push_back(prepared(pre_attn_sln<Scalar>(sizes.sln), sln));
    steps.push_back(prepared(freivalds<Scalar>(sizes.freivalds), product));
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
      for (Step& step : steps) names.push_back(Naming::name(context, std::move(step.kernel)));
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

  SipHasher hasher;
  for (const KernelCall& call : context.calls()) hasher.u64(call.kernel_id);
  trial.digest(std::to_string(context.calls().size()) + " calls " +
               std::to_string(hasher.finish()));
  if (context.calls().size() != 2 * static_cast<size_t>(layers)) trial.wrong("calls are missing");
}

/// Collects the byte stream that is hashed.
struct ByteCollector {
  std::string collected;
  void u8(std::uint8_t value) { bytes(&value, sizeof value); }
  void u32(std::uint32_t value) { bytes(&value, sizeof value); }
  void u64(std::uint64_t value) { bytes(&value, sizeof value); }
  void bytes(const void* data, size_t size) {
    collected.append(static_cast<const char*>(data), size);
  }
};

/// A kernel is compiled; a finished one cloned; compiled and sealed with its digest; hashed write
/// by write; or its byte stream hashed in one piece.
template <typename Scalar>
void measure_kernel(benchmark::State& state, Trial& trial) {
  const Sizes sizes = sizes_of(trial.params);
  const Source<Scalar> source = trial.params.at("kernel") == "freivalds"
                                    ? freivalds<Scalar>(sizes.freivalds)
                                    : pre_attn_sln<Scalar>(sizes.sln);
  const bool hash = trial.variant == "hash";
  const bool bulk_hash = trial.variant == "bulk_hash";
  const bool clones = trial.variant == "clone";
  const bool seals = trial.has_patch(pck::kConstructionDigest.name);
  std::unique_ptr<Kernel<Scalar>> kernel, clone;
  std::unique_ptr<pck::Sealed<Kernel<Scalar>>> sealed;
  if (hash || bulk_hash || clones) {
    kernel = std::make_unique<Kernel<Scalar>>(compile(source));
  }
  ByteCollector stream;
  if (bulk_hash) kernel->write_to(stream);
  SipHasher hasher;

  trial.ready();
  for (auto _ : state) {
    hasher = SipHasher();
    if (hash) {
      kernel->write_to(hasher);
    } else if (bulk_hash) {
      hasher.bytes(stream.collected.data(), stream.collected.size());
    } else if (clones) {
      clone = std::make_unique<Kernel<Scalar>>(*kernel);
    } else {
      {
        const auto timer = trial.stage("compile");
        kernel = std::make_unique<Kernel<Scalar>>(compile(source));
      }
      if (!seals) continue;
      const auto timer = trial.stage("digest");
      sealed = std::make_unique<pck::Sealed<Kernel<Scalar>>>(std::move(*kernel));
    }
  }
  trial.done();

  if (!hash && !bulk_hash) (sealed ? **sealed : clone ? *clone : *kernel).write_to(hasher);
  trial.digest(std::to_string(hasher.finish()));
}

}  // namespace

std::vector<cliffbench::Measure> building_measures() {
  std::vector<std::string> patches = names_of(Namings<Bn254Config>());
  for (const std::string& name : names_of(Evaluations<Bn254Config>())) patches.push_back(name);
  const auto layers = [](benchmark::State& state, Trial& trial) {
    with_field(trial, [&]<typename Config>() {
      with_seams<Config>(trial, [&]<typename Naming, typename Evaluation>() {
        measure_layers<Naming, Evaluation>(state, trial);
      });
    });
  };
  const auto kernel = [](benchmark::State& state, Trial& trial) {
    with_field(trial,
               [&]<typename Config>() { measure_kernel<typename Config::Scalar>(state, trial); });
  };
  return {{.name = "circuit_building", .function = layers, .patches = patches},
          {.name = "kernel_building",
           .function = kernel,
           .variants = {"clone", "hash", "bulk_hash"},
           .patches = {pck::kConstructionDigest.name}}};
}

}  // namespace zk
