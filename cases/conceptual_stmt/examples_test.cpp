// The patches on pipelines like those of Halide's tutorials and applications: the same page, by the
// oracle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cases/conceptual_stmt/listing.hpp"
#include "patches/halide/conceptual_stmt.hpp"

namespace {

namespace fs = std::filesystem;

using Halide::Argument;
using Halide::Buffer;
using Halide::cast;
using Halide::clamp;
using Halide::Expr;
using Halide::Func;
using Halide::ImageParam;
using Halide::Param;
using Halide::RDom;
using Halide::Target;
using Halide::Tuple;
using Halide::Var;
using patches::halide::Choice;
using patches::halide::kEveryPatch;

/// A pipeline, and what compiling it takes.
struct Example {
  std::vector<Func> outputs;
  std::vector<Argument> arguments;
  Target target;
};

/// One target for all machines: the pages are the same everywhere, nothing is run, and the oracle
/// reads this assembly.
Target with_runtime(const std::vector<Target::Feature>& features = {}) {
  Target target("x86-64-linux-sse41-avx-avx2-f16c-fma");
  for (const Target::Feature feature : features) target.set_feature(feature);
  return target;
}

/// Without Halide's runtime, which takes most of the time: for what does not depend on it.
Target bare(const std::vector<Target::Feature>& features = {}) {
  return with_runtime(features).with_feature(Target::NoRuntime);
}

template <typename T>
Buffer<T> filled(const std::vector<int>& sizes, const std::string& name) {
  Buffer<T> buffer(sizes, name);
  std::mt19937 random(static_cast<unsigned>(sizes.size()));
  buffer.for_each_value(
      [&](T& value) { value = static_cast<T>(static_cast<float>(1 + random() % 100)); });
  return buffer;
}

const Var x("x"), y("y"), c("c"), n("n"), xi("xi"), yi("yi");

// ---- The pipelines.

enum class Taps { looped, unrolled };

/// A 3x3 blur with an embedded kernel, in tiles: with the loops over the kernel in a parallel loop,
/// or with every tap at a constant index in the function itself.
Example blur(const Target& target, Taps taps = Taps::looped) {
  const ImageParam input(Halide::Float(32), 2, "input");
  const Buffer<float> kernel = filled<float>({3, 3}, "kernel");
  const RDom r(0, 3, 0, 3, "r");
  Func blurred("blurred"), output("blur_output");
  blurred(x, y) = 0.0f;
  blurred(x, y) += input(x + r.x, y + r.y) * kernel(r.x, r.y);
  output(x, y) = blurred(x, y) / 9.0f;
  output.tile(x, y, xi, yi, 32, 8).vectorize(xi, 8);
  blurred.compute_at(output, x).vectorize(x, 8);
  blurred.update().reorder(x, r.x, r.y, y).vectorize(x, 8);
  if (taps == Taps::unrolled)
    blurred.update().unroll(r.x).unroll(r.y);
  else
    output.parallel(y);
  return {{output}, {input}, target};
}

/// Level by level down, the details through an embedded curve, and up again.
Example pyramid(const Target& target, int levels) {
  const ImageParam input(Halide::Float(32), 2, "input");
  const Buffer<float> curve = filled<float>({256}, "curve");
  std::vector<Func> down{Halide::BoundaryConditions::mirror_interior(input)};
  for (int level = 1; level < levels; ++level) {
    const Func& finer = down.back();
    Func across("across_" + std::to_string(level)), next("down_" + std::to_string(level));
    across(x, y) = (finer(2 * x - 1, y) + 2 * finer(2 * x, y) + finer(2 * x + 1, y)) / 4;
    next(x, y) = (across(x, 2 * y - 1) + 2 * across(x, 2 * y) + across(x, 2 * y + 1)) / 4;
    across.compute_at(next, y).vectorize(x, 8);
    next.compute_root().vectorize(x, 8).parallel(y);
    down.push_back(next);
  }
  Func output("pyramid_output");
  Func up = down.back();
  for (int level = levels - 2; level >= 0; --level) {
    const auto wider = [](const Func& coarse) -> Expr {
      return (coarse(x / 2, y / 2) + coarse((x + 1) / 2, (y + 1) / 2)) / 2;
    };
    const Expr detail =
        down[static_cast<size_t>(level)](x, y) - wider(down[static_cast<size_t>(level) + 1]);
    Func next("up_" + std::to_string(level));
    next(x, y) = wider(up) + curve(clamp(cast<int>(detail * 128) + 128, 0, 255));
    if (level == 1)
      next.compute_at(output, y).store_root().vectorize(x, 8);
    else if (level > 0)
      next.compute_root().vectorize(x, 8);
    up = next;
  }
  output(x, y) = up(x, y);
  output.vectorize(x, 8);
  return {{output}, {input}, target};
}

/// Histogram equalisation and an embedded tone curve, with a producer that runs ahead of its rows.
Example equalise(const Target& target) {
  constexpr int kWidth = 64, kHeight = 48;
  const ImageParam input(Halide::UInt(8), 2, "input");
  const Buffer<uint8_t> tone = filled<uint8_t>({256}, "tone");
  const RDom r(0, kWidth, 0, kHeight, "r"), bins(1, 255, "bins");
  Func histogram("histogram"), sums("sums"), mapped("mapped"), output("equalise_output");
  const Var i("i"), row("row");
  histogram(i) = 0;
  histogram(cast<int>(input(r.x, r.y))) += 1;
  sums(i) = histogram(0);
  sums(bins) = sums(bins - 1) + histogram(bins);
  const Expr level = sums(cast<int>(input(x, y))) * 255 / (kWidth * kHeight);
  mapped(x, y) = tone(clamp(level, 0, 255));
  output(x, y) =
      cast<uint8_t>((cast<uint16_t>(mapped(x, y)) + mapped(x, y + 1) + mapped(x, y + 2)) / 3);
  histogram.compute_root().vectorize(i, 8);
  Func rows = histogram.update().rfactor(r.y, row);
  rows.compute_root().vectorize(i, 8).update().parallel(row);
  sums.compute_root();
  mapped.store_root().compute_at(output, y).async();
  output.vectorize(x, 16);
  return {{output}, {input}, target};
}

/// A 3x3 convolution layer of bytes: embedded weights, all of them read at constant indices.
Example layer(const Target& target) {
  constexpr int kIn = 2, kOut = 4;
  const ImageParam input(Halide::UInt(8), 4, "input");
  const Buffer<uint8_t> weights = filled<uint8_t>({kIn, 3, 3, kOut}, "weights");
  const Buffer<int32_t> bias = filled<int32_t>({kOut}, "bias");
  const RDom r(0, kIn, 0, 3, 0, 3, "r");
  Func sum("sum"), output("layer_output");
  sum(x, y, c, n) = bias(c);
  sum(x, y, c, n) += cast<int32_t>(input(x + r.y, y + r.z, r.x, n)) *
                     (cast<int32_t>(weights(r.x, r.y, r.z, c)) - 50);
  output(x, y, c, n) = cast<uint8_t>(clamp(sum(x, y, c, n) >> 8, 0, 255));
  output.bound(c, 0, kOut).reorder(c, x, y, n).unroll(c).vectorize(x, 8).parallel(y);
  sum.compute_at(output, x).vectorize(x, 8).unroll(c);
  sum.update().reorder(c, r.x, r.y, r.z, x).unroll(c).unroll(r.x).unroll(r.y).unroll(r.z);
  sum.update().vectorize(x, 8);
  return {{output}, {input}, target};
}

constexpr auto kOpenCL = Halide::DeviceAPI::OpenCL, kCUDA = Halide::DeviceAPI::CUDA,
               kVulkan = Halide::DeviceAPI::Vulkan;

/// Two kernels for a device, one of which looks up an embedded table; a third stage on the host.
Example on_device(const Target& target, Halide::DeviceAPI first, Halide::DeviceAPI second) {
  constexpr auto kTail = Halide::TailStrategy::Auto;
  const ImageParam input(Halide::Int(32), 2, "input");
  const Buffer<int32_t> table = filled<int32_t>({256}, "table");
  const Buffer<float> gain = filled<float>({4, 4}, "gain");
  Func looked_up("looked_up"), smooth("smooth"), output("device_output");
  looked_up(x, y) = table(clamp(input(x, y), 0, 255));
  smooth(x, y) = (looked_up(x, y) + looked_up(x + 1, y) + looked_up(x, y + 1)) / 3;
  output(x, y) = smooth(x, y) * gain(x % 4, y % 4);
  looked_up.compute_root().gpu_tile(x, y, xi, yi, 8, 8, kTail, first);
  smooth.compute_root().gpu_tile(x, y, xi, yi, 8, 8, kTail, second);
  output.vectorize(x, 8).parallel(y);
  return {{output}, {input}, target};
}

/// Two outputs of different types, two cases of which are compiled by themselves.
Example two_outputs(const Target& target) {
  const ImageParam input(Halide::UInt(8), 2, "input");
  const Param<bool> flip("flip");
  const Buffer<int16_t> offsets = filled<int16_t>({16, 16}, "offsets");
  Func shared("shared"), bright("bright_output"), edges("edges_output");
  shared(x, y) = cast<int16_t>(input(x, y)) + offsets(x % 16, y % 16);
  bright(x, y) = cast<uint8_t>(clamp(select(flip, 255 - shared(x, y), shared(x, y)), 0, 255));
  edges(x, y) = cast<float>(shared(x + 1, y) - shared(x, y));
  shared.compute_root().vectorize(x, 16);
  bright.specialize(flip).vectorize(x, 16);
  bright.specialize(input.width() >= 64).vectorize(x, 16).parallel(y);
  edges.vectorize(x, 8);
  return {{bright, edges}, {input, flip}, target};
}

/// One Func with two values, reduced over a window.
Example extremes(const Target& target) {
  const ImageParam input(Halide::Float(32), 2, "input");
  const Buffer<float> bias = filled<float>({5}, "bias");
  const RDom r(0, 5, "r");
  Func output("extremes_output");
  const Expr value = input(x + r, y) + bias(r);
  output(x, y) = Tuple(Expr(1e9f), Expr(-1e9f));
  output(x, y) = Tuple(min(output(x, y)[0], value), max(output(x, y)[1], value));
  output.vectorize(x, 8);
  output.update().specialize(input.dim(0).stride() == 1).vectorize(x, 8);
  return {{output}, {input}, target};
}

/// A buffer of every element type.
Example every_type(const Target& target) {
  constexpr int kSize = 37;
  Func output("types_output");
  Expr sum = cast<double>(0);
  const Expr i = clamp(x, 0, kSize - 1);
  const auto read = [&](const auto& buffer) { sum += cast<double>(buffer(i)); };
  read(filled<uint8_t>({kSize}, "u8"));
  read(filled<uint16_t>({kSize}, "u16"));
  read(filled<uint32_t>({kSize}, "u32"));
  read(filled<uint64_t>({kSize}, "u64"));
  read(filled<int8_t>({kSize}, "i8"));
  read(filled<int16_t>({kSize}, "i16"));
  read(filled<int32_t>({kSize}, "i32"));
  read(filled<int64_t>({kSize}, "i64"));
  read(filled<Halide::float16_t>({kSize}, "f16"));
  read(filled<Halide::bfloat16_t>({kSize}, "bf16"));
  read(filled<float>({kSize}, "f32"));
  read(filled<double>({kSize}, "f64"));
  read(filled<bool>({kSize}, "truth"));
  output(x) = sum;
  output.vectorize(x, 4);
  return {{output}, {}, target};
}

/// Buffers of 0 to 4 dimensions, all of which two stages read.
Example every_dimension(const Target& target) {
  const Buffer<float> d0 = filled<float>({}, "d0"), d1 = filled<float>({6}, "d1"),
                      d2 = filled<float>({6, 5}, "d2"), d3 = filled<float>({6, 5, 4}, "d3"),
                      d4 = filled<float>({6, 5, 4, 3}, "d4");
  const auto all = [&](const Expr& i) -> Expr {
    const Expr j = clamp(i, 0, 5);
    return d0(std::vector<Expr>{}) + d1(j) + d2(j, 4) + d3(j, y % 5, 3) + d4(j, y % 5, 0, y % 3);
  };
  Func first("first"), output("dimensions_output");
  first(x, y) = all(x);
  output(x, y) = first(x, y) * all(x + 1) + first(x + 1, y);
  first.compute_root().vectorize(x, 8);
  output.vectorize(x, 8).parallel(y);
  return {{output}, {}, target};
}

/// Buffers that do not begin at 0, or do not lie row by row without gaps.
Example every_layout(const Target& target) {
  Buffer<float> moved = filled<float>({8, 8}, "moved");
  moved.set_min(-4, -3);
  Buffer<uint8_t> interleaved = Buffer<uint8_t>::make_interleaved(8, 8, 3, "interleaved");
  interleaved.fill(3);
  Buffer<float> cropped = filled<float>({16, 16}, "cropped");
  cropped.crop({{4, 8}, {4, 8}});
  const Buffer<float> turned = filled<float>({8, 8}, "turned").transposed(0, 1);
  Func output("layouts_output");
  const Expr i = clamp(x, 0, 3), j = clamp(y, 0, 3);
  output(x, y) = moved(i - 2, j - 2) + interleaved(i, j, 2) + cropped(i + 5, j + 5) + turned(i, j);
  output.vectorize(x, 8).parallel(y);
  return {{output}, {}, target};
}

/// A stage of another make, which is handed an embedded buffer as a whole.
Example foreign_stage(const Target& target) {
  const Buffer<float> given = filled<float>({8, 8}, "given");
  Func foreign("foreign"), output("foreign_output");
  foreign.define_extern("some_other_code", {given, Expr(3)}, Halide::Float(32), {x, y});
  output(x, y) = foreign(x, y) * given(clamp(x, 0, 7), clamp(y, 0, 7));
  foreign.compute_root();
  output.vectorize(x, 8);
  return {{output}, {}, target};
}

/// Sums whose order matters, some of them bound to the order as written.
Example strict_sums(const Target& target) {
  const ImageParam input(Halide::Float(32), 1, "input");
  const Buffer<float> parts = filled<float>({8}, "parts");
  const RDom r(0, 8, "r");
  Func output("strict_output");
  const Expr twice = (input(x) + parts(x % 8)) - input(x);
  output(x) = Halide::strict_float(twice) + input(x) * 0.0f;
  output(x) += input(x + r) * parts(r) * 3.0f / 7.0f;
  output.vectorize(x, 8);
  output.update().atomic().vectorize(r, 8);
  return {{output}, {input}, target};
}

/// A sum over an embedded buffer of no element, with or without memory of its own.
Example empty_buffer(const Target& target, float* memory) {
  const ImageParam input(Halide::Float(32), 1, "input");
  const Buffer<float> empty = memory ? Buffer<float>(memory, {0, 4}, "empty")
                                     : Buffer<float>(std::vector<int>{0, 4}, "empty");
  const RDom r(0, 0, "r");
  Func output("empty_output");
  output(x) = input(x);
  output(x) += empty(r, clamp(x, 0, 3));
  output.vectorize(x, 8).update().unscheduled();
  return {{output}, {input}, target};
}

/// A stage for another processor, whose code is a module within the module.
Example on_hexagon(const Target& target) {
  const ImageParam input(Halide::UInt(8), 2, "input");
  const Buffer<uint8_t> table = filled<uint8_t>({256}, "table");
  Func looked_up("looked_up"), output("hexagon_output");
  looked_up(x, y) = table(input(x, y));
  output(x, y) = looked_up(x, y) + looked_up(x, y + 1);
  looked_up.compute_root().hexagon().vectorize(x, 128);
  output.vectorize(x, 16);
  return {{output}, {input}, target};
}

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
/// Those that search less, and those that make another listing.
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

  /// All pages say the same. `lines` and `jumps` are at least so many, so that there is something
  /// to compare.
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

  /// All say the same of what Halide refuses.
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
/// one call crashes on such a module, so there is no page to compare with.)
TEST_F(Examples, ModuleWithinTheModule) {
  const Halide::Module module = module_of(on_hexagon(bare({Target::HVX_128, Target::HVX_v66})));
  ASSERT_FALSE(module.submodules().empty());
  const std::string listing = (folder_ / "l.s").string();
  EXPECT_NO_THROW(patches::halide::write_listing(module, listing, kEveryPatch));
  EXPECT_THAT(read(listing), testing::HasSubstr("halide_hexagon_code"));
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

/// A stub has an element and memory, so Halide would not refuse it.
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
