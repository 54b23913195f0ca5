#pragma once

/// Pipelines like those of Halide's tutorials and applications, for the tests.

#include <Halide.h>

#include <vector>

struct Example {
  std::vector<Halide::Func> outputs;
  std::vector<Halide::Argument> arguments;
  Halide::Target target;
};

enum class Taps { looped, unrolled };

/// One target for all machines: the pages are the same everywhere, nothing is run, and the oracle
/// reads this assembly.
[[nodiscard]] Halide::Target with_runtime(
    const std::vector<Halide::Target::Feature>& features = {});

/// Without Halide's runtime, which takes most of the time: for what does not depend on it.
[[nodiscard]] Halide::Target bare(const std::vector<Halide::Target::Feature>& features = {});

/// A 3x3 blur with an embedded kernel, in tiles: with the loops over the kernel in a parallel loop,
/// or with every tap at a constant index in the function itself.
[[nodiscard]] Example blur(const Halide::Target& target, Taps taps = Taps::looped);

/// Level by level down, the details through an embedded curve, and up again.
[[nodiscard]] Example pyramid(const Halide::Target& target, int levels);

/// Histogram equalisation and an embedded tone curve, with a producer that runs ahead of its rows.
[[nodiscard]] Example equalise(const Halide::Target& target);

/// A 3x3 convolution layer of bytes: embedded weights, all of them read at constant indices.
[[nodiscard]] Example layer(const Halide::Target& target);

/// Two kernels for a device, one of which looks up an embedded table; a third stage on the host.
[[nodiscard]] Example on_device(const Halide::Target& target, Halide::DeviceAPI first,
                                Halide::DeviceAPI second);

/// Two outputs of different types, two cases of which are compiled by themselves.
[[nodiscard]] Example two_outputs(const Halide::Target& target);

/// One Func with two values, reduced over a window.
[[nodiscard]] Example extremes(const Halide::Target& target);

/// A buffer of every element type.
[[nodiscard]] Example every_type(const Halide::Target& target);

/// Buffers of 0 to 4 dimensions, all of which two stages read.
[[nodiscard]] Example every_dimension(const Halide::Target& target);

/// Buffers that do not begin at 0, or do not lie row by row without gaps.
[[nodiscard]] Example every_layout(const Halide::Target& target);

/// A stage of another make, which is handed an embedded buffer as a whole.
[[nodiscard]] Example foreign_stage(const Halide::Target& target);

/// Sums whose order matters, some of them bound to the order as written.
[[nodiscard]] Example strict_sums(const Halide::Target& target);

/// A sum over an embedded buffer of no element, with or without memory of its own.
[[nodiscard]] Example empty_buffer(const Halide::Target& target, float* memory);

/// A stage for another processor, whose code is a module within the module.
[[nodiscard]] Example on_hexagon(const Halide::Target& target);
