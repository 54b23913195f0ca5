#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cases/call_kernel/circuit/instruction.hpp"

namespace zk {

using Shape = std::vector<std::uint64_t>;  ///< outermost dimension first; {} is a scalar

/// "[2, 3]".
[[nodiscard]] inline std::string text(const Shape& shape) {
  std::string result = "[";
  for (const std::uint64_t size : shape) {
    if (result.size() > 1) result += ", ";
    result += std::to_string(size);
  }
  return result + "]";
}

template <typename Sink>
void write_to(Sink& sink, const std::vector<std::uint64_t>& integers) {
  sink.u64(integers.size());
  sink.bytes(integers.data(), integers.size() * sizeof(std::uint64_t));
}

/// The members of each of these stand in the order in which upstream hashes and compares them.
template <typename Scalar>
struct Circuit {
  std::vector<Instruction<Scalar>> instructions;
  std::vector<Id> constraints;  ///< variables that must be zero
  std::vector<Id> outputs;
  std::uint64_t num_inputs = 0;

  friend bool operator==(const Circuit&, const Circuit&) = default;
  template <typename Sink>
  void write_to(Sink& sink) const {
    sink.u64(instructions.size());
    for (const auto& instruction : instructions) instruction.write_to(sink);
    zk::write_to(sink, constraints);
    zk::write_to(sink, outputs);
    sink.u64(num_inputs);
  }
};

template <typename Scalar>
struct RootCircuit {
  std::uint64_t num_public_inputs = 0;
  std::uint64_t expected_num_output_zeroes = 0;
  std::map<std::uint64_t, Circuit<Scalar>> circuits;  ///< the root is 0; hashed in ascending order

  [[nodiscard]] const Circuit<Scalar>& root() const { return circuits.at(0); }
  friend bool operator==(const RootCircuit&, const RootCircuit&) = default;
  template <typename Sink>
  void write_to(Sink& sink) const {
    sink.u64(num_public_inputs);
    sink.u64(expected_num_output_zeroes);
    for (const auto& [id, circuit] : circuits) {
      sink.u64(id);
      circuit.write_to(sink);
    }
  }
};

struct IoSpec {
  std::uint64_t len = 0;  ///< elements
  bool is_input = false;
  bool is_output = false;

  friend bool operator==(const IoSpec&, const IoSpec&) = default;
  template <typename Sink>
  void write_to(Sink& sink) const {
    sink.u64(len);
    sink.u8(is_input);
    sink.u8(is_output);
  }
};

/// A compiled kernel, as `call_kernel` is given it.
template <typename Scalar>
struct Kernel {
  RootCircuit<Scalar> ir_for_later_compilation;  ///< with the constraints, for the proof
  RootCircuit<Scalar> ir_for_calling;            ///< what is evaluated at a call
  std::vector<std::uint64_t> ir_input_offsets;   ///< one more than ios; of each io's real inputs
  std::vector<std::uint64_t> ir_output_offsets;  ///< one more than ios; start behind the inputs
  std::vector<IoSpec> io_specs;
  std::vector<Shape> io_shapes;

  friend bool operator==(const Kernel&, const Kernel&) = default;
  template <typename Sink>
  void write_to(Sink& sink) const {
    ir_for_later_compilation.write_to(sink);
    ir_for_calling.write_to(sink);
    zk::write_to(sink, ir_input_offsets);
    zk::write_to(sink, ir_output_offsets);
    sink.u64(io_specs.size());
    for (const IoSpec& spec : io_specs) spec.write_to(sink);
    sink.u64(io_shapes.size());
    for (const Shape& shape : io_shapes) zk::write_to(sink, shape);
  }
};

}  // namespace zk
