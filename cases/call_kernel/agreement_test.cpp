// Packed evaluation against the scalar oracle, and each patch against the baseline, on random
// circuits.

#include <gtest/gtest.h>

#include <random>

#include "cases/call_kernel/bench.hpp"
#include "cases/call_kernel/kernels/emit.hpp"

namespace zk {
namespace {

template <typename C>
using Flat = pck::FlatCall<EvaluateInstances<C>, typename C::Scalar>;

/// n inputs, m instructions on any variables before them, and their sum as the output.
template <typename Scalar>
Kernel<Scalar> random_circuit(std::uint64_t n, std::uint64_t m, std::uint64_t seed) {
  return emitted<Scalar>(
      {{{n}, Direction::input}, {{}, Direction::output}}, m + 1, [=](Emitter<Scalar>& e) {
        std::mt19937_64 random(seed);
        const Scalar scalars[] = {Scalar(0), Scalar(1), -Scalar(1), Scalar(5), Scalar(random())};
        const auto any = [&] { return scalars[random() % std::size(scalars)]; };
        Terms<Scalar> terms, all;
        for (std::uint64_t variables = n; variables < n + m; ++variables) {
          const auto operand = [&] { return random() % variables + 1; };
          Id made = 0;
          switch (random() % 4) {
            case 0:
              made = e.mul({operand(), operand()});
              break;
            case 1:
              made = e.mul({operand(), operand(), operand()});
              break;
            default:
              terms.clear();
              for (std::uint64_t count = random() % 5; count > 0; --count) {
                terms.push_back({operand(), any()});
              }
              made = e.lin_comb(terms, any());
          }
          all.push_back({made, Scalar(1)});
        }
        return std::vector{e.lin_comb(all)};
      });
}

/// One random circuit: packed evaluation against the scalar oracle, and each patch against the
/// baseline.
template <typename C>
void compare_on_random_circuit(std::uint64_t seed) {
  using Scalar = typename C::Scalar;
  using Packed = typename C::Packed;
  std::mt19937_64 random(seed);
  const std::uint64_t n = random() % 6 + 1, m = random() % 24 + 1, instances = random() % 3 + 1;
  const Kernel<Scalar> kernel = random_circuit<Scalar>(n, m, seed);
  std::vector<Packed> values(n * instances);
  for (Packed& value : values) {
    for (size_t lane = 0; lane < Packed::kLanes; ++lane)
      value.set_lane(lane, Scalar(random() >> (random() % 64)));
  }
  const auto outputs = [&](auto& context, const auto& named) {
    Ios ios = {context.new_memory(values, {instances, n}), {}};
    context.call_kernel(named, instances, ios);
    context.call_kernel(named, instances, (ios = {context.new_memory(values, {instances, n}), {}}));
    return context.copy_simd_to_host(ios[1]);
  };
  Context<C> baseline(1 + seed % 2);
  const auto expected = outputs(baseline, kernel);
  ASSERT_EQ(expected.size(), instances);
  for (std::uint64_t p = 0; p < instances; ++p) {
    for (size_t lane = 0; lane < Packed::kLanes; ++lane) {
      std::vector<Scalar> inputs;
      for (std::uint64_t i = 0; i < n; ++i) inputs.push_back(values[p * n + i].lane(lane));
      Checker<Scalar> checker(kernel.ir_for_calling, nullptr, 1);
      ASSERT_EQ(expected[p].lane(lane), checker.outputs(inputs).back())
          << "seed " << seed << " lane " << lane;
    }
  }
  typename ById<C>::template ContextWith<EvaluateInstances<C>> by_id;
  EXPECT_EQ(outputs(by_id, pck::register_kernel(by_id, kernel)), expected);
  typename ByPointer<C>::template ContextWith<EvaluateInstances<C>> by_pointer;
  EXPECT_EQ(outputs(by_pointer, kernel), expected);
  typename ByDigest<C>::template ContextWith<pck::SkipSimd<EvaluateInstances<C>>> by_digest;
  EXPECT_EQ(outputs(by_digest, pck::Sealed<Kernel<Scalar>>(kernel)), expected);
  Context<C, IdentityByContent<Kernel<Scalar>>, Flat<C>> flat(1 + seed % 2);
  EXPECT_EQ(outputs(flat, kernel), expected) << "seed " << seed;
}

#ifdef NDEBUG
constexpr std::uint64_t kCircuits = 300;
#else
constexpr std::uint64_t kCircuits = 150;  // under sanitizers
#endif

TEST(RandomCircuits, PackedIsScalarAndEachPatchIsTheBaseline) {
  for (std::uint64_t seed = 1; seed <= kCircuits && !testing::Test::HasFailure(); ++seed) {
    compare_on_random_circuit<M31Config>(seed);
    if (seed % 4 == 0) compare_on_random_circuit<Bn254Config>(seed);
  }
}

/// A kernel of x and y.
template <typename Body>
Kernel<M31> of_two(const Shape& output, size_t instructions, const Body& body) {
  return emitted<M31>({{{2}, Direction::input}, {output, Direction::output}}, instructions, body);
}
/// x * (1 / y), by a hint.
Kernel<M31> quotient() {
  return of_two({}, 3, [](Emitter<M31>& e) {
    const Id operands[] = {e.constant(M31(1)), 2};
    return std::vector{e.mul({1, e.append(Instruction<M31>::hint(kDivisionHint, operands, 1))})};
  });
}
/// x + y - 2xy.
Kernel<M31> exclusive_or() {
  return of_two({}, 3, [](Emitter<M31>& e) {
    const Id sum = e.lin_comb({{1, M31(1)}, {2, M31(1)}});
    const Id both = e.mul({1, 2});
    return std::vector{e.lin_comb({{sum, M31(1)}, {both, -M31(2)}})};
  });
}
/// xy, again xy, 3x, and 0.
Kernel<M31> four_outputs() {
  return of_two({4}, 4, [](Emitter<M31>& e) {
    const Id product = e.mul({1, 2});
    return std::vector{product, e.copy(product), e.lin_comb({{1, M31(3)}}), e.constant(M31(0))};
  });
}

TEST(FlatCall, AgreesOnTransposedInputsHintsAndProducts) {
  const auto compare = [](const Kernel<M31>& called, std::uint64_t instances, const Shape& shape,
                          const std::vector<size_t>& axes) {
    Context<M31Config> baseline;
    Context<M31Config, IdentityByContent<Kernel<M31>>, Flat<M31Config>> flat;
    const auto run = [&](auto& context, bool stored = false) {
      std::vector<M31x16> values(elements(shape));
      for (size_t i = 0; i < values.size(); ++i) values[i] = M31x16(M31(i * i + 3));
      auto x = context.new_memory(values, shape);
      if (!axes.empty()) x = context.transpose(x, axes);
      if (stored) x = context.new_memory(context.copy_simd_to_host(x), x.history->shape());
      Ios ios = {x, {}};
      context.call_kernel(called, instances, ios);
      return context.copy_simd_to_host(ios[1]);
    };
    EXPECT_EQ(run(baseline), run(flat));
    EXPECT_EQ(run(baseline), run(baseline, true));  // as if the transposed values had been stored
  };
  compare(kernel_of<M31>("sum", {3}), 5, {3, 5}, {1, 0});
  compare(quotient(), 4, {4, 2}, {});
  compare(exclusive_or(), 1, {2}, {});
  compare(four_outputs(), 2, {2, 2}, {1, 0});
}

}  // namespace
}  // namespace zk
