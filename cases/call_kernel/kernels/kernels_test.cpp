// The kernels, their hash streams and digests against the golden vectors of upstream's own build,
// and what satisfies their constraints.

#include "cases/call_kernel/kernels/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cases/call_kernel/circuit/check.hpp"
#include "cases/call_kernel/circuit/listing.hpp"
#include "cases/call_kernel/inspect.hpp"
#include "cases/call_kernel/kernels/data.hpp"
#include "cases/call_kernel/kernels/emit.hpp"
#include "cases/call_kernel/message.hpp"

namespace zk {
namespace {

using Json = nlohmann::json;

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
  EXPECT_EQ(kernels, 26);
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
    EXPECT_EQ(listing(kernel_of<M31>(name, dims)), wanted) << name;
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
  EXPECT_EQ(listings, 8);
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

TEST(Golden, SumsOfOneAndOtherOddSizes) {
  // No vector of upstream's build has these sizes. They were compiled by its rules, with a compiler
  // that gave all of upstream's digests.
  struct Wanted {
    std::string name;
    std::vector<std::uint64_t> dims;
    std::string digest;
  };
  const std::vector<Wanted> all = {
      {"freivalds", {1, 1, 1, 1}, "02d4a0604da23eaf"},
      {"freivalds", {1, 3, 1, 2}, "de7ef1ed5e28a88d"},
      {"freivalds", {3, 1, 2, 1}, "0435713413a70bce"},
      {"freivalds", {2, 7, 3, 4}, "b765713e5007dce1"},
      {"pre_attn_sln", {1, 1, 1, 1}, "80e3b653bf08c566"},
      {"pre_attn_sln", {2, 1, 1, 3}, "144293cf59b15dd7"},
      {"pre_attn_sln", {3, 5, 1, 2}, "c10d4e244faef165"},
      {"mul_line", {1, 3}, "c62617dfd83d30f8"},
      {"add", {1}, "532062160d3958d9"},
      {"sum", {1}, "532062160d3958d9"},
  };
  for (const auto& [name, dims, digest] : all) {
    EXPECT_EQ(described<M31>(name, dims)["digest"], digest) << name << text(dims);
  }
}

TEST(Kernels, RefuseWhatIsNoKernel) {
  const auto refusal = [](const std::string& name, const std::vector<std::uint64_t>& dims) {
    return message([&] { (void)kernel_of<M31>(name, dims); });
  };
  EXPECT_EQ(refusal("add", {}), "add has the dims N, positive integers");
  EXPECT_EQ(refusal("add", {0}), "add has the dims N, positive integers");
  EXPECT_EQ(refusal("ad", {2}),
            "there is no kernel 'ad'; it is one of freivalds, pre_attn_sln, add, sum, mul_line");
  EXPECT_EQ(refusal("mul_line", {1 << 16, 1 << 16}), "too many elements in [65536, 65536]");
  EXPECT_EQ(refusal("add", {0xffffffff}), "more than 2^32 inputs and outputs");
  EXPECT_EQ(message([] { (void)with_ios<M31>({{{2, 0}}}); }),
            "a dimension of 0 in the shape [2, 0]");
}

TEST(Kernels, TheirInstructionsAreCountedBeforehand) {
  const std::vector<std::pair<std::string, std::vector<std::uint64_t>>> all = {
      {"freivalds", {3, 5, 4, 2}},
      {"pre_attn_sln", {3, 5, 3, 4}},
      {"pre_attn_sln", {2, 3, 1, 2}},
      {"add", {2}},
      {"sum", {7}},
      {"mul_line", {4, 3}}};
  for (const auto& [name, dims] : all) {
    const Kernel<M31> kernel = kernel_of<M31>(name, dims);
    for (const auto& circuit :
         {&kernel.ir_for_later_compilation.root(), &kernel.ir_for_calling.root()}) {
      EXPECT_EQ(circuit->instructions.capacity(), circuit->instructions.size()) << name;
    }
  }
}

TEST(Checker, RejectsWhatIsWrong) {
  const FreivaldsDims dims{3, 4, 2, 5};
  const Kernel<M31> kernel = freivalds<M31>(dims);
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
    const auto m31 = freivalds<M31>(dims);
    const auto bn254 = freivalds<Bn254>(dims);
    for (const std::uint64_t lane : {0, 7, 15}) {
      EXPECT_TRUE(faults(m31, freivalds_data(dims, lane)).empty());
      EXPECT_TRUE(faults(bn254, freivalds_data(dims, lane)).empty());
    }
  }
  for (const SlnDims dims : {SlnDims{2, 4, 2, 3}, {1, 2, 1, 2}, {3, 5, 3, 4}, {16, 256, 2, 8}}) {
    const auto m31 = pre_attn_sln<M31>(dims);
    const auto bn254 = pre_attn_sln<Bn254>(dims);
    for (const std::uint64_t lane : {0, 7, 15}) {
      EXPECT_TRUE(faults(m31, pre_attn_sln_data(dims, lane)).empty());
      EXPECT_TRUE(faults(bn254, pre_attn_sln_data(dims, lane)).empty());
    }
    auto changed = pre_attn_sln_data(dims, 0);
    const auto &x = changed[0].values, &roots = changed[2].values, &slack = changed[5].values;
    for (size_t row = 0; row < dims.tokens; ++row) {  // the nearest to the inverse root
      double sum = 0;
      for (size_t i = 0; i < dims.hidden; ++i) sum += std::pow(double(x[row * dims.hidden + i]), 2);
      const double root = double(roots[row]), one = root * root * sum - double(slack[row]);
      EXPECT_NEAR(root, std::max(1.0, std::sqrt(one / std::max(sum, 1.0))), 0.500001);
    }
    ++changed[4].values[0];  // a limb
    EXPECT_GE(faults(m31, changed).size(), 1u);
  }
}

}  // namespace
}  // namespace zk
