#include "cases/conceptual_stmt/pipeline.hpp"

#include <random>

using Halide::Buffer;
using Halide::Func;
using Halide::ImageParam;
using Halide::RDom;
using Halide::Var;

namespace {

constexpr int kLanes = 8;

}  // namespace

Buffer<float> random_weights(int width, int height, int stage) {
  constexpr float kDeviation = 0.02f;
  Buffer<float> weights(width, height, "weights_" + std::to_string(stage));
  std::mt19937 random(static_cast<unsigned>(stage));
  std::normal_distribution<float> normal(0, kDeviation);
  for (float& value : weights) value = normal(random);
  return weights;
}

Size parse_size(const std::string& text) {
  const size_t x = text.find('x');
  return {std::stoi(text.substr(0, x)), std::stoi(text.substr(x + 1))};
}

Halide::Target target_named(const std::string& name) {
  return name == "host" ? Halide::get_host_target() : Halide::Target(name);
}

Pipeline make_pipeline(int stages, int width, int height, Weights kind,
                       const std::function<decltype(random_weights)>& embedded) {
  const ImageParam input(Halide::Float(32), 2, "input");
  Pipeline pipeline{Func("output"), {input}, input};
  Var x("x"), y("y");
  Func previous("input_as_func");
  previous(x, y) = input(x, y);
  for (int stage = 1; stage <= stages; ++stage) {
    const std::string number = std::to_string(stage);
    const RDom r(0, height, "r" + number);
    Func next("stage_" + number);
    next(x, y) = 0.0f;
    if (kind == Weights::embedded) {
      pipeline.weights.push_back(embedded(width, height, stage));
      next(x, y) += previous(r, y) * pipeline.weights.back()(x, r);
    } else {
      const ImageParam weights(Halide::Float(32), 2, "weights_" + number);
      pipeline.arguments.push_back(weights);
      pipeline.parameters.push_back(weights);
      next(x, y) += previous(r, y) * weights(x, r);
    }
    next.compute_root().vectorize(x, kLanes).parallel(y);
    next.update().reorder(x, r, y).vectorize(x, kLanes).parallel(y);
    previous = next;
  }
  pipeline.output(x, y) = Halide::max(previous(x, y), 0.0f);
  pipeline.output.vectorize(x, kLanes).parallel(y);
  return pipeline;
}

Pipeline make_one_func(int matrices, int width, int height) {
  const ImageParam input(Halide::Float(32), 2, "input");
  Pipeline pipeline{Func("output"), {input}, input};
  Var x("x"), y("y");
  const RDom r(0, height, "r1");
  Func sums("stage_1");
  Halide::Expr products = 0.0f;
  for (int i = 1; i <= matrices; ++i) {
    pipeline.weights.push_back(random_weights(width, height, i));
    products += input(r, y + i) * pipeline.weights.back()(x, r);
  }
  sums(x, y) = 0.0f;
  sums(x, y) += products;
  sums.compute_root().vectorize(x, kLanes).parallel(y);
  sums.update().reorder(x, r, y).vectorize(x, kLanes).parallel(y);
  pipeline.output(x, y) = Halide::max(sums(x, y), 0.0f);
  pipeline.output.vectorize(x, kLanes).parallel(y);
  return pipeline;
}

void bind_weights(Pipeline& pipeline, int width, int height) {
  int stage = 0;
  for (ImageParam& parameter : pipeline.parameters) {
    pipeline.weights.push_back(random_weights(width, height, ++stage));
    parameter.set(pipeline.weights.back());
  }
}
