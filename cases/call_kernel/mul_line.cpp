// Calls of a kernel with outputs: a row times a matrix, sixteen rows at once.

#include <cstring>

#include "cases/call_kernel/bench.hpp"

namespace zk {
namespace {

using namespace cliffbench;

constexpr std::uint64_t kInstances = 16;

struct Dims {
  std::uint64_t m = 0, k = 0;
};
Dims dims_of(const Params& params) {
  const std::string& text = params.at("dims");
  return {std::stoull(text), std::stoull(text.substr(text.find('x') + 1))};
}

template <typename Config>
std::vector<IoData> lane_data(const Dims& dims, std::uint64_t lane) {
  return mul_line_data(dims.m, dims.k, kInstances, lane);
}

template <typename Config, typename Evaluation>
void measure_calls(benchmark::State& state, Trial& trial, const Dims& dims) {
  using Scalar = typename Config::Scalar;
  using Naming = ById<Config>;
  typename Naming::template ContextWith<Evaluation> context(std::stoul(trial.params.at("threads")));
  Ios inputs =
      put_on_device(context, [&](std::uint64_t lane) { return lane_data<Config>(dims, lane); });
  const auto product = context.copy_simd_to_host(inputs[2]);  // computed with Eigen
  inputs[2] = {};
  const Kernel<Scalar> kernel = compile(source_of<Scalar>("mul_line", {dims.m, dims.k}));
  const auto id = pck::register_kernel(context, kernel);
  Ios ios = inputs;
  const auto call = [&] {
    ios = inputs;
    if constexpr (requires { context.evaluation().give({}, {}); }) {
      context.evaluation().give({{}, {}, product},
                                pck::KnownOutputs<EvaluateInstances<Config>>::Check::trust);
    }
    pck::call_kernel_by_id(context, id, kInstances, ios);
  };
  call();
  StageTimes times;
  context.times = &times;
  const size_t memories = context.num_memories();

  trial.ready();
  for (auto _ : state) {
    trial.between([&] { context.forget_calls(memories); });
    call();
  }
  add_stages(trial, times);
  trial.done();

  trial.digest(digest_of(context, kernel, {ios[2]}));
  if (context.copy_simd_to_host(ios[2]) != product) trial.wrong("the product differs from Eigen's");
}

/// What no evaluation can do without: the bytes of the inputs, read and written once in warm
/// memory, and the multiplications, in registers.
template <typename Config>
void measure_floor(benchmark::State& state, Trial& trial, const Dims& dims) {
  using Packed = typename Config::Packed;
  using Scalar = typename Config::Scalar;
  const size_t size = dims.m + dims.m * dims.k;
  const std::vector<Packed> from(size * kInstances, Packed(Scalar(3)));
  std::vector<Packed> into(size * kInstances, Packed(Scalar(5)));
  Packed products[8];
  for (size_t i = 0; i < 8; ++i) products[i] = Packed(Scalar(i + 2));
  const Packed factor(Scalar(12345));

  trial.ready();
  for (auto _ : state) {
    {
      const auto timer = trial.stage("copy");
      std::memcpy(static_cast<void*>(into.data()), from.data(), into.size() * sizeof(Packed));
      benchmark::DoNotOptimize(into.data());
      benchmark::ClobberMemory();
    }
    const auto timer = trial.stage("multiply");
    for (std::uint64_t i = 0; i < dims.m * dims.k * kInstances / 8; ++i) {
      for (Packed& product : products) product = product * factor;
    }
    benchmark::DoNotOptimize(products);
  }
  trial.done();
}

template <typename Config>
void measure_field(benchmark::State& state, Trial& trial, const Dims& dims) {
  using Evaluate = EvaluateInstances<Config>;
  using Scalar = typename Config::Scalar;
  if (trial.variant == "copy_and_multiply") return measure_floor<Config>(state, trial, dims);
  if (trial.variant == "flat_call") {
    return measure_calls<Config, pck::FlatCall<Evaluate, Scalar>>(state, trial, dims);
  }
  if (trial.variant == "known_outputs") {
    return measure_calls<Config, pck::KnownOutputs<Evaluate>>(state, trial, dims);
  }
  require_unpatched(trial.variant);
  measure_calls<Config, Evaluate>(state, trial, dims);
}

Cost expected_cost(const Params& params) {
  const Dims dims = dims_of(params);
  const double products = static_cast<double>(dims.m * dims.k) * kInstances;
  return {0.05 + products * 1.5e-6, 40 + products * 9e-4, 0};
}

Case declare() {
  const Params small = {{"field", "m31"}, {"dims", "64x64"}, {"threads", "1"}};
  const std::vector<std::string> all = {"baseline", "control", "flat_call", "known_outputs",
                                        "copy_and_multiply"};
  using Where = std::map<std::string, std::vector<std::string>>;
  std::vector<Claim> claims;
  claims.push_back({.id = "flat_call",
                    .text = "flat_call is 4x faster than copying the inputs and evaluating",
                    .variant = "flat_call",
                    .where = {{"field", "m31"}, {"dims", "256x256"}, {"threads", "1"}},
                    .range = {4},
                    .source = "a goal of this project"});
  claims.push_back(
      {.id = "flat_call_floor",
       .text = "flat_call takes at most 2x as long as a warm copy and the multiplications alone",
       .variant = "flat_call",
       .against = "copy_and_multiply",
       .where = {{"field", "m31"}, {"dims", "256x256"}, {"threads", "1"}},
       .range = {0.5},
       .source = "a goal of this project"});
  claims.push_back({.id = "control_same",
                    .text = "control takes as long as the baseline",
                    .variant = "control",
                    .where = small,
                    .range = {0.9, 1.1},
                    .control = true,
                    .source = "control"});
  return {
      .name = "mul_line",
      .why =
          "A call of a kernel with outputs copies its inputs three times and interprets the "
          "circuit "
          "with a multiplication for every coefficient.",
      .readme = CASE_README,
      .subject = subject(),
      .axes = {{"field", "", {"m31", "bn254"}},
               {"dims", "matrix", {"256x256", "512x512", "64x64", "16x16"}},
               {"threads", "", {"1", "2", "4"}}},
      .variants =
          {{"baseline", Role::baseline, "called by id, inputs copied, evaluated as before"},
           {"control", Role::control, "the same again"},
           {"flat_call", Role::patch, "a planned layout, nothing copied", {"flat_call"}},
           {"known_outputs", Role::patch, "the caller gives the outputs", {"known_outputs"}},
           {"copy_and_multiply",
            Role::reference,
            "a warm copy of the inputs and the multiplications alone",
            {},
            ""}},
      .patches = {pck::kFlatCall, pck::kKnownOutputs},
      .claims = claims,
      .profiles =
          {{"quick",
            "16 rows, 256x256, one thread",
            {{Where{}, {"baseline", "flat_call", "known_outputs", "copy_and_multiply"}},
             {Where{{"dims", {"64x64"}}}, {"baseline", "control"}}}},
           {"gate",
            "64x64, for cliffbench gate",
            {{Where{{"dims", {"64x64"}}}, {"baseline", "flat_call"}}}},
           {"demo", "16 rows, 16x16", {{Where{{"dims", {"16x16"}}}, {"baseline", "flat_call"}, 3}}},
           {"verify",
            "every variant once",
            {{Where{{"dims", {"16x16"}}, {"field", {"m31", "bn254"}}, {"threads", {"1", "2"}}}, all,
              1}}},
           {"full",
            "up to 512x512, both fields and two threads up to 256x256",
            {{Where{{"dims", {"256x256", "64x64", "16x16"}},
                    {"field", {"m31", "bn254"}},
                    {"threads", {"1", "2"}}},
              all},
             {Where{{"dims", {"64x64"}}, {"threads", {"4"}}}, all},
             {Where{{"dims", {"512x512"}}}, all}}}},
      .limit_s = 120,
      .cost = [](const Params& params, const std::string&) { return expected_cost(params); }};
}

}  // namespace

cliffbench::Bench mul_line_bench() {
  return {declare(), [](benchmark::State& state, Trial& trial) {
            const Dims dims = dims_of(trial.params);
            if (trial.params.at("field") == "m31") {
              measure_field<M31Config>(state, trial, dims);
            } else {
              measure_field<Bn254Config>(state, trial, dims);
            }
          }};
}

}  // namespace zk
