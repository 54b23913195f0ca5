#include "cases/call_kernel/builder/compile.hpp"

#include "cases/call_kernel/field/bn254.hpp"
#include "cases/call_kernel/field/m31.hpp"

namespace zk {
namespace {

std::uint64_t elements(const Shape& shape) {
  std::uint64_t product = 1;
  for (const std::uint64_t size : shape) {
    if (size == 0) throw BuildError("a dimension of 0 in the shape " + text(shape));
    if (product > 0xffffffff / size) throw BuildError("too many elements in " + text(shape));
    product *= size;
  }
  return product;
}

void join_chains(Program& program, Coefficients& coefficients) {
  for (auto& [id, draft] : program) join_chains(draft, coefficients);
}

/// From the recorded source to normal forms, all passes to their fixed point.
void optimize(Program& program, Coefficients& coefficients) {
  // What a pass leaves it would leave again, so upstream's "until nothing changes" is this:
  join_chains(program, coefficients);
  if (remove_unreachable(program)) join_chains(program, coefficients);
  copy_repeated_outputs(program.at(0));
  for (auto& [id, draft] : program) draft = normal_forms(draft, coefficients);
  (void)remove_unreachable(program);
  copy_repeated_outputs(program.at(0));
}

template <typename Scalar>
Circuit<Scalar> finished(const Draft& draft, const CoefficientTable<Scalar>& coefficients) {
  Circuit<Scalar> circuit;
  circuit.num_inputs = draft.num_inputs();
  circuit.instructions.reserve([&] {
    size_t count = 0;
    for (Slot slot = draft.num_inputs() + 1; slot < draft.num_slots(); ++slot) {
      count += draft.op(slot) != Op::more_outputs;
    }
    return count;
  }());
  // Slots and variables differ once an instruction has no output.
  std::vector<Id> variables;
  Id without_output = 0;
  const auto variable = [&](Slot slot) { return variables.empty() ? slot : variables[slot]; };
  std::vector<Term<Scalar>> terms;
  std::vector<Id> inputs;
  for (Slot slot = draft.num_inputs() + 1; slot < draft.num_slots(); ++slot) {
    const Op op = draft.op(slot);
    if (!variables.empty()) variables.push_back(slot - without_output);
    if (op == Op::more_outputs) continue;
    if (op == Op::random) {
      circuit.instructions.push_back(Instruction<Scalar>::random());
      continue;
    }
    if (op == Op::lin_comb) {
      terms.clear();
      for (size_t i = 0, n = draft.num_terms(slot); i < n; ++i) {
        const DraftTerm term = draft.term(slot, i);
        terms.push_back({variable(term.slot), coefficients.element(term.coefficient)});
      }
      circuit.instructions.push_back(
          Instruction<Scalar>::lin_comb(terms, coefficients.element(draft.constant(slot))));
      continue;
    }
    inputs.clear();
    for (const Slot input : draft.inputs(slot)) inputs.push_back(variable(input));
    if (op == Op::mul) {
      circuit.instructions.push_back(Instruction<Scalar>::mul(inputs));
      continue;
    }
    const std::uint32_t outputs = draft.num_outputs(slot);
    circuit.instructions.push_back(
        op == Op::hint ? Instruction<Scalar>::hint(draft.id(slot), inputs, outputs)
                       : Instruction<Scalar>::sub_circuit_call(draft.id(slot), inputs, outputs));
    if (outputs == 0) {
      if (variables.empty()) {
        for (Slot before = 0; before <= slot; ++before) variables.push_back(before);
      }
      ++without_output;
    }
  }
  for (const Slot slot : draft.outputs) circuit.outputs.push_back(variable(slot));
  for (const DraftConstraint& constraint : draft.constraints) {
    circuit.constraints.push_back(variable(constraint.slot));
  }
  return circuit;
}

template <typename Scalar>
RootCircuit<Scalar> finished(const Program& program, const CoefficientTable<Scalar>& coefficients) {
  RootCircuit<Scalar> root;
  for (const auto& [id, draft] : program) root.circuits[id] = finished(draft, coefficients);
  return root;
}

}  // namespace

template <typename Scalar>
Kernel<Scalar> compile(const Source<Scalar>& source) {
  Kernel<Scalar> kernel;
  CoefficientTable<Scalar> coefficients;
  Program program;
  Builder<Scalar> builder(program, coefficients, 0);
  Draft& root = program.at(0);
  std::uint64_t num_inputs = 0, num_expected = 0;
  for (const IoDeclaration& io : source.ios) {
    const std::uint64_t size = elements(io.shape);
    const bool is_input = io.direction != Direction::output;
    const bool is_output = io.direction != Direction::input;
    kernel.io_specs.push_back({size, is_input, is_output});
    kernel.io_shapes.push_back(io.shape);
    kernel.ir_input_offsets.push_back(num_inputs);
    kernel.ir_output_offsets.push_back(num_expected);
    if (is_input) num_inputs += size;
    if (is_output) num_expected += size;
  }
  kernel.ir_input_offsets.push_back(num_inputs);
  kernel.ir_output_offsets.push_back(num_expected);
  for (std::uint64_t& offset : kernel.ir_output_offsets) offset += num_inputs;

  if (num_inputs + num_expected > 0xffffffff) throw BuildError("more than 2^32 inputs and outputs");
  root.add_inputs(static_cast<Slot>(num_inputs + num_expected));
  typename Source<Scalar>::Ios ios(source.ios.size());
  for (size_t i = 0; i < ios.size(); ++i) {
    const IoSpec& spec = kernel.io_specs[i];
    ios[i].reserve(spec.len);
    for (std::uint64_t j = 0; j < spec.len; ++j) {
      ios[i].push_back(spec.is_input
                           ? Variable{static_cast<Slot>(kernel.ir_input_offsets[i] + j + 1)}
                           : builder.constant(0));
    }
  }
  source.body(builder, ios);
  for (Slot input = 1; input <= num_inputs; ++input) root.outputs.push_back(input);
  for (size_t i = 0; i < ios.size(); ++i) {
    if (!kernel.io_specs[i].is_output) continue;
    for (std::uint64_t j = 0; j < kernel.io_specs[i].len; ++j) {
      builder.assert_is_equal(ios[i][j], {static_cast<Slot>(kernel.ir_output_offsets[i] + j + 1)});
      root.outputs.push_back(ios[i][j].slot);
    }
  }
  ios = {};

  optimize(program, coefficients);
  kernel.ir_for_later_compilation = finished<Scalar>(program, coefficients);
  program.at(0).constraints.clear();
  (void)remove_unreachable(program);
  kernel.ir_for_calling = finished<Scalar>(program, coefficients);
  return kernel;
}

template Kernel<M31> compile(const Source<M31>&);
template Kernel<Bn254> compile(const Source<Bn254>&);

}  // namespace zk
