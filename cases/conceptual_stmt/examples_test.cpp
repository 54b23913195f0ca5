// The patches on pipelines like those of Halide's tutorials and applications: the same page, by the
// oracle.
#include "cases/conceptual_stmt/examples.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "cases/conceptual_stmt/examples_fixture.hpp"

namespace {

using Halide::Buffer;
using Halide::Target;

std::set<std::string> buffers_of(const Halide::Module& module) {
  std::set<std::string> names;
  for (const Buffer<>& buffer : module.buffers()) names.insert(buffer.name());
  return names;
}

// ---- The applications.

TEST_F(Examples, BlurInTiles) { expect_same(blur(with_runtime()), 500, 6); }

TEST_F(Examples, BlurWithUnrolledTaps) { expect_same(blur(bare(), Taps::unrolled), 1000, 8); }

TEST_F(Examples, Pyramid) {
  expect_same(pyramid(with_runtime(), 3), 3000, 20, kListing);
  expect_same(pyramid(bare(), 3), 3000, 20, kSearch);
}

TEST_F(Examples, HistogramEqualisation) {
  expect_same(equalise(with_runtime()), 1000, 8, kListing);
  expect_same(equalise(bare()), 1000, 8, kSearch);
}

/// Halide 19: without the runtime LLVM groups the checks of the arguments otherwise (SLP), so the
/// same function has other registers.
TEST_F(Examples, DISABLED_HistogramEqualisationForAvx512) {
  expect_same(equalise(with_runtime({Target::AVX512, Target::AVX512_Skylake})), 500, 5,
              {kLeanListing});
}

TEST_F(Examples, ConvolutionLayer) {
  expect_same(layer(with_runtime()), 2000, 2, kListing);
  expect_same(layer(bare()), 2000, 2, kSearch);
}

TEST_F(Examples, TwoOutputs) {
  expect_same(two_outputs(with_runtime()), 1000, 8, kListing);
  expect_same(two_outputs(bare()), 1000, 8, kSearch);
}

TEST_F(Examples, TupleOutput) { expect_same(extremes(bare()), 500, 4); }

// ---- Devices: their code is a buffer of the module.

const std::vector<Target::Feature> kCuda = {Target::CUDA, Target::CUDACapability50};
const std::vector<Target::Feature> kBoth = {Target::OpenCL, Target::CUDA, Target::CUDACapability50};

constexpr auto kOpenCL = Halide::DeviceAPI::OpenCL, kCUDA = Halide::DeviceAPI::CUDA,
               kVulkan = Halide::DeviceAPI::Vulkan;

/// With the runtime, one byte 0 in place of the code would be merged with its empty string, and the
/// operand that names the code with it.
TEST_F(Examples, KernelsForOpenCL) {
  expect_same(on_device(with_runtime({Target::OpenCL}), kOpenCL, kOpenCL), 500, 1, kListing);
  expect_same(on_device(bare({Target::OpenCL}), kOpenCL, kOpenCL), 500, 1, kSearch);
}

TEST_F(Examples, KernelsForCuda) { expect_same(on_device(bare(kCuda), kCUDA, kCUDA), 500, 1); }

TEST_F(Examples, KernelsForBoth) { expect_same(on_device(bare(kBoth), kOpenCL, kCUDA), 500, 1); }

TEST_F(Examples, KernelsForVulkan) {
  const Target target =
      bare({Target::Vulkan, Target::VulkanInt8, Target::VulkanInt16, Target::VulkanInt64});
  expect_same(on_device(target, kVulkan, kVulkan), 500, 1);
}

TEST_F(Examples, KernelsAreBuffersOfTheModule) {
  EXPECT_THAT(buffers_of(module_of(on_device(bare(kBoth), kOpenCL, kCUDA))),
              testing::UnorderedElementsAre("gain", "table", "opencl_gpu_source_kernels",
                                            "opencl_buf", "cuda_gpu_source_kernels", "cuda_buf"));
}

/// A part for Hexagon is a module within the module, from which the function takes its code. (The
/// one call to the conceptual page crashes on such a module, so that is not made.)
TEST_F(Examples, ModuleWithinTheModule) {
  const Halide::Module module = module_of(on_hexagon(bare({Target::HVX_128, Target::HVX_v66})));
  ASSERT_FALSE(module.submodules().empty());
  const std::string listing = (folder_ / "l.s").string();
  EXPECT_NO_THROW(patches::halide::write_listing(module, listing, kEveryPatch));
  EXPECT_THAT(read(listing), testing::HasSubstr("halide_hexagon_code"));
  const std::string page = (folder_ / "page.html").string();
  patches::halide::compile_to_viewer(module, patches::halide::Viewer::stmt, page, kEveryPatch);
  EXPECT_THAT(read(page), testing::EndsWith("</html>"));
}

// ---- Buffers.

TEST_F(Examples, BuffersOfEveryElementType) {
  const Example example = every_type(bare());
  EXPECT_EQ(module_of(example).buffers().size(), 13u);
  expect_same(example, 300, 1);
}

TEST_F(Examples, BuffersOfEveryDimensionInTwoStages) {
  const Example example = every_dimension(bare());
  EXPECT_EQ(module_of(example).buffers().size(), 5u);
  expect_same(example, 300, 4);
}

TEST_F(Examples, BuffersOfEveryLayout) {
  const Example example = every_layout(bare());
  EXPECT_EQ(module_of(example).buffers().size(), 4u);
  expect_same(example, 300, 2);
}

TEST_F(Examples, BufferForForeignCode) { expect_same(foreign_stage(bare()), 200, 2); }

/// Halide refuses such a buffer, but would not refuse its stub, which has an element and memory.
TEST_F(Examples, EmptyBuffersAreRefused) {
  float memory[4] = {};
  for (float* at : {static_cast<float*>(nullptr), memory}) expect_refused(empty_buffer(bare(), at));
}

// ---- Targets.

struct Features {
  const char* name;
  std::vector<Target::Feature> features;
};

void PrintTo(const Features& features, std::ostream* stream) { *stream << features.name; }

class WithFeature : public Examples, public testing::WithParamInterface<Features> {};

TEST_P(WithFeature, Blur) { expect_same(blur(bare(GetParam().features), Taps::unrolled), 300, 8); }

#if HALIDE_VERSION_MAJOR >= 21
const std::vector<Target::Feature> kBacktraces = {Target::EnableBacktraces};
#else
const std::vector<Target::Feature> kBacktraces;
#endif

INSTANTIATE_TEST_SUITE_P(Each, WithFeature,
                         testing::Values(Features{"Debug", {Target::Debug}},
                                         Features{"Backtraces", kBacktraces},
                                         Features{"NoAsserts", {Target::NoAsserts}},
                                         Features{"Profile", {Target::Profile}},
                                         Features{"UserContext", {Target::UserContext}},
                                         Features{"LargeBuffers", {Target::LargeBuffers}},
                                         Features{"EmbedBitcode", {Target::EmbedBitcode}},
                                         Features{"Msan", {Target::MSAN}}),
                         [](const auto& test) { return std::string(test.param.name); });

const std::vector<Target::Feature> kNoBoundsQuery = {Target::NoBoundsQuery};
const std::vector<Target::Feature> kNoChecks = {Target::NoBoundsQuery, Target::NoAsserts};

/// Without a bounds query nothing writes the fields of an embedded buffer, so LLVM puts its shape
/// and, at constant indices, its elements into the code.
TEST_F(Examples, NoBoundsQuery) {
  expect_same(blur(bare(kNoBoundsQuery), Taps::unrolled), 500, 8);
  expect_same(every_dimension(bare(kNoBoundsQuery)), 500, 4);
}

TEST_F(Examples, NoBoundsQueryAndNoAsserts) {
  expect_same(blur(bare(kNoChecks), Taps::unrolled), 200, 8);
  expect_same(extremes(bare(kNoChecks)), 200, 3);
}

/// A copy of the module must be marked any_strict_float() like the module: else other instructions
/// (FMA where none may be), and with the target's feature an error in Halide 21.
TEST_F(Examples, StrictFloat) {
  expect_same(strict_sums(bare()), 300, 2);
  expect_same(strict_sums(bare({Target::StrictFloat})), 300, 2);
}

}  // namespace
