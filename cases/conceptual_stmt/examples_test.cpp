// The patches on pipelines like those of Halide's tutorials and applications: the same page, by the
// oracle.
#include "cases/conceptual_stmt/examples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "cases/conceptual_stmt/listing.hpp"
#include "patches/halide/conceptual_stmt.hpp"

namespace {

namespace fs = std::filesystem;

using Halide::Buffer;
using Halide::Target;
using patches::halide::Choice;
using patches::halide::kEveryPatch;

// ---- What is compared.

/// A page, cut up.
struct Parts {
  std::string text;          ///< the page
  std::string canonical;     ///< by the oracle
  std::string rest;          ///< what follows the assembly, such as the pane of a device's code
  std::string fault;         ///< of a jump
  std::ptrdiff_t lines = 0;  ///< of the pipeline's own instructions and labels
  size_t jumps = 0;
};

struct Patched {
  const char* name;
  Choice choice;
  bool identical;  ///< byte by byte
};

const Patched kRegexFilter{"regex_filter", {.regex_filter = true}, true};
const Patched kMarkerLines{"marker_lines", {.marker_lines = true}, true};
const Patched kLeanListing{"lean_listing", {.lean_listing = true}, false};
const Patched kBufferStub{"buffer_stub", {.buffer_stub = true}, false};
const Patched kAll{"every patch", kEveryPatch, false};

using Choices = std::vector<Patched>;
const Choices kEach = {kRegexFilter, kMarkerLines, kLeanListing, kBufferStub, kAll};
/// The patches that search less, and the patches that make another listing.
const Choices kSearch = {kRegexFilter, kMarkerLines}, kListing = {kLeanListing, kBufferStub, kAll};

class Examples : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = "examples_test_" + std::to_string(getpid()) + "_" + info->name();
    std::replace(name.begin(), name.end(), '/', '_');
    folder_ = fs::path(testing::TempDir()) / name;
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static Halide::Module module_of(const Example& example) {
    return Halide::Pipeline(example.outputs)
        .compile_to_module(example.arguments, "", example.target);
  }

  /// Writes page.html: by Halide's own call if `patched` is null. Gives it, or what was thrown.
  static std::string compiled(const Example& example, const Patched* patched) {
    constexpr const char* kPage = "page.html";
    try {
      if (!patched) {
        Halide::Pipeline(example.outputs)
            .compile_to_conceptual_stmt(kPage, example.arguments, Halide::HTML, example.target);
      } else if (example.outputs.size() == 1) {
        patches::halide::compile_to_conceptual_stmt(example.outputs[0], kPage, example.arguments,
                                                    Halide::HTML, example.target, patched->choice);
      } else {
        patches::halide::compile_to_viewer(
            module_of(example), patches::halide::Viewer::conceptual_stmt, kPage, patched->choice);
      }
    } catch (const Halide::Error& error) {
      return std::string("error: ") + error.what();
    }
    return read(kPage);
  }

  /// Halide's own page, then one for each choice: each by a process and in a folder of its own, all
  /// from one state, because Halide numbers its names by process.
  std::vector<std::string> pages(const Example& example, const Choices& choices) const {
    const auto folder = [&](size_t i) { return folder_ / std::to_string(i); };
    std::vector<pid_t> children;
    for (size_t i = 0; i <= choices.size(); ++i) {
      fs::create_directories(folder(i));
      children.push_back(fork());
      if (children.back() != 0) continue;
      fs::current_path(folder(i));
      const std::string page = compiled(example, i == 0 ? nullptr : &choices[i - 1]);
      std::ofstream("result", std::ios::binary) << page << std::flush;
      _exit(0);
    }
    std::vector<std::string> texts;
    for (size_t i = 0; i < children.size(); ++i) {
      int status = -1;
      waitpid(children[i], &status, 0);
      EXPECT_EQ(status, 0) << (i == 0 ? "Halide" : choices[i - 1].name);
      texts.push_back(read(folder(i) / "result"));
    }
    return texts;
  }

  /// The function has the name of the first output; the second of a name, `f$1`, is `f_1` there.
  static Parts parts(const Example& example, const std::string& text) {
    std::string function = example.outputs[0].name();
    std::replace(function.begin(), function.end(), '$', '_');
    const ViewerPage page = read_page(text);
    Parts parts{.text = text,
                .canonical = canonical(page, function),
                .rest = text.substr(text.find("</pre>", text.find("<div id='host-assembly-pane'"))),
                .fault = fault_of(page, 0),
                .jumps = page.jumps.size()};
    parts.lines = std::count(parts.canonical.begin(), parts.canonical.end(), '\n') -
                  std::count(page.statements.begin(), page.statements.end(), '\n') -
                  static_cast<std::ptrdiff_t>(parts.jumps);
    return parts;
  }

  static void expect_equal(const std::string& ours, const std::string& own) {
    if (ours == own) return;
    const auto at = static_cast<size_t>(
        std::mismatch(own.begin(), own.end(), ours.begin(), ours.end()).first - own.begin());
    const size_t from = at < 200 ? 0 : at - 200;
    ADD_FAILURE() << "Halide's own:\n"
                  << own.substr(from, 400) << "\n---- but here:\n"
                  << ours.substr(from, 400);
  }

  /// All pages must agree. `lines` and `jumps` are lower bounds, so that there is something to
  /// compare.
  void expect_same(const Example& example, std::ptrdiff_t lines, size_t jumps,
                   const Choices& choices = kEach) const {
    const std::vector<std::string> texts = pages(example, choices);
    ASSERT_FALSE(texts[0].starts_with("error: ")) << texts[0];
    const Parts own = parts(example, texts[0]);
    EXPECT_GE(own.lines, lines);
    EXPECT_GE(own.jumps, jumps);
    EXPECT_EQ(own.fault, "");
    for (size_t i = 0; i < choices.size(); ++i) {
      SCOPED_TRACE(choices[i].name);
      const std::string& text = texts[i + 1];
      if (text.starts_with("error: ")) {
        ADD_FAILURE() << text;
        continue;
      }
      const Parts patched = parts(example, text);
      expect_equal(patched.canonical, own.canonical);
      expect_equal(patched.rest, own.rest);
      if (choices[i].identical) expect_equal(patched.text, own.text);
    }
  }

  /// All must give the same error for a pipeline that Halide refuses.
  void expect_refused(const Example& example) const {
    const std::vector<std::string> texts = pages(example, kEach);
    EXPECT_TRUE(texts[0].starts_with("error: ")) << texts[0].substr(0, 200);
    for (size_t i = 0; i < kEach.size(); ++i) {
      SCOPED_TRACE(kEach[i].name);
      expect_equal(texts[i + 1], texts[0]);
    }
  }

  fs::path folder_;
};

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
