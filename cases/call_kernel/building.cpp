// Building: a model's layers, each calling both kernels; and the kernels themselves.

#include <stdexcept>

#include "cases/call_kernel/bench.hpp"
#include "cases/call_kernel/circuit/scatter.hpp"

namespace zk {
namespace {

using namespace cliffbench;
using Where = std::map<std::string, std::vector<std::string>>;

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
double instructions(const Sizes& sizes) {
  const auto& [f, s] = sizes;
  return static_cast<double>(f.m * f.k + f.k * f.columns() + f.m * f.columns()) +
         static_cast<double>(s.tokens * s.hidden * (5 + 6 * s.limbs));
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
  std::vector<Step> steps;
  const auto begin = [&] {  // a new model: no kernel is known
    steps.clear();
    steps.push_back(prepared(pre_attn_sln<Scalar>(sizes.sln), sln));
    steps.push_back(prepared(freivalds<Scalar>(sizes.freivalds), product));
    context.reset();
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

template <typename Config>
void measure_layers_in(benchmark::State& state, Trial& trial) {
  with_seams<Config>(trial.variant, [&]<typename Naming, typename Evaluation>() {
    measure_layers<Naming, Evaluation>(state, trial);
  });
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
  const bool seals = trial.variant == "construction_digest";
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

cliffbench::Bench circuit_building_bench() {
  const Where small = {{"dims", {"small"}}};
  const std::vector<std::string> issue = {"baseline", "control", "kernel_ids", "skip_simd", "all"};
  std::vector<std::string> everything = issue;
  everything.insert(everything.end(), {"pointer_cache", "construction_digest", "all_digest"});
  std::vector<Claim> claims;
  claims.push_back(
      {.id = "majority",
       .text = "call_kernel takes the majority of the time of circuit building",
       .quantity = Quantity::share,
       .variant = "baseline",
       .of = "call_kernel",
       .where = {{"dims", "small"}, {"field", "bn254"}},
       .range = {0.5, 1},
       .origin = Origin::theirs,
       .source = kIssue + ": \"the majority of execution time during circuit building\""});
  claims.push_back({.id = "control_same",
                    .text = "control takes as long as the baseline",
                    .variant = "control",
                    .where = {{"dims", "tiny"}},
                    .range = {0.9, 1.1},
                    .control = true,
                    .source = "control"});
  Case declared = {
      .name = "circuit_building",
      .why =
          "A model's layers call the same two kernels again and again, and each call pays for the "
          "whole circuit.",
      .readme = CASE_README,
      .subject = subject(),
      .axes = {{"field", "", {"bn254", "m31"}},
               {"dims", "", {"small", "tiny", "default"}},
               {"layers", "layers", {"12", "32"}}},
      .variants = call_variants(),
      .patches = call_patches(),
      .claims = claims,
      .profiles =
          {{"quick",
            "12 layers of small kernels",
            {{small, {"baseline", "all"}}, {{{"dims", {"tiny"}}}, {"baseline", "control"}}}},
           {"gate", "12 layers of tiny kernels", {{{{"dims", {"tiny"}}}, {"baseline", "all"}}}},
           {"demo", "12 layers of tiny kernels", {{{{"dims", {"tiny"}}}, {"baseline", "all"}, 3}}},
           {"verify",
            "every variant once",
            {{{{"dims", {"tiny"}}, {"field", {"bn254", "m31"}}}, everything, 1}}},
           {"full",
            "12 and 32 layers, both fields, and 12 layers of default size",
            {{{{"dims", {"small"}}, {"layers", {"12", "32"}}}, everything},
             {{{"dims", {"small"}}, {"field", {"m31"}}}, {"baseline", "all"}},
             {{{"dims", {"tiny"}}}, {"baseline", "control"}},
             {{{"dims", {"default"}}}, {"baseline", "all"}, 3}}}},
      .limit_s = 300,
      .cost = [](const Params& params, const std::string& variant) {
        const double size = instructions(sizes_of(params));
        const double layers = std::stod(params.at("layers"));
        const bool cheap = variant.starts_with("all");
        return Cost{0.02 + size * (3e-6 + layers * (cheap ? 3e-8 : 1.6e-7)),
                    30 + size * (1e-3 + layers * 5e-5), 0};
      }};
  return {declared, [](benchmark::State& state, Trial& trial) {
            if (trial.params.at("field") == "m31") {
              measure_layers_in<M31Config>(state, trial);
            } else {
              measure_layers_in<Bn254Config>(state, trial);
            }
          }};
}

cliffbench::Bench kernel_building_bench() {
  const std::vector<std::string> all = {"baseline", "clone", "construction_digest", "hash",
                                        "bulk_hash"};
  std::vector<Claim> claims;
  for (const char* kernel : {"freivalds", "pre_attn_sln"}) {
    claims.push_back(
        {.id = std::string("at_most_ten_clones_") + kernel,
         .text = std::string("building ") + kernel + " takes at most 10x as long as cloning it",
         .variant = "baseline",
         .against = "clone",
         .where = {{"kernel", kernel}, {"dims", "default"}},
         .range = {0.1},
         .source = "a goal of this project; upstream's builder takes 200x to 300x"});
    claims.push_back({.id = std::string("digest_share_") + kernel,
                      .text = std::string("the digest takes at most a third of building ") + kernel,
                      .quantity = Quantity::share,
                      .variant = "construction_digest",
                      .of = "digest",
                      .where = {{"kernel", kernel}, {"dims", "default"}},
                      .range = {0, 0.333},
                      .source = "a goal of this project"});
  }
  Case declared = {
      .name = "kernel_building",
      .why =
          "How long our own builder takes for the two kernels, beside a clone of the "
          "finished kernel.",
      .readme = CASE_README,
      .subject = subject(),
      .axes = {{"kernel", "", {"freivalds", "pre_attn_sln"}},
               {"field", "", {"bn254", "m31"}},
               {"dims", "", {"default", "small", "tiny"}}},
      .variants = {{"baseline", Role::baseline, "compiled from its source"},
                   {"clone", Role::reference, "a deep copy of the finished kernel"},
                   {"hash", Role::reference, "the finished kernel hashed, write by write"},
                   {"bulk_hash", Role::reference, "the same bytes hashed in one piece"},
                   {"construction_digest",
                    Role::patch,
                    "compiled, then sealed with its digest",
                    {"construction_digest"}}},
      .patches = {pck::kConstructionDigest},
      .claims = claims,
      .profiles = {{"gate", "tiny size, for cliffbench gate", {{{{"dims", {"tiny"}}}, all}}},
                   {"demo", "tiny size", {{{{"dims", {"tiny"}}}, all, 3}}},
                   {"verify",
                    "everything once",
                    {{{{"dims", {"tiny"}},
                       {"field", {"bn254", "m31"}},
                       {"kernel", {"freivalds", "pre_attn_sln"}}},
                      all,
                      1}}},
                   {"full",
                    "both fields, up to 2.6 million instructions",
                    {{{{"dims", {"default", "small"}},
                       {"field", {"bn254", "m31"}},
                       {"kernel", {"freivalds", "pre_attn_sln"}}},
                      all}}}},
      .limit_s = 120,
      .cost = [](const Params& params, const std::string&) {
        const double size = instructions(sizes_of(params)) / 2;
        return Cost{0.02 + size * 1e-6, 30 + size * 7e-4, 0};
      }};
  return {declared, [](benchmark::State& state, Trial& trial) {
            if (trial.params.at("field") == "m31") {
              measure_kernel<M31>(state, trial);
            } else {
              measure_kernel<Bn254>(state, trial);
            }
          }};
}

}  // namespace zk
