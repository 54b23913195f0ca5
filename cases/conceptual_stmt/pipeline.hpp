#pragma once

/// The pipeline whose compilation is measured.

#include <Halide.h>

#include <functional>
#include <string>
#include <vector>

/// stage_i(x, y) = sum over r of stage_(i-1)(r, y) * weights_i(x, r), then output(x, y) =
/// max(stage_n(x, y), 0). Each weights_i is width x height float32: embedded in the code
/// (`Buffer`), or a parameter (`ImageParam`).
struct Pipeline {
  Halide::Func output;
  std::vector<Halide::Argument> arguments;
  Halide::ImageParam input;                         ///< height x any, float32
  std::vector<Halide::Buffer<float>> weights = {};  ///< the embedded ones, or those bound
  std::vector<Halide::ImageParam> parameters = {};  ///< empty with embedded weights
};

struct Size {
  int width = 0, height = 0;
};

/// "3072x2048"
[[nodiscard]] Size parse_size(const std::string& text);

/// The target of the code, by the cases' axis `target`: "host" is this machine; any other word is
/// Halide's name of a target, such as "arm-64-osx" (Apple M1). Halide makes such code on any
/// machine, and nothing here runs it.
[[nodiscard]] Halide::Target target_named(const std::string& name);

/// The words beside that axis, for lists and reports.
inline constexpr const char* kTargetWords =
    "arm-64-osx: Apple M1 code; on x86 that is x86 host, M1 target";

enum class Weights { embedded, parameters };

/// Normal values with deviation 0.02, seeded by the stage's number.
[[nodiscard]] Halide::Buffer<float> random_weights(int width, int height, int stage);

/// `stages` >= 1, `width` and `height` >= 8, `height` <= `width`. Every stage is vectorised in x
/// and parallel in y.
[[nodiscard]] Pipeline make_pipeline(
    int stages, int width, int height, Weights weights,
    const std::function<decltype(random_weights)>& embedded = random_weights);

/// The other shape: all matrices in one Func. stage_1(x, y) = sum over r of the sum over i of
/// input(r, y + i) * weights_i(x, r), then output as above.
[[nodiscard]] Pipeline make_one_func(int matrices, int width, int height);

/// Draws the weights of a pipeline with parameters, as the embedded ones are drawn, and sets them.
void bind_weights(Pipeline& pipeline, int width, int height);
