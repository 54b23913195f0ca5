#pragma once

/// Kernels as finished circuits, written instruction by instruction: nothing is compiled. Where
/// upstream's compiler joins, copies or drops instructions, a kernel here emits what it leaves.

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cases/call_kernel/circuit/kernel.hpp"

namespace zk {

/// No kernel has this name, these dims or these shapes.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Direction { input, output, input_output };

struct IoDeclaration {
  Shape shape;
  Direction direction = Direction::input;
};

template <typename Scalar>
using Terms = std::vector<Term<Scalar>>;

/// Appends instructions to one circuit; each call returns the variable that its instruction makes.
/// Operands take heap blocks in the order of the instructions. A caller reserves its own lists
/// before, so that the blocks lie one behind the other, as in a clone of a compiled kernel.
template <typename Scalar>
class Emitter {
 public:
  Emitter(std::uint64_t num_inputs, size_t instructions) : next_(num_inputs + 1) {
    circuit_.num_inputs = num_inputs;
    circuit_.instructions.reserve(instructions);
  }

  Id lin_comb(std::span<const Term<Scalar>> terms, const Scalar& constant = Scalar(0)) {
    return append(Instruction<Scalar>::lin_comb(terms, constant));
  }
  Id lin_comb(std::initializer_list<Term<Scalar>> terms, const Scalar& constant = Scalar(0)) {
    return lin_comb(std::span(terms.begin(), terms.size()), constant);
  }
  Id mul(std::initializer_list<Id> factors) {
    return append(Instruction<Scalar>::mul({factors.begin(), factors.size()}));
  }
  /// An empty linear combination, as the compiler leaves constants.
  Id constant(const Scalar& value) { return lin_comb({}, value); }
  /// A linear combination of one variable, as the compiler leaves a repeated expression.
  Id copy(Id variable) { return lin_comb({{variable, Scalar(1)}}); }
  /// The first variable that the instruction makes.
  Id append(Instruction<Scalar> instruction) {
    const Id first = next_;
    next_ += instruction.outputs();
    circuit_.instructions.push_back(std::move(instruction));
    return first;
  }

  void assert_zero(Id variable) { circuit_.constraints.push_back(variable); }

  /// The circuit with these outputs; call it last.
  [[nodiscard]] Circuit<Scalar> finished(std::vector<Id> outputs) {
    circuit_.outputs = std::move(outputs);
    return std::move(circuit_);
  }

 private:
  Circuit<Scalar> circuit_;
  Id next_;
};

/// Overwrites `terms` with those of a sum of products that starts at 0 and adds product(i) from the
/// left: t0, zero, t1, t2, ... Emits the zero and the products.
template <typename Scalar, typename Product>
void emit_products(Emitter<Scalar>& e, Terms<Scalar>& terms, const Scalar& coefficient,
                   std::uint64_t count, const Product& product) {
  terms.clear();
  const Id zero = e.constant(Scalar(0));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto [x, y] = product(i);
    terms.push_back({e.mul({x, y}), coefficient});
    if (i == 0) terms.push_back({zero, coefficient});
  }
}

/// The sum itself; `terms` is scratch. A sum of one product is a copy of it, and its zero is
/// dropped.
template <typename Scalar, typename Product>
Id emit_sum(Emitter<Scalar>& e, Terms<Scalar>& terms, std::uint64_t count, const Product& product) {
  if (count == 1) {
    const auto [x, y] = product(0);
    return e.copy(e.mul({x, y}));
  }
  emit_products(e, terms, Scalar(1), count, product);
  return e.lin_comb(terms);
}

/// A kernel without circuits: specs, shapes and offsets of its ios. Throws KernelError.
template <typename Scalar>
[[nodiscard]] Kernel<Scalar> with_ios(const std::vector<IoDeclaration>& ios) {
  constexpr std::uint64_t kMost = 0xffffffff;
  Kernel<Scalar> kernel;
  std::uint64_t inputs = 0, outputs = 0;
  for (const auto& [shape, direction] : ios) {
    std::uint64_t elements = 1;
    for (const std::uint64_t size : shape) {
      if (size == 0) throw KernelError("a dimension of 0 in the shape " + text(shape));
      if (size > kMost / elements) throw KernelError("too many elements in " + text(shape));
      elements *= size;
    }
    const bool is_input = direction != Direction::output;
    const bool is_output = direction != Direction::input;
    kernel.io_specs.push_back({elements, is_input, is_output});
    kernel.io_shapes.push_back(shape);
    kernel.ir_input_offsets.push_back(inputs);
    kernel.ir_output_offsets.push_back(outputs);
    if (is_input) inputs += elements;
    if (is_output) outputs += elements;
  }
  if (inputs + outputs > kMost) throw KernelError("more than 2^32 inputs and outputs");
  kernel.ir_input_offsets.push_back(inputs);
  kernel.ir_output_offsets.push_back(outputs);
  for (std::uint64_t& offset : kernel.ir_output_offsets) offset += inputs;
  return kernel;
}

/// A kernel whose body(emitter) emits so many `instructions` and returns the outputs' variables, in
/// the order of the ios. The later circuit has one more input for each output, its expected value,
/// and a constraint that the two agree. Without outputs the calling circuit is empty.
template <typename Scalar, typename Body>
[[nodiscard]] Kernel<Scalar> emitted(const std::vector<IoDeclaration>& ios, size_t instructions,
                                     const Body& body) {
  Kernel<Scalar> kernel = with_ios<Scalar>(ios);
  const std::uint64_t inputs = kernel.ir_input_offsets.back();
  const std::uint64_t outputs = kernel.ir_output_offsets.back() - inputs;
  const auto finished = [&](Emitter<Scalar>& e, const std::vector<Id>& results) {
    std::vector<Id> exported(inputs);  // every input is an output too
    std::iota(exported.begin(), exported.end(), Id{1});
    exported.insert(exported.end(), results.begin(), results.end());
    return e.finished(std::move(exported));
  };
  Emitter<Scalar> later(inputs + outputs, instructions + outputs);
  std::vector<Id> results = body(later);
  for (std::uint64_t i = 0; i < outputs; ++i) {
    const Id expected = inputs + 1 + i;
    later.assert_zero(later.lin_comb({{results[i], Scalar(1)}, {expected, -Scalar(1)}}));
  }
  kernel.ir_for_later_compilation.circuits[0] = finished(later, results);
  Emitter<Scalar> calling(inputs, outputs ? instructions : 0);
  if (outputs) results = body(calling);
  kernel.ir_for_calling.circuits[0] = finished(calling, results);
  return kernel;
}

}  // namespace zk
