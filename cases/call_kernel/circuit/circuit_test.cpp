// Instructions and circuits: layout, hash stream, listing, scattering.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <sstream>

#include "cases/call_kernel/circuit/listing.hpp"
#include "cases/call_kernel/circuit/siphash.hpp"
#include "cases/call_kernel/circuit/sizes.hpp"
#include "cases/call_kernel/kernels/heap_layout.hpp"
#include "cases/call_kernel/kernels/kernels.hpp"

namespace zk {
namespace {

std::string hex(std::uint64_t digest) {
  std::ostringstream text;
  text << std::hex << std::setw(16) << std::setfill('0') << digest;
  return text.str();
}

TEST(SipHash, VectorsAndSplits) {
  const auto digest = [](std::string_view text) {
    SipHasher hasher;
    hasher.bytes(text.data(), text.size());
    return hex(hasher.finish());
  };
  EXPECT_EQ(digest(""), "d1fba762150c532c");
  EXPECT_EQ(digest("a"), "407448d2b89b1813");
  EXPECT_EQ(digest("abcdefg"), "6db12aae9070f506");
  EXPECT_EQ(digest("abcdefgh"), "3f7b849c0b8e35ea");
  EXPECT_EQ(digest("0123456789abcdef0"), "f738bb4f30801228");
  SipHasher split, whole;
  split.u8(0x11);
  split.u32(0x22334455);
  split.u64(0x8877665544332211);
  split.u32(0x99);
  const unsigned char bytes[] = {0x11, 0x55, 0x44, 0x33, 0x22, 0x11, 0x22, 0x33, 0x44,
                                 0x55, 0x66, 0x77, 0x88, 0x99, 0,    0,    0};
  whole.bytes(bytes, sizeof bytes);
  EXPECT_EQ(split.finish(), whole.finish());
}

TEST(Layout, InstructionsAreAsLargeAsUpstreams) {
  EXPECT_EQ(sizeof(Instruction<M31>), 48u);
  EXPECT_EQ(sizeof(Instruction<Bn254>), 56u);
  EXPECT_EQ(sizeof(Term<M31>), 16u);
  EXPECT_EQ(sizeof(Term<Bn254>), 40u);
}

TEST(Instruction, HashesEveryKindInUpstreamsWrites) {
  const auto written = [](const Instruction<M31>& instruction) {
    ByteCounter counter;
    instruction.write_to(counter);
    return std::pair(counter.written, counter.writes);
  };
  using I = Instruction<M31>;
  const std::vector<Id> three = {1, 2, 3};
  EXPECT_EQ(written(I::lin_comb(std::vector<Term<M31>>{{1, M31(1)}, {2, M31(3)}}, M31(0))),
            std::pair(44ul, 7ul));
  EXPECT_EQ(written(I::mul(three)), std::pair(40ul, 3ul));
  EXPECT_EQ(written(I::hint(5, three, 2)), std::pair(56ul, 5ul));
  EXPECT_EQ(written(I::sub_circuit_call(5, three, 2)), std::pair(56ul, 5ul));
  EXPECT_EQ(written(I::custom_gate(5, three)), std::pair(48ul, 4ul));
  EXPECT_EQ(written(I::random()), std::pair(16ul, 2ul));
  EXPECT_EQ(written(I::public_input(5)), std::pair(24ul, 3ul));
  EXPECT_NE(I::hint(5, three, 2), I::hint(6, three, 2));
  EXPECT_NE(I::hint(5, three, 2), I::sub_circuit_call(5, three, 2));
  EXPECT_EQ(I::random(), I::random());
  I moved = I::mul(three);
  const I copied = moved;
  const I target = std::move(moved);
  EXPECT_EQ(target, copied);
}

TEST(Scatter, ChangesNothingButTheHeap) {
  const Kernel<M31> kernel = pre_attn_sln<M31>({3, 5, 3, 4});
  Kernel<M31> scattered = kernel;
  scatter(scattered, heap_layout<M31>(true), 1);
  EXPECT_EQ(scattered, kernel);
  EXPECT_EQ(sizes_of(scattered).digest, sizes_of(kernel).digest);
}

TEST(Scatter, RunsAndJumpsAreThoseOfTheDump) {
  constexpr size_t kBlocks = 300'000;
  constexpr double kBytes = 32;
  const auto placed = [&](const HeapLayout& layout) {
    return place_runs(layout, 1, kBlocks, [](size_t) { return kBytes; });
  };
  const std::vector<BlockRun> freivalds = placed(heap_layout<Bn254>(false));
  EXPECT_EQ(freivalds.size(), kBlocks / 3);
  double near = 0;
  for (size_t i = 1; i < freivalds.size(); ++i) {
    near += freivalds[i - 1].place - (freivalds[i].place + 3 * kBytes) <= 1024 &&
            freivalds[i - 1].place > freivalds[i].place;
  }
  EXPECT_NEAR(near / static_cast<double>(freivalds.size()), .64, .01);
  double alone = 0, fours = 0;
  for (const BlockRun& run : placed(heap_layout<Bn254>(true))) {
    alone += run.blocks == 1;
    fours += run.blocks == 4 ? 4 : 0;
  }
  EXPECT_NEAR(alone / kBlocks, .13, .03);
  EXPECT_NEAR(fours / kBlocks, .25, .05);
}

/// The blocks of a run, on average, in a heap that nothing else has used.
double blocks_of_a_run() {
  Kernel<Bn254> kernel = freivalds<Bn254>({16, 16, 16, 16});
  scatter(kernel, heap_layout<Bn254>(false), 1);
  const std::byte* end = nullptr;
  size_t runs = 0, blocks = 0;
  for (const auto& instruction : kernel.ir_for_later_compilation.root().instructions) {
    if (instruction.block_bytes() == 0) continue;
    const auto* block = static_cast<const std::byte*>(instruction.block());
    runs += block != end;
    ++blocks;
    end = block + (instruction.block_bytes() + 8 + 15) / 16 * 16;
  }
  return static_cast<double>(blocks) / static_cast<double>(runs);
}

#if defined(__GLIBC__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
TEST(Scatter, BlocksOfARunAreNeighbours) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own
  EXPECT_EXIT(std::exit(std::fabs(blocks_of_a_run() - 3) < .2 ? 0 : 1), testing::ExitedWithCode(0),
              "");
}
#endif

TEST(Listing, NamesEveryKindOfInstruction) {
  using I = Instruction<M31>;
  const std::vector<Id> two = {1, 2};
  Kernel<M31> kernel;
  kernel.ir_for_calling.circuits[0];
  auto& circuits = kernel.ir_for_later_compilation.circuits;
  circuits[0] = {{I::lin_comb(std::vector<Term<M31>>{{1, M31(3)}, {2, -M31(1)}}, -M31(7)),
                  I::mul(two), I::hint(0x1f, two, 2), I::sub_circuit_call(5, two, 0), I::random(),
                  I::public_input(4), I::custom_gate(6, two)},
                 {3, 4},
                 {1, 2, 9},
                 2};
  circuits[5].num_inputs = 2;
  EXPECT_EQ(listing(kernel),
            "later inputs 2\n"
            "  v3 = lin(3*v1, -1*v2, -7)\n"
            "  v4 = mul(v1, v2)\n"
            "  v5..v6 = hint(0x1f; v1, v2)\n"
            "  v7..v6 = call(0x5; v1, v2)\n"
            "  v7 = random\n"
            "  v8 = public(4)\n"
            "  v9 = gate(0x6; v1, v2)\n"
            "  constraints [3, 4]\n"
            "  outputs [1, 2, 9]\n"
            "later circuit 0x5 inputs 2\n"
            "  constraints []\n"
            "  outputs []\n"
            "calling inputs 0\n"
            "  constraints []\n"
            "  outputs []\n");
}

}  // namespace
}  // namespace zk
