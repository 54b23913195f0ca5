// The circuits, their hash streams and digests against the golden vectors of upstream's own build,
// and the builder's rules that no vector shows.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cases/call_kernel/circuit/check.hpp"
#include "cases/call_kernel/circuit/listing.hpp"
#include "cases/call_kernel/circuit/scatter.hpp"
#include "cases/call_kernel/circuit/sizes.hpp"
#include "cases/call_kernel/context/pool.hpp"
#include "cases/call_kernel/inspect.hpp"
#include "cases/call_kernel/kernels/data.hpp"
#include "cases/call_kernel/kernels/kernels.hpp"
#include "cases/call_kernel/message.hpp"

namespace zk {
namespace {

using Json = nlohmann::json;

std::string hex(std::uint64_t digest) {
  std::ostringstream text;
  text << std::hex << std::setw(16) << std::setfill('0') << digest;
  return text.str();
}

template <typename Scalar>
Json described(const std::string& name, const std::vector<std::uint64_t>& dims) {
  return Json::parse(description<Scalar>(name, dims));
}

TEST(Golden, EveryKernelHasUpstreamsSizesAndDigest) {
  std::ifstream file(GOLDEN "/kernels.jsonl");
  int kernels = 0;
  for (std::string line; std::getline(file, line); ++kernels) {
    const Json wanted = Json::parse(line);
    const Json seen = wanted.at("field") == "m31"
                          ? described<M31>(wanted.at("kernel"), wanted.at("dims"))
                          : described<Bn254>(wanted.at("kernel"), wanted.at("dims"));
    EXPECT_EQ(seen, wanted);
  }
  EXPECT_EQ(kernels, 60);
}

TEST(Golden, EveryListingIsUpstreams) {
  std::ifstream file(GOLDEN "/listings.txt");
  std::stringstream text;
  text << file.rdbuf();
  std::istringstream parts(text.str());
  std::string line, name, wanted;
  std::vector<std::uint64_t> dims;
  int listings = 0;
  const auto compare = [&] {
    if (name.empty()) return;
    EXPECT_EQ(listing(compile(source_of<M31>(name, dims))), wanted) << name;
    ++listings;
  };
  while (std::getline(parts, line)) {
    if (line.starts_with("# ")) {
      compare();
      std::istringstream words(line.substr(2));
      words >> name;
      dims = Json::parse(line.substr(line.find('['), line.find(']') - line.find('[') + 1))
                 .get<std::vector<std::uint64_t>>();
      wanted.clear();
    } else if (!line.empty()) {
      wanted += line + "\n";
    }
  }
  compare();
  EXPECT_EQ(listings, 17);
}

TEST(Golden, SizesOfLargerKernels) {
  const Json small = described<M31>("freivalds", {64, 256, 256, 256});
  EXPECT_EQ(small["inputs"], 262976);
  EXPECT_EQ(small["instructions"], 267273);
  EXPECT_EQ(small["lincombs"], 3593);
  EXPECT_EQ(small["terms"], 265478);
  EXPECT_EQ(small["mul_inputs"], 527360);
  const Json sln = described<Bn254>("pre_attn_sln", {16, 256, 2, 8});
  EXPECT_EQ(sln["instructions"], 70986);
  EXPECT_EQ(sln["lincombs"], 45631);
  EXPECT_EQ(sln["terms"], 78654);
  EXPECT_EQ(sln["mul_inputs"], 54822);
  EXPECT_EQ(sln["constraints"], 4113);
  const Json line = described<M31>("mul_line", {32, 64});
  EXPECT_EQ(line["instructions"], 2240);
  EXPECT_EQ(line["inputs"], 2144);
  EXPECT_EQ(line["calling_instructions"], 2176);
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
  const Kernel<M31> kernel = compile(source_of<M31>("program", {8, 300, 8}));
  Kernel<M31> scattered = kernel;
  scatter(scattered, 1);
  EXPECT_EQ(scattered, kernel);
  EXPECT_EQ(sizes_of(scattered).digest, sizes_of(kernel).digest);
}

TEST(Builder, RefusesWhatIsNoKernel) {
  const auto built = [](const Shape& shape, auto body) {
    return compile(Source<M31>{{{shape, Direction::input}}, body});
  };
  using B = Builder<M31>;
  using Ios = Source<M31>::Ios;
  EXPECT_EQ(message([&] { (void)built({2}, [](B& b, Ios&) { b.add({}, {}); }); }),
            "Variable(0) is not allowed in API calls");
  EXPECT_EQ(message([&] { (void)built({2}, [](B& b, Ios&) { b.assert_is_zero(b.constant(1)); }); }),
            "assert_is_zero failed");
  EXPECT_EQ(message([&] {
              (void)built({2}, [](B& b, Ios&) { b.div(b.constant(1), b.constant(0), true); });
            }),
            "division by the constant 0");
  EXPECT_EQ(message([&] { (void)built({0}, [](B&, Ios&) {}); }),
            "a dimension of 0 in the shape [0]");
  EXPECT_EQ(message([] { (void)source_of<M31>("add", {}); }),
            "add has the dims N, positive integers");
  EXPECT_EQ(message([] { (void)source_of<M31>("cse", {1}); }), "cse has no dims");
  EXPECT_TRUE(message([] {
                (void)source_of<M31>("ad", {2});
              }).starts_with("there is no kernel 'ad'; it is one of freivalds, "));
}

TEST(Builder, AnEmptyKernelCompiles) {
  const Kernel<M31> kernel = compile(Source<M31>{{{{3}, Direction::input}}, [](auto&, auto&) {}});
  EXPECT_TRUE(kernel.ir_for_later_compilation.root().instructions.empty());
  EXPECT_EQ(kernel.ir_for_calling.root().outputs, (std::vector<Id>{1, 2, 3}));
}

/// assert(x * y == z) inside a sub-circuit with a result that nobody needs.
Kernel<M31> with_sub_circuit(bool draws) {
  return compile(
      Source<M31>{{{{3}, Direction::input}}, [draws](Builder<M31>& b, Source<M31>::Ios& io) {
                    const Builder<M31>::Function body = [draws](Builder<M31>& inner,
                                                                std::span<const Variable> x) {
                      Variable product = inner.mul(x[0], x[1]);
                      if (draws) product = inner.mul(product, inner.random_value());
                      inner.assert_is_equal(product, x[2]);
                      return std::vector{inner.add(x[0], x[1])};
                    };
                    (void)b.memorized_call(7, body, io[0]);
                    (void)b.memorized_call(7, body, io[0]);
                  }});
}

TEST(SubCircuit, ItsConstraintsStayInTheCallingCircuit) {
  const Kernel<M31> kernel = with_sub_circuit(false);
  EXPECT_EQ(kernel.ir_for_calling, kernel.ir_for_later_compilation);
  ASSERT_EQ(kernel.ir_for_calling.circuits.size(), 2u);  // recorded once
  const auto& root = kernel.ir_for_calling.root();
  ASSERT_EQ(root.instructions.size(), 2u);
  EXPECT_EQ(root.instructions[0].outputs(), 0u);  // the result is dropped, the call is not
  const std::string text = listing(kernel);
  EXPECT_NE(text.find("v4..v3 = call(0x"), std::string::npos) << text;
}

TEST(Checker, RejectsWhatIsWrong) {
  const FreivaldsDims dims{3, 4, 2, 5};
  const Kernel<M31> kernel = compile(freivalds<M31>(dims));
  const auto faults = [](const Kernel<M31>& checked, const std::vector<IoData>& ios) {
    std::vector<M31> inputs;
    for (const IoData& io : ios) {
      for (const auto value : io.values) inputs.push_back(to_field<M31>(value));
    }
    Checker<M31> checker(checked.ir_for_later_compilation, nullptr, 1);
    (void)checker.outputs(inputs);
    return checker.faults().size();
  };
  const std::vector<IoData> data = freivalds_data(dims, 3);
  EXPECT_EQ(faults(kernel, data), 0u);
  for (size_t io = 0; io < 7; ++io) {  // a changed entry of X, of a weight, of a product
    std::vector<IoData> changed = data;
    ++changed[io].values[1];
    EXPECT_GE(faults(kernel, changed), 1u) << io;
  }
  Kernel<M31> corrupted = kernel;  // a constraint that names its neighbour
  --corrupted.ir_for_later_compilation.circuits.at(0).constraints[1];
  EXPECT_EQ(faults(corrupted, data), 1u);
  Kernel<M31> swapped = kernel;
  auto& instructions = swapped.ir_for_later_compilation.circuits.at(0).instructions;
  for (auto& instruction : instructions) {
    if (instruction.kind() != Kind::lin_comb || instruction.terms().size() < 2) continue;
    std::vector<Term<M31>> terms(instruction.terms().begin(), instruction.terms().end());
    if (terms.front().coefficient == terms.back().coefficient) continue;
    std::swap(terms.front().coefficient, terms.back().coefficient);
    instruction = Instruction<M31>::lin_comb(terms, instruction.constant());
    break;
  }
  EXPECT_NE(swapped, kernel);
  EXPECT_EQ(faults(swapped, data), 1u);
}

TEST(Data, SatisfiesTheKernels) {
  const auto faults = [](const auto& kernel, const std::vector<IoData>& ios) {
    using Scalar = std::remove_cvref_t<
        decltype(kernel.ir_for_later_compilation.root().instructions[0].constant())>;
    std::vector<Scalar> inputs;
    for (const IoData& io : ios) {
      for (const auto value : io.values) inputs.push_back(to_field<Scalar>(value));
    }
    Checker<Scalar> checker(kernel.ir_for_later_compilation, nullptr, 5);
    (void)checker.outputs(inputs);
    return checker.faults();
  };
  for (const FreivaldsDims dims :
       {FreivaldsDims{4, 3, 2, 2}, {6, 6, 6, 6}, {10, 5, 1, 1}, {1, 1, 1, 1}, {50, 35, 65, 20}}) {
    const auto m31 = compile(freivalds<M31>(dims));
    const auto bn254 = compile(freivalds<Bn254>(dims));
    for (const std::uint64_t lane : {0, 7, 15}) {
      EXPECT_TRUE(faults(m31, freivalds_data(dims, lane)).empty());
      EXPECT_TRUE(faults(bn254, freivalds_data(dims, lane)).empty());
    }
  }
  for (const SlnDims dims : {SlnDims{2, 4, 2, 3}, {1, 2, 1, 2}, {3, 5, 3, 4}, {16, 256, 2, 8}}) {
    const auto m31 = compile(pre_attn_sln<M31>(dims));
    const auto bn254 = compile(pre_attn_sln<Bn254>(dims));
    for (const std::uint64_t lane : {0, 7, 15}) {
      EXPECT_TRUE(faults(m31, pre_attn_sln_data(dims, lane)).empty());
      EXPECT_TRUE(faults(bn254, pre_attn_sln_data(dims, lane)).empty());
    }
    auto changed = pre_attn_sln_data(dims, 0);
    ++changed[4].values[0];  // a limb
    EXPECT_GE(faults(m31, changed).size(), 1u);
  }
}

TEST(Pool, CountsAsUpstreamsTable) {
  Pool<Kernel<M31>> pool;
  std::vector<Kernel<M31>> kernels;
  for (std::uint64_t n = 2; n < 12; ++n) kernels.push_back(compile(source_of<M31>("sum", {n})));
  EXPECT_EQ(pool.add(kernels[0]), 0u);
  EXPECT_EQ(pool.work().hashes, 1u);  // an empty table is not asked
  EXPECT_EQ(pool.add(compile(source_of<M31>("sum", {2}))), 0u);
  EXPECT_EQ(pool.work().hashes, 2u);
  EXPECT_EQ(pool.work().comparisons, 1u);
  std::uint64_t hashes = pool.work().hashes;
  for (size_t i = 1; i < kernels.size(); ++i) {
    EXPECT_EQ(pool.add(kernels[i]), i);
    const std::uint64_t rehashed = i == 3 ? 3 : i == 7 ? 7 : 0;  // the 4th and the 8th make it grow
    EXPECT_EQ(pool.work().hashes, hashes + 2 + rehashed) << i;
    hashes = pool.work().hashes;
  }
  for (size_t i = 0; i < kernels.size(); ++i) EXPECT_EQ(pool.index_of(kernels[i]), i);
  EXPECT_EQ(pool.get(4), kernels[4]);
  EXPECT_THROW((void)pool.get(99), Panic);
}

}  // namespace
}  // namespace zk
