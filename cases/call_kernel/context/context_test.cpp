// The call path: shapes, broadcast, evaluation, messages.

#include "cases/call_kernel/context/context.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "cases/call_kernel/field/config.hpp"
#include "cases/call_kernel/kernels/emit.hpp"
#include "cases/call_kernel/kernels/kernels.hpp"
#include "cases/call_kernel/message.hpp"

namespace zk {
namespace {

using Ios = std::vector<DeviceMemoryHandle>;

template <typename C>
struct CallKernel : testing::Test {};
using Configs = testing::Types<M31Config, Bn254Config>;
TYPED_TEST_SUITE(CallKernel, Configs);

template <typename C>
Kernel<typename C::Scalar> kernel(const std::string& name, const std::vector<std::uint64_t>& dims) {
  return kernel_of<typename C::Scalar>(name, dims);
}

/// Two scalars that must be equal.
template <typename C>
Kernel<typename C::Scalar> assertion() {
  using Scalar = typename C::Scalar;
  return emitted<Scalar>({{{}}, {{}}}, 1, [](Emitter<Scalar>& e) {
    e.assert_zero(e.lin_comb({{1, Scalar(1)}, {2, -Scalar(1)}}));
    return std::vector<Id>();
  });
}

/// One io that is input and output, left as it is.
Kernel<M31> identity(const Shape& shape) {
  const std::uint64_t size = elements(shape);
  return emitted<M31>({{shape, Direction::input_output}}, size, [size](Emitter<M31>& e) {
    std::vector<Id> copies;
    for (Id i = 1; i <= size; ++i) copies.push_back(e.copy(i));
    return copies;
  });
}

/// b = a + c, then c = c + b.
template <typename C>
Kernel<typename C::Scalar> input_and_output() {
  using Scalar = typename C::Scalar;
  return emitted<Scalar>(
      {{{}, Direction::input}, {{}, Direction::output}, {{}, Direction::input_output}}, 2,
      [](Emitter<Scalar>& e) {
        const Id b = e.lin_comb({{1, Scalar(1)}, {2, Scalar(1)}});
        return std::vector{b, e.lin_comb({{2, Scalar(1)}, {b, Scalar(1)}})};
      });
}

TEST(InParallel, AnExceptionOfAnyThreadReachesTheCaller) {
  for (const size_t threads : {1, 2, 3}) {
    for (size_t first = 0; first < 4; ++first) {
      const auto work = [&](size_t i) {
        if (i >= first) throw Panic("instance " + std::to_string(i));
      };
      EXPECT_EQ(message([&] { in_parallel(4, threads, work); }),
                "instance " + std::to_string(first));
    }
  }
}

TYPED_TEST(CallKernel, AddTree) {
  using Scalar = typename TypeParam::Scalar;
  using Packed = typename TypeParam::Packed;
  for (const std::uint64_t base : {1, 1000}) {
    Context<TypeParam> context(2);
    std::vector<std::vector<Packed>> values(16, std::vector<Packed>(2));
    for (size_t i = 0; i < 16; ++i) {
      for (size_t j = 0; j < 2; ++j) {
        for (size_t lane = 0; lane < Packed::kLanes; ++lane) {
          values[i][j].set_lane(lane, Scalar(2 * i + j + base + lane));
        }
      }
    }
    Ios ios = {context.copy_simd_to_device(values), {}};
    context.call_kernel(kernel<TypeParam>("add", {2}), 16, ios);
    EXPECT_FALSE(ios[0]);
    EXPECT_EQ(context.shape(ios[1]), Shape{16});
    ios = {context.reshape(ios[1], {1, 16}), {}};
    context.call_kernel(kernel<TypeParam>("add", {16}), 1, ios);
    const auto result = context.copy_simd_to_host(ios[1]);
    ASSERT_EQ(result.size(), 1u);
    for (size_t lane = 0; lane < Packed::kLanes; ++lane) {
      EXPECT_EQ(result[0].lane(lane), Scalar((base == 1 ? 528 : 32496) + 32 * lane));
    }
  }
}

TEST(Matmul, AgreesWithUpstream) {
  using P = M31x16;
  Context<M31Config> context(2);
  std::vector<std::vector<P>> a(64, std::vector<P>(32)), b(32, std::vector<P>(64));
  for (std::uint64_t i = 0; i < 64; ++i) {
    for (std::uint64_t j = 0; j < 32; ++j) {
      a[i][j] = P(M31(233 * i + j + 1));
      b[j][i] = P(M31(2333 * j + i + 1));
    }
  }
  Ios ios = {context.copy_simd_to_device(a), context.copy_simd_to_device(b), {}};
  context.call_kernel(kernel<M31Config>("mul_line", {32, 64}), 64, ios);
  EXPECT_EQ(context.shape(ios[2]), (Shape{64, 64}));
  const auto product = context.copy_simd_to_host(ios[2]);
  EXPECT_EQ(product.front().lane(0), M31(25458224));
  EXPECT_EQ(product.back().lane(3), M31(2009237623));
  DeviceMemoryHandle rest = ios[2];
  for (const std::uint64_t parallel : {512, 64, 8, 1}) {
    ios = {context.reshape(rest, {parallel, 8}), {}};
    context.call_kernel(kernel<M31Config>("sum", {8}), parallel, ios);
    rest = ios[1];
  }
  EXPECT_EQ(context.copy_simd_to_host(rest)[0].lane(0), M31(700497798));
  EXPECT_EQ(context.calls().size(), 5u);
}

TYPED_TEST(CallKernel, UserHint) {
  using Scalar = typename TypeParam::Scalar;
  const std::uint64_t hint = 0xb1;
  const auto to_binary = emitted<Scalar>(
      {{{}, Direction::input}, {{8}, Direction::output}}, 1, [](Emitter<Scalar>& e) {
        const Id number[] = {1};
        std::vector<Id> bits(8);
        std::iota(bits.begin(), bits.end(), e.append(Instruction<Scalar>::hint(hint, number, 8)));
        return bits;
      });
  Context<TypeParam> context;
  Ios ios = {context.copy_to_device(Scalar(0x55)), {}};
  EXPECT_EQ(message([&] { context.call_kernel(to_binary, 1, ios); }), "hint with id 177 not found");
  EXPECT_TRUE(context.calls().empty());
  context.hints.add(hint, [](std::span<const Scalar> in, std::span<Scalar> out) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = Scalar(in[0].limbs()[0] >> i & 1);
  });
  context.call_kernel(to_binary, 1, ios);
  const auto bits = context.copy_simd_to_host(ios[1]);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(bits[i].lane(0), Scalar(1 - i % 2));
}

TYPED_TEST(CallKernel, ConstraintsAreNotChecked) {
  using Scalar = typename TypeParam::Scalar;
  Context<TypeParam> context;
  Ios ios = {context.copy_to_device(Scalar(10)), context.copy_to_device(Scalar(9))};
  context.call_kernel(assertion<TypeParam>(), 1, ios);
  EXPECT_EQ(context.calls().size(), 1u);
  EXPECT_FALSE(ios[0]);
}

TYPED_TEST(CallKernel, InputAndOutputInOne) {
  using Scalar = typename TypeParam::Scalar;
  Context<TypeParam> context;
  Ios ios = {context.copy_to_device(std::vector{Scalar(5), Scalar(6)}),
             {},
             context.copy_to_device(std::vector{Scalar(1), Scalar(2)})};
  context.call_kernel(input_and_output<TypeParam>(), 2, ios);
  EXPECT_FALSE(ios[0]);
  EXPECT_EQ(context.copy_simd_to_host(ios[1])[1].lane(0), Scalar(8));
  EXPECT_EQ(context.copy_simd_to_host(ios[2])[1].lane(0), Scalar(10));
  Ios scalar = {context.copy_to_device(Scalar(5)), {}, context.copy_to_device(Scalar(1))};
  EXPECT_EQ(message([&] { context.call_kernel(input_and_output<TypeParam>(), 1, scalar); }),
            "Output is broadcasted, but it shouldn't be");
}

TEST(CallKernelShapes, AnyNumberOfInstances) {
  Context<M31Config> context;
  Ios ios = {context.copy_to_device(std::vector<M31>(6, M31(3))),
             context.copy_to_device(std::vector<M31>(6, M31(3)))};
  context.call_kernel(assertion<M31Config>(), 6, ios);
  EXPECT_EQ(context.calls().back().num_parallel, 6u);
}

TEST(CallKernelShapes, CallsAndTheirMemoriesAreForgotten) {
  Context<M31Config> context;
  Ios ios = {context.copy_to_device(std::vector<M31>(6, M31(3)))};
  const size_t memories = context.num_memories();
  context.call_kernel(identity({}), 6, ios);
  EXPECT_GT(context.num_memories(), memories);
  context.forget_calls(memories);
  EXPECT_EQ(context.num_memories(), memories);
  EXPECT_TRUE(context.calls().empty());
}

TEST(CallKernelShapes, Reshapes) {
  const auto ones = [] { return std::vector<M31>(15, M31(1)); };
  {
    Context<M31Config> context;
    const auto memory = context.copy_to_device(ones());
    Ios ios = {context.reshape(memory, {3, 5})};
    context.call_kernel(identity({5}), 3, ios);
    ios = {context.reshape(memory, {5, 3})};
    EXPECT_EQ(message([&] { context.call_kernel(identity({3}), 5, ios); }),
              "Detected illegal shape operation");
    EXPECT_EQ(context.calls().size(), 1u);
  }
  Context<M31Config> context;
  const auto memory = context.copy_to_device(ones());
  Ios ios = {memory};
  context.call_kernel(identity({}), 15, ios);
  ios = {context.reshape(memory, {5, 3})};
  context.call_kernel(identity({3}), 5, ios);
  EXPECT_EQ(context.required_shape_products(memory), (SplitList{1, 5, 15}));
}

TEST(CallKernelShapes, BroadcastLeavesTheMemoryWhole) {
  Context<M31Config> context;
  const auto x = context.copy_to_device(std::vector{M31(7), M31(3)});
  Ios ios = {x, {}};
  context.call_kernel(kernel<M31Config>("add", {2}), 3, ios);
  EXPECT_TRUE(context.calls().back().ios[0].is_broadcast);
  EXPECT_EQ(context.required_shape_products(x), (SplitList{1, 2}));
  EXPECT_EQ(context.required_shape_products(ios[1]), (SplitList{1, 3}));
  EXPECT_EQ(context.copy_simd_to_host(ios[1])[2].lane(0), M31(10));
}

TEST(CallKernelShapes, Messages) {
  Context<M31Config> context;
  const auto add = kernel<M31Config>("add", {2});
  const auto wide =
      context.copy_to_device(std::vector<std::vector<M31>>(4, std::vector<M31>(2, M31(1))));
  const auto call = [&](Ios ios, std::uint64_t parallel) {
    return message([&] { context.call_kernel(add, parallel, ios); });
  };
  EXPECT_EQ(call({wide}, 4), "Invalid number of inputs/outputs");
  EXPECT_EQ(call({{}, {}}, 4), "Missing input at index 0");
  EXPECT_EQ(call({wide, {}}, 3),
            "Incompatible shapes: want [2], got [4, 2], num_parallel=3 (Hint: if you want to "
            "broadcast, use [2], otherwise use [3, 2])");
  EXPECT_EQ(
      message([&] { (void)context.reshape(context.copy_to_device(std::vector<M31>(15)), {4, 4}); }),
      "Reshape to a shape with different vector length is not allowed, expected 15, got 16");
  EXPECT_EQ(message([&] {
              (void)context.transpose(context.copy_to_device(std::vector<M31>(15)), {1, 0});
            }),
            "Transpose axes length must match the shape length, expected 1, got 2");
  EXPECT_EQ(message([&] { (void)context.shape({}); }), "Empty DeviceMemoryHandle");
  EXPECT_EQ(
      message([&] {
        (void)context.copy_to_device(std::vector<std::vector<M31>>{{M31(1)}, {M31(1), M31(2)}});
      }),
      "Shape mismatch in flatten");
  EXPECT_EQ(message([&] { (void)context.copy_to_device(std::vector<M31>{}); }),
            "Empty vector is not allowed for flatten");
  EXPECT_TRUE(context.calls().empty());
  EXPECT_EQ(call({wide, {}}, 4), "");
  context.finish_graph();
  EXPECT_EQ(call({wide, {}}, 4), "The computation graph is done already");
}

TEST(PackSimd, TheOutermostDimensionIsTheLanes) {
  Context<M31Config> context;
  std::vector<std::vector<M31>> lanes(16, std::vector<M31>(3));
  for (size_t lane = 0; lane < 16; ++lane)
    lanes[lane] = {M31(lane), M31(100 + lane), M31(200 + lane)};
  const auto handle = context.copy_to_device_and_pack_simd(lanes);
  EXPECT_EQ(context.shape(handle), Shape{3});
  EXPECT_EQ(context.copy_simd_to_host(handle)[2].lane(9), M31(209));
  lanes.pop_back();
  EXPECT_EQ(message([&] { (void)context.copy_to_device_and_pack_simd(lanes); }),
            "The outermost dimension must be the pack size, expected 16, got 15");
}

TEST(ShapeHistory, PermutesAsUpstream) {
  Context<M31Config> context;
  std::vector<M31> numbers;
  for (std::uint64_t i = 1; i <= 12; ++i) numbers.push_back(M31(i));
  const auto values = [&](const DeviceMemoryHandle& handle) {
    std::vector<std::uint32_t> result;
    for (const auto& value : context.copy_simd_to_host(handle))
      result.push_back(value.lane(0).canonical());
    return result;
  };
  auto handle =
      context.transpose(context.reshape(context.copy_to_device(numbers), {2, 3, 2}), {2, 0, 1});
  EXPECT_EQ(values(handle), (std::vector<std::uint32_t>{1, 3, 5, 7, 9, 11, 2, 4, 6, 8, 10, 12}));
  handle = context.transpose(context.reshape(handle, {2, 3, 2}), {2, 0, 1});
  EXPECT_EQ(values(handle), (std::vector<std::uint32_t>{1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12}));
  EXPECT_EQ(values(context.transpose(context.transpose(handle, {1, 2, 0}), {2, 0, 1})),
            values(handle));
}

TEST(ShapeHistory, PlacesAreThoseOfAnArrayThatIsMoved) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    ShapeHistory history({24});
    std::vector<std::uint64_t> array(24);
    std::iota(array.begin(), array.end(), 0u);
    for (int step = 0; step < 6; ++step) {
      if (random() % 2 == 0) {
        Shape factors = {2, 3, 2, 1, 2};
        std::shuffle(factors.begin(), factors.end(), random);
        if (random() % 2 == 0)
          factors = {factors[0] * factors[1], factors[2] * factors[3] * factors[4]};
        history = history.reshape(factors);
        continue;
      }
      const Shape before = history.shape();
      std::vector<size_t> axes(before.size());
      std::iota(axes.begin(), axes.end(), size_t{0});
      std::shuffle(axes.begin(), axes.end(), random);
      history = history.transpose(axes);
      const Shape& after = history.shape();
      std::vector<std::uint64_t> moved(array.size());
      for (std::uint64_t flat = 0; flat < moved.size(); ++flat) {
        std::vector<std::uint64_t> index(before.size());  // in the array before
        std::uint64_t rest = flat;
        for (size_t axis = axes.size(); axis-- > 0;) {
          EXPECT_EQ(after[axis], before[axes[axis]]);
          index[axes[axis]] = rest % after[axis];
          rest /= after[axis];
        }
        std::uint64_t from = 0;
        for (size_t axis = 0; axis < before.size(); ++axis)
          from = from * before[axis] + index[axis];
        moved[flat] = array[from];
      }
      array = moved;
    }
    ASSERT_EQ(history.places(), array) << i;
    EXPECT_TRUE(!history.is_identity() || std::ranges::is_sorted(array)) << i;
  }
}

