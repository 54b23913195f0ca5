#pragma once

#include <functional>
#include <vector>

#include "cases/call_kernel/builder/builder.hpp"

namespace zk {

enum class Direction { input, output, input_output };

struct IoDeclaration {
  Shape shape;
  Direction direction = Direction::input;
};

/// A kernel in source form: its ios, and a function that is given each io's elements (row-major)
/// and assigns those of outputs.
template <typename Scalar>
struct Source {
  using Ios = std::vector<std::vector<Variable>>;

  std::vector<IoDeclaration> ios;
  std::function<void(Builder<Scalar>&, Ios&)> body;
};

/// Compiles. The later circuit has, behind the real inputs, one input for each expected output, and
/// a constraint that the two agree. Throws BuildError.
template <typename Scalar>
[[nodiscard]] Kernel<Scalar> compile(const Source<Scalar>& source);

}  // namespace zk
