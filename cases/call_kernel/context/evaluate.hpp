#pragma once

#include <algorithm>
#include <vector>

#include "cases/call_kernel/circuit/kernel.hpp"
#include "cases/call_kernel/context/errors.hpp"
#include "cases/call_kernel/context/growing_array.hpp"
#include "cases/call_kernel/context/hints.hpp"

namespace zk {

/// One lane at a time: the operands are unpacked, the function is called once for each lane.
template <typename Packed, typename Scalar>
void evaluate_hint(const Instruction<Scalar>& instruction, const HintCaller<Scalar>& hints,
                   GrowingArray<Packed>& values) {
  const auto ids = instruction.inputs();
  std::vector<std::vector<Scalar>> inputs(Packed::kLanes), outputs(Packed::kLanes);
  for (size_t lane = 0; lane < Packed::kLanes; ++lane) {
    for (const Id id : ids) inputs[lane].push_back(values[id].lane(lane));
    outputs[lane].resize(instruction.outputs());
    hints.call(instruction.id(), inputs[lane], outputs[lane]);
  }
  for (size_t i = 0; i < instruction.outputs(); ++i) {
    Packed packed;
    for (size_t lane = 0; lane < Packed::kLanes; ++lane) packed.set_lane(lane, outputs[lane][i]);
    values.push_back(packed);
  }
}

/// The outputs of one circuit, all lanes at once, in one pass over the instructions and without a
/// look at constraints, as upstream's eval_safe_simd: a full multiplication for every term, one
/// growing vector of values, a result without reserved capacity. Throws UserError on a random
/// coefficient or an unknown hint, Panic on a custom gate.
template <typename Packed, typename Scalar>
[[nodiscard]] GrowingArray<Packed> evaluate_circuit(const RootCircuit<Scalar>& root,
                                                    std::uint64_t circuit_id,
                                                    std::span<const Packed> inputs,
                                                    const HintCaller<Scalar>& hints) {
  const Circuit<Scalar>& circuit = root.circuits.at(circuit_id);
  GrowingArray<Packed> values;
  values.reserve(inputs.size() + 1);
  values.push_back(Packed());
  values.append(inputs);
  const Packed one(Scalar(1));
  for (const Instruction<Scalar>& instruction : circuit.instructions) {
    switch (instruction.kind()) {
      case Kind::lin_comb: {
        Packed sum = one * Packed(instruction.constant());
        for (const Term<Scalar>& term : instruction.terms()) {
          sum = sum + values[term.variable] * Packed(term.coefficient);
        }
        values.push_back(sum);
        break;
      }
      case Kind::mul: {
        const auto factors = instruction.inputs();
        Packed product = values[factors[0]];
        for (const Id factor : factors.subspan(1)) product = product * values[factor];
        values.push_back(product);
        break;
      }
      case Kind::hint:
        evaluate_hint(instruction, hints, values);
        break;
      case Kind::constant_like:
        if (instruction.coefficient() == Coefficient::random) {
          throw UserError("random coef occured in witness solver");
        }
        if (instruction.coefficient() == Coefficient::public_input) {
          throw InternalError("a kernel has no public inputs");
        }
        values.push_back(one * Packed(instruction.constant()));
        break;
      case Kind::sub_circuit_call: {
        GrowingArray<Packed> arguments;
        for (const Id id : instruction.inputs()) arguments.push_back(values[id]);
        values.append(evaluate_circuit<Packed>(root, instruction.id(), arguments, hints));
        break;
      }
      case Kind::custom_gate:
        throw Panic("CustomGate currently unsupported");
    }
  }
  GrowingArray<Packed> results;
  for (const Id output : circuit.outputs) results.push_back(values[output]);
  return results;
}

/// The outputs of a whole kernel for the root's `inputs`.
template <typename Packed, typename Scalar>
[[nodiscard]] GrowingArray<Packed> eval_safe_simd(const RootCircuit<Scalar>& circuits,
                                                  const std::vector<Packed>& inputs,
                                                  const HintCaller<Scalar>& hints) {
  return evaluate_circuit<Packed>(circuits, 0, inputs, hints);
}

}  // namespace zk
