// Calls of a kernel with outputs: a row times a matrix, sixteen rows at once.

#include <cstring>

#include "cases/call_kernel/bench.hpp"
#include "cases/call_kernel/free_memory.hpp"

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
  const Kernel<Scalar> kernel = kernel_of<Scalar>("mul_line", {dims.m, dims.k});
  const auto id = pck::register_kernel(context, kernel);
  const FreeMemory memory(trial.params.at("free_memory"));
  // Twice what a call takes: its inputs copied three times. With little more than it takes, the
  // gaps that growing vectors leave would let some measured calls touch new pages.
  memory.leave(6 * kInstances * (dims.m + dims.m * dims.k) * sizeof(typename Config::Packed));
  Ios ios = inputs;
  const auto call = [&] {
    ios = inputs;
    if constexpr (requires { context.evaluation().give({}, {}); }) {
      context.evaluation().give({{}, {}, product},
                                pck::KnownOutputs<EvaluateInstances<Config>>::Check::trust);
    }
    pck::call_kernel_by_id(context, id, kInstances, ios);
  };
  for (int i = 0; i < 2; ++i) call();  // the heap settles with the second call
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

  if (trial.spoiled()) ios[2] = inputs[0];
  trial.digest(digest_of(context, kernel, {ios[2]}));
  if (context.copy_simd_to_host(ios[2]) != product) trial.wrong("the product differs from Eigen's");
}

/// The least that any evaluation does: the bytes of the inputs, read and written once in warm
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

  // Of the m x k numbers of all instances, each product takes an eighth.
  const std::uint64_t each = kInstances / 8 * dims.m * dims.k;
  Packed power(Scalar(1));
  Packed square = factor;
  for (std::uint64_t times = each * state.iterations(); times > 0; times /= 2) {
    if (times % 2) power = power * square;
    square = square * square;
  }
  if (trial.spoiled()) products[7] = Packed(Scalar(0));
  for (size_t i = 0; i < 8; ++i) {
    if (products[i] != Packed(Scalar(i + 2)) * power)
      trial.wrong("a product was multiplied more or less often");
  }
}

}  // namespace

cliffbench::Measure mul_line_measure() {
  const auto measure = [](benchmark::State& state, Trial& trial) {
    const Dims dims = dims_of(trial.params);
    with_field(trial, [&]<typename Config>() {
      if (trial.variant == "copy_and_multiply") return measure_floor<Config>(state, trial, dims);
      fill<EvaluateInstances<Config>>(
          EvaluationsWithOutputs<Config>(), trial,
          [&]<typename Evaluation>() { measure_calls<Config, Evaluation>(state, trial, dims); });
    });
  };
  return {.name = "mul_line",
          .function = measure,
          .variants = {"copy_and_multiply"},
          .patches = names_of(EvaluationsWithOutputs<Bn254Config>())};
}

}  // namespace zk
