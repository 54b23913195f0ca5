// Each patch: its record, its messages, the work it saves, and where it differs from the baseline.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>

#include "cases/call_kernel/bench.hpp"
#include "cases/call_kernel/kernels/emit.hpp"
#include "cases/call_kernel/message.hpp"

namespace {
std::atomic<std::size_t> allocations = 0;
}
// Not inlined: the compiler would see new and free, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* block = std::malloc(size ? size : 1)) return block;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace zk {
namespace {

template <typename C, typename Evaluation = EvaluateInstances<C>>
using Ids = typename ById<C>::template ContextWith<Evaluation>;
template <typename C>
using Skip = pck::SkipSimd<EvaluateInstances<C>>;

/// out = x0 + x1, or x0 - x1.
Kernel<M31> sum_or_difference(bool sum) {
  return emitted<M31>({{{2}, Direction::input}, {{}, Direction::output}}, 1,
                      [sum](Emitter<M31>& e) {
                        const M31 one(1);
                        return std::vector{e.lin_comb({{1, one}, {2, sum ? one : -one}})};
                      });
}

TEST(KernelIds, EqualKernelsShareOneAndDifferentOnesNever) {
  Ids<M31Config> context;
  const auto a = pck::register_kernel(context, sum_or_difference(true));
  const auto b = pck::register_kernel(context, sum_or_difference(false));
  const auto again = pck::register_kernel(context, sum_or_difference(true));
  const auto id_of = [&](const auto& id) { return context.identity().id_of(id); };
  EXPECT_EQ(id_of(a), id_of(again));
  EXPECT_NE(id_of(a), id_of(b));
  const auto work = context.identity().pool().work();
  Ios ios = {context.copy_to_device(std::vector{M31(7), M31(3)}), {}};
  pck::call_kernel_by_id(context, b, 1, ios);
  EXPECT_EQ(context.copy_simd_to_host(ios[1])[0].lane(0), M31(4));
  EXPECT_EQ(context.identity().pool().work().hashes, work.hashes);
  EXPECT_EQ(context.identity().pool().work().comparisons, work.comparisons);
}

TEST(KernelIds, RefusesIdsOfOtherContextsAndStaleOnes) {
  Ids<M31Config> context, other;
  const auto foreign = pck::register_kernel(other, sum_or_difference(true));
  (void)pck::register_kernel(context, sum_or_difference(true));
  Ios ios = {context.copy_to_device(std::vector{M31(7), M31(3)}), {}};
  const std::string refused =
      "this kernel id belongs to another context, or to this one before its reset; register the "
      "kernel here";
  EXPECT_EQ(message([&] { pck::call_kernel_by_id(context, foreign, 1, ios); }), refused);
  const auto stale = pck::register_kernel(context, sum_or_difference(true));
  context.reset();
  EXPECT_EQ(message([&] { pck::call_kernel_by_id(context, stale, 1, ios); }), refused);
  EXPECT_TRUE(context.calls().empty());
}

TEST(KernelIds, WithSkipSimdACallAllocatesItsRecordOnly) {
  for (const bool sln : {false, true}) {
    Ids<Bn254Config, Skip<Bn254Config>> context;
    const Kernel<Bn254> kernel =
        sln ? pre_attn_sln<Bn254>({2, 4, 2, 3}) : freivalds<Bn254>({2, 2, 2, 2});
    const Ios inputs = put_on_device(context, [&](std::uint64_t lane) {
      return sln ? pre_attn_sln_data({2, 4, 2, 3}, lane) : freivalds_data({2, 2, 2, 2}, lane);
    });
    const auto id = pck::register_kernel(context, kernel);
    Ios ios = inputs;
    pck::call_kernel_by_id(context, id, 1, ios);
    for (int call = 1; call < 1000; ++call) {
      ios = inputs;
      const bool list_is_full = (call & (call - 1)) == 0;  // the list of calls doubles
      const std::size_t before = allocations;
      pck::call_kernel_by_id(context, id, 1, ios);
      ASSERT_EQ(allocations - before, 1u + list_is_full) << call;
    }
    EXPECT_EQ(context.calls().size(), 1000u);
  }
}

/// The three sequences in which an address is that of another kernel. Returns the recorded ids and
/// the outputs of both calls.
template <template <typename> typename Naming>
std::vector<std::uint64_t> record_of(int sequence) {
  typename Naming<M31Config>::template ContextWith<EvaluateInstances<M31Config>> context;
  const auto x = context.copy_to_device(std::vector{M31(7), M31(3)});
  std::vector<std::uint64_t> outputs;
  const auto call = [&](const auto& named) {
    Ios ios = {x, {}};
    context.call_kernel(named, 1, ios);
    outputs.push_back(context.copy_simd_to_host(ios[1])[0].lane(0).canonical());
  };
  using Name = decltype(Naming<M31Config>::name(context, sum_or_difference(true)));
  const auto name = [&](bool sum) {
    return Naming<M31Config>::name(context, sum_or_difference(sum));
  };
  if (sequence == 0) {
    for (const bool sum : {true, false}) {
      const Name named = name(sum);
      call(named);
    }
  } else if (sequence == 1) {
    Name named = name(true);
    call(named);
    named = name(false);
    call(named);
  } else {
    alignas(Name) std::byte place[sizeof(Name)];  // an allocator may give the same block again
    for (const bool sum : {true, false}) {
      Name* named = new (place) Name(name(sum));
      call(*named);
      named->~Name();
    }
  }
  return {context.calls()[0].kernel_id, context.calls()[1].kernel_id, outputs[0], outputs[1]};
}

TEST(PointerCache, RecordsTheWrongKernel) {
  for (const int sequence : {0, 1, 2}) {
    using Record = std::vector<std::uint64_t>;
    EXPECT_EQ(record_of<ByContent>(sequence), (Record{0, 1, 10, 4})) << sequence;
    EXPECT_EQ(record_of<ByPointer>(sequence), (Record{0, 0, 10, 4})) << sequence;
    EXPECT_EQ(record_of<ById>(sequence), (Record{0, 1, 10, 4})) << sequence;
    EXPECT_EQ(record_of<ByDigest>(sequence), (Record{0, 1, 10, 4})) << sequence;
  }
}

TEST(ConstructionDigest, FindsCopiesMovesAndRebuiltKernels) {
  using K = Kernel<M31>;
  typename ByDigest<M31Config>::ContextWith<EvaluateInstances<M31Config>> context;
  context.identity().compare_deeply = true;
  pck::Sealed<K> first(sum_or_difference(true));
  const auto id_of = [&](const pck::Sealed<K>& sealed) { return context.identity().id_of(sealed); };
  EXPECT_EQ(id_of(first), 0u);
  const pck::Sealed<K> copy = first;
  EXPECT_EQ(id_of(copy), 0u);
  // NOLINTNEXTLINE(performance-move-const-arg): that moving one copies it is what is tested
  const pck::Sealed<K> moved = std::move(first);
  EXPECT_EQ(id_of(moved), 0u);
  EXPECT_EQ(id_of(pck::Sealed<K>(sum_or_difference(true))), 0u);
  EXPECT_EQ(id_of(pck::Sealed<K>(sum_or_difference(false))), 1u);
  EXPECT_EQ(context.identity().size(), 2u);
  EXPECT_EQ(*moved, sum_or_difference(true));
}

TEST(ConstructionDigest, ReadsTheSameBytesHoweverLong) {
  pck::DigestSink one, other;
  const std::string text(10000, 'x');
  one.u8('a');
  one.bytes(text.data(), text.size());
  other.u8('a');
  for (const char c : text) other.u8(static_cast<unsigned char>(c));
  EXPECT_EQ(one.finish(), other.finish());
}

/// All values of this type have the same digest.
struct Colliding {
  int value;
  friend bool operator==(const Colliding&, const Colliding&) = default;
  void write_to(pck::DigestSink&) const {}
};

TEST(ConstructionDigestDeathTest, DebugModeAbortsOnAFalseMatch) {
  // "threadsafe" starts the program again, which an emulated one cannot
  // (scripts/setup/cross/emulated).
  testing::FLAGS_gtest_death_test_style =
      std::getenv("CLIFFBENCH_EMULATED") ? "fast" : "threadsafe";
  pck::ConstructionDigest<Colliding> identity;
  identity.compare_deeply = true;
  EXPECT_EQ(identity.id_of(pck::Sealed<Colliding>({1})), 0u);
  EXPECT_EQ(identity.id_of(pck::Sealed<Colliding>({1})), 0u);
  EXPECT_DEATH((void)identity.id_of(pck::Sealed<Colliding>({2})),
               "two different kernels have the same digest");
}

TEST(SkipSimd, EvaluatesKernelsWithOutputs) {
  Context<M31Config, IdentityByContent<Kernel<M31>>, Skip<M31Config>> context;
  Ios ios = {context.copy_to_device(std::vector{M31(7), M31(3)}), {}};
  context.call_kernel(sum_or_difference(true), 1, ios);
  EXPECT_EQ(context.copy_simd_to_host(ios[1])[0].lane(0), M31(10));
}

/// x * y == z inside a sub-circuit, times a random value if it `draws`. As upstream's compiler
/// does, the calling circuit keeps such constraints.
Kernel<M31> asserting_in_a_sub_circuit(bool draws) {
  constexpr std::uint64_t kSubCircuit = 7;
  const Id inputs[] = {1, 2, 3};
  Emitter<M31> inner(3, 4);
  Id product = inner.mul({1, 2});
  if (draws) product = inner.mul({product, inner.append(Instruction<M31>::random())});
  inner.assert_zero(inner.lin_comb({{product, M31(1)}, {3, -M31(1)}}));
  Kernel<M31> kernel = emitted<M31>({{{3}}}, 1, [&](Emitter<M31>& e) {
    e.append(Instruction<M31>::sub_circuit_call(kSubCircuit, inputs, 0));
    return std::vector<Id>();
  });
  kernel.ir_for_later_compilation.circuits[kSubCircuit] = inner.finished({});
  kernel.ir_for_calling = kernel.ir_for_later_compilation;
  return kernel;
}

TEST(SkipSimd, ChangesOneBehaviour) {
  const std::vector<M31> wrong = {M31(2), M31(3), M31(7)};
  Context<M31Config> before;
  Context<M31Config, IdentityByContent<Kernel<M31>>, Skip<M31Config>> after;
  const auto call = [&](auto& context, bool draws) {
    Ios ios = {context.copy_to_device(wrong)};
    return message([&] { context.call_kernel(asserting_in_a_sub_circuit(draws), 1, ios); });
  };
  // a violated constraint is reported neither before nor after
  EXPECT_EQ(call(before, false), "");
  EXPECT_EQ(call(after, false), "");
  // a random draw in a constrained sub-circuit was an error and is not one any more
  EXPECT_EQ(call(before, true), "random coef occured in witness solver");
  EXPECT_EQ(call(after, true), "");
  EXPECT_EQ(before.calls().size(), 1u);
  EXPECT_EQ(after.calls().size(), 2u);
}

TEST(KnownOutputs, AreCheckedRecordedAndVerified) {
  using Known = pck::KnownOutputs<EvaluateInstances<M31Config>>;
  Context<M31Config, IdentityByContent<Kernel<M31>>, Known> context;
  const auto x = context.copy_to_device(std::vector{M31(7), M31(3)});
  const auto call = [&](std::optional<Known::Values> values, Known::Check check) {
    Ios ios = {x, {}};
    if (values) context.evaluation().give(*values, check);
    std::string error = message([&] { context.call_kernel(sum_or_difference(true), 2, ios); });
    if (!error.empty()) return error;
    return std::to_string(context.copy_simd_to_host(ios[1])[1].lane(0).canonical());
  };
  const M31x16 ten(M31(10)), eleven(M31(11));
  EXPECT_EQ(call(std::nullopt, Known::Check::trust), "10");
  EXPECT_EQ(call(Known::Values{{}, {ten, eleven}}, Known::Check::trust), "11");
  EXPECT_EQ(call(std::nullopt, Known::Check::trust), "10");  // they were for one call
  EXPECT_EQ(call(Known::Values{{}, {ten, ten}}, Known::Check::verify), "10");
  EXPECT_EQ(call(Known::Values{{}, {ten, eleven}}, Known::Check::verify),
            "the known output at index 1 differs from what the kernel computes");
  M31x16 one_lane_wrong = ten;
  one_lane_wrong.set_lane(11, M31(9));
  EXPECT_EQ(call(Known::Values{{}, {ten, one_lane_wrong}}, Known::Check::verify),
            "the known output at index 1 differs from what the kernel computes");
  EXPECT_EQ(call(Known::Values{{}, {ten}}, Known::Check::trust),
            "the known output at index 1 has 1 elements, expected 2");
  EXPECT_EQ(call(Known::Values{{}}, Known::Check::trust),
            "known outputs are given for 1 ios, the kernel has 2");
}

}  // namespace
}  // namespace zk