TEST(ShapeHistory, SplitListsAreUpstreams) {
  const auto both = [](const ShapeHistory& history) {
    const auto list = [&](bool first) {
      return history.split_list(first) ? *history.split_list(first) : SplitList{};
    };
    return std::pair(list(false), list(true));
  };
  using Lists = std::pair<SplitList, SplitList>;
  ShapeHistory history({16, 9});
  history = history.reshape({9, 16});
  EXPECT_EQ(both(history), (Lists{{1, 144}, {1, 9, 144}}));
  history = history.reshape({3, 16, 3});
  EXPECT_EQ(both(history), (Lists{{1, 144}, {1, 3, 144}}));
  history = history.reshape({2, 2, 2, 2, 3, 3}).transpose({1, 0, 2, 3, 4, 5});
  EXPECT_EQ(both(history), (Lists{{1, 2, 4, 144}, {1, 2, 4, 144}}));
  history = history.reshape({16, 9});
  EXPECT_EQ(both(history), (Lists{{1, 2, 4, 144}, {1, 2, 4, 16, 144}}));
  history = history.transpose({1, 0});
  EXPECT_EQ(both(history), (Lists{{1, 2, 4, 16, 144}, {1, 2, 4, 16, 144}}));
  history = history.reshape({3, 3, 16});
  EXPECT_EQ(both(history), (Lists{{1, 2, 4, 16, 144}, {1, 2, 4, 16, 48, 144}}));
  const ShapeHistory illegal = ShapeHistory({16, 9}).transpose({1, 0}).reshape({16, 9});
  EXPECT_TRUE(illegal.split_list(false));
  EXPECT_FALSE(illegal.split_list(true));
}

}  // namespace
}  // namespace zk
