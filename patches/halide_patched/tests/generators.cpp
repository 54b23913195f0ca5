// Generators of the shapes that pages are asked of beside other outputs, as programs that take
// Halide's usual arguments (-g NAME -e OUTPUTS -o FOLDER target=...): for the comparison of plain
// and patched runs.
#include <Halide.h>

namespace {

using namespace Halide;

/// A separable filter of nine taps with a clamped edge: one output, two stages, plenty of code.
class Smooth : public Generator<Smooth> {
 public:
  Input<Buffer<uint8_t, 2>> input{"input"};
  Output<Buffer<uint8_t, 2>> output{"output"};

  void generate() {
    constexpr int kTaps[] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
    Func clamped = BoundaryConditions::repeat_edge(input);
    Expr down = cast<uint16_t>(0), across = cast<uint32_t>(0);
    for (int i = 0; i < 9; ++i) {
      down += cast<uint16_t>(clamped(x_, y_ + i - 4)) * cast<uint16_t>(kTaps[i]);
    }
    rows_(x_, y_) = down;
    for (int i = 0; i < 9; ++i) {
      across += cast<uint32_t>(rows_(x_ + i - 4, y_)) * cast<uint32_t>(kTaps[i]);
    }
    output(x_, y_) = cast<uint8_t>(across >> 16);
    output.split(y_, y_, yi_, 32).parallel(y_).vectorize(x_, natural_vector_size<uint16_t>());
    rows_.store_at(output, y_).compute_at(output, yi_).vectorize(x_, 16);
  }

 private:
  Var x_{"x"}, y_{"y"}, yi_{"yi"};
  Func rows_{"rows"};
};

/// A pyramid of blurs, each an output of its own: many loops, many stages.
class Pyramid : public Generator<Pyramid> {
 public:
  Input<Buffer<float, 2>> input{"input"};
  Output<Buffer<float, 2>> fine{"fine"}, middle{"middle"}, coarse{"coarse"};

  void generate() {
    Func start = BoundaryConditions::mirror_interior(input);
    fine(x_, y_) = blurred(start)(x_, y_);
    middle(x_, y_) = blurred(halved(blurred(start)))(x_, y_);
    coarse(x_, y_) = blurred(halved(blurred(halved(start))))(x_, y_);
    for (Func level : {Func(fine), Func(middle), Func(coarse)}) {
      level.vectorize(x_, 8, TailStrategy::GuardWithIf).parallel(y_);
    }
  }

 private:
  Func blurred(Func of) {
    Func across("across"), both("both");
    across(x_, y_) = (of(x_ - 1, y_) + 2 * of(x_, y_) + of(x_ + 1, y_)) / 4;
    both(x_, y_) = (across(x_, y_ - 1) + 2 * across(x_, y_) + across(x_, y_ + 1)) / 4;
    across.compute_root().vectorize(x_, 8).parallel(y_);
    both.compute_root().vectorize(x_, 8).parallel(y_);
    return both;
  }

  Func halved(Func of) {
    Func small("small");
    small(x_, y_) = (of(2 * x_, 2 * y_) + of(2 * x_ + 1, 2 * y_ + 1)) / 2;
    small.compute_root().vectorize(x_, 8);
    return small;
  }

  Var x_{"x"}, y_{"y"};
};

/// A layer with an embedded matrix of `width` x 512 values.
class Layer : public Generator<Layer> {
 public:
  GeneratorParam<int> width{"width", 768};
  Input<Buffer<float, 2>> input{"input"};
  Output<Buffer<float, 2>> output{"output"};

  void generate() {
    constexpr int kHeight = 512;
    Buffer<float> weights(width, kHeight, "weights");
    weights.for_each_element(
        [&](int x, int y) { weights(x, y) = static_cast<float>((x * 37 + y * 101) % 251) / 251; });
    Var x("x"), y("y");
    RDom r(0, kHeight, "r");
    Func product("product");
    product(x, y) = 0.0f;
    product(x, y) += input(r, y) * weights(x, r);
    product.compute_root().vectorize(x, 8).parallel(y);
    product.update().reorder(x, r, y).vectorize(x, 8).parallel(y);
    output(x, y) = max(product(x, y), 0.0f);
    output.vectorize(x, 8);
  }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Smooth, smooth)
HALIDE_REGISTER_GENERATOR(Pyramid, pyramid)
HALIDE_REGISTER_GENERATOR(Layer, layer)

int main(int argc, char** argv) { return Halide::Internal::generate_filter_main(argc, argv); }
