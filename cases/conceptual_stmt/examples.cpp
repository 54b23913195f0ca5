#include "cases/conceptual_stmt/examples.hpp"

#include <random>
#include <string>

namespace {

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

template <typename T>
Buffer<T> filled(const std::vector<int>& sizes, const std::string& name) {
  Buffer<T> buffer(sizes, name);
  std::mt19937 random(static_cast<unsigned>(sizes.size()));
  buffer.for_each_value(
      [&](T& value) { value = static_cast<T>(static_cast<float>(1 + random() % 100)); });
  return buffer;
}

const Var x("x"), y("y"), c("c"), n("n"), xi("xi"), yi("yi");

}  // namespace

Target with_runtime(const std::vector<Target::Feature>& features) {
  Target target("x86-64-linux-sse41-avx-avx2-f16c-fma");
  for (const Target::Feature feature : features) target.set_feature(feature);
  return target;
}

Target bare(const std::vector<Target::Feature>& features) {
  return with_runtime(features).with_feature(Target::NoRuntime);
}

Example blur(const Target& target, Taps taps) {
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

Example foreign_stage(const Target& target) {
  const Buffer<float> given = filled<float>({8, 8}, "given");
  Func foreign("foreign"), output("foreign_output");
  foreign.define_extern("some_other_code", {given, Expr(3)}, Halide::Float(32), {x, y});
  output(x, y) = foreign(x, y) * given(clamp(x, 0, 7), clamp(y, 0, 7));
  foreign.compute_root();
  output.vectorize(x, 8);
  return {{output}, {}, target};
}

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
