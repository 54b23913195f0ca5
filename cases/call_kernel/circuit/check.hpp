#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cases/call_kernel/circuit/kernel.hpp"

namespace zk {

/// The oracle for circuits: one witness, plain scalars, every constraint of every circuit, random
/// draws from a seed. It shares no code with the evaluation that is measured.
template <typename Scalar>
class Checker {
 public:
  /// Computes a hint: `id`, inputs, number of outputs.
  using Hints = std::function<std::vector<Scalar>(
      std::uint64_t id, const std::vector<Scalar>& inputs, std::uint64_t outputs)>;

  Checker(const RootCircuit<Scalar>& circuits, Hints hints, std::uint64_t seed)
      : circuits_(circuits), hints_(std::move(hints)), random_(seed) {}

  /// The root's outputs for its inputs.
  std::vector<Scalar> outputs(const std::vector<Scalar>& inputs) {
    faults_.clear();
    return run(0, inputs);
  }
  /// The constraints that the last run violated: "constraint 2 of circuit 0x0 (v57)".
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

 private:
  std::vector<Scalar> run(std::uint64_t id, const std::vector<Scalar>& inputs) {
    const Circuit<Scalar>& circuit = circuits_.circuits.at(id);
    std::vector<Scalar> values = {Scalar(0)};
    values.reserve(inputs.size() + circuit.instructions.size() + 1);
    values.insert(values.end(), inputs.begin(), inputs.end());
    const auto gathered = [&](const auto& ids) {
      std::vector<Scalar> result;
      for (const Id variable : ids) result.push_back(values.at(variable));
      return result;
    };
    const auto make = [&](const std::vector<Scalar>& made) {
      values.insert(values.end(), made.begin(), made.end());
    };
    for (const auto& instruction : circuit.instructions) {
      switch (instruction.kind()) {
        case Kind::lin_comb: {
          Scalar sum = instruction.constant();
          for (const auto& [variable, coefficient] : instruction.terms()) {
            sum = sum + coefficient * values.at(variable);
          }
          values.push_back(sum);
          break;
        }
        case Kind::mul: {
          Scalar product(1);
          for (const Id factor : instruction.inputs()) product = product * values.at(factor);
          values.push_back(product);
          break;
        }
        case Kind::constant_like:
          values.push_back(instruction.coefficient() == Coefficient::random
                               ? Scalar(random_())
                               : instruction.constant());
          break;
        case Kind::hint:
          make(hints_(instruction.id(), gathered(instruction.inputs()), instruction.outputs()));
          break;
        case Kind::sub_circuit_call:
          make(run(instruction.id(), gathered(instruction.inputs())));
          break;
        case Kind::custom_gate:
          faults_.push_back("a custom gate");
          values.push_back(Scalar(0));
          break;
      }
    }
    for (size_t i = 0; i < circuit.constraints.size(); ++i) {
      if (values.at(circuit.constraints[i]).is_zero()) continue;
      faults_.push_back("constraint " + std::to_string(i) + " (v" +
                        std::to_string(circuit.constraints[i]) + ")" +
                        (id ? " of sub-circuit " + std::to_string(id) : ""));
    }
    return gathered(circuit.outputs);
  }

  const RootCircuit<Scalar>& circuits_;
  Hints hints_;
  std::mt19937_64 random_;
  std::vector<std::string> faults_;
};

}  // namespace zk
