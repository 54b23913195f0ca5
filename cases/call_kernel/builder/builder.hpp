#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cases/call_kernel/builder/keccak.hpp"
#include "cases/call_kernel/builder/program.hpp"
#include "cases/call_kernel/circuit/kernel.hpp"

namespace zk {

/// A value in a kernel under construction. Made by a Builder only.
struct Variable {
  Slot slot = 0;
};

/// What a kernel's function is given: arithmetic that records instructions. Operations on
/// compile-time constants alone are computed at once; nothing else is simplified here.
template <typename Scalar>
class Builder {
 public:
  /// Records into the circuit `id` of `program`.
  Builder(Program& program, CoefficientTable<Scalar>& coefficients, std::uint64_t id)
      : program_(program), k_(coefficients), draft_(program[id]) {}

  Variable constant(const Scalar& value) { return {draft_.add_constant(k_.id(value))}; }
  Variable constant(std::uint64_t value) { return constant(Scalar(value)); }

  Variable add(Variable x, Variable y) {
    if (constants(x, y)) return constant(value(x) + value(y));
    return sum({{{x.slot, Coefficients::kOne}, {y.slot, Coefficients::kOne}}});
  }
  Variable sub(Variable x, Variable y) {
    if (constants(x, y)) return constant(value(x) - value(y));
    return sum({{{x.slot, Coefficients::kOne}, {y.slot, Coefficients::kMinusOne}}});
  }
  Variable neg(Variable x) {
    if (constants(x, x)) return constant(-value(x));
    return sum({{{x.slot, Coefficients::kMinusOne}}});
  }
  Variable mul(Variable x, Variable y) {
    if (constants(x, y)) return constant(value(x) * value(y));
    return operation(Op::mul, x, y);
  }
  /// x / y; `checked`: y = 0 violates a constraint, else 0 / 0 is any value.
  Variable div(Variable x, Variable y, bool checked) {
    if (constants(x, y)) {
      if (value(y).is_zero()) throw BuildError("division by the constant 0");
      return constant(value(x) * value(y).inverse());
    }
    return operation(checked ? Op::div_checked : Op::div_unchecked, x, y);
  }
  // The operands of these are constrained to be 0 or 1.
  Variable bool_xor(Variable x, Variable y) { return boolean(Op::bool_xor, x, y); }
  Variable bool_or(Variable x, Variable y) { return boolean(Op::bool_or, x, y); }
  Variable bool_and(Variable x, Variable y) { return boolean(Op::bool_and, x, y); }
  /// 1 when x is 0, else 0.
  Variable is_zero(Variable x) {
    if (constants(x, x)) return constant(value(x).is_zero());
    const Slot inputs[] = {x.slot};
    return {draft_.add(Op::is_zero, inputs)};
  }
  /// A value drawn by the prover after the witness is fixed; a call cannot evaluate it.
  Variable random_value() { return {draft_.add_random()}; }
  /// Values that a function known to the caller computes: the one named `key`.
  std::vector<Variable> hint(std::string_view key, std::span<const Variable> inputs,
                             std::uint32_t outputs) {
    return call(Op::hint, keccak_id(key), inputs, outputs);
  }

  void assert_is_zero(Variable x) { constrain(x, ConstraintKind::zero); }
  void assert_is_equal(Variable x, Variable y) { assert_is_zero(sub(x, y)); }
  void assert_is_nonzero(Variable x) { constrain(x, ConstraintKind::nonzero); }
  void assert_is_bool(Variable x) { constrain(x, ConstraintKind::boolean); }

  /// A sub-circuit, recorded at its first call and called at each; `function` tells it from others.
  using Function = std::function<std::vector<Variable>(Builder&, std::span<const Variable> inputs)>;
  std::vector<Variable> memorized_call(std::uint64_t function_id, const Function& function,
                                       std::span<const Variable> inputs) {
    std::string key = "simple";
    const std::uint64_t numbers[] = {inputs.size(), function_id};
    key.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
    const std::uint64_t id = keccak_id(key);
    if (!program_.contains(id)) {
      Builder body(program_, k_, id);
      body.draft_.add_inputs(static_cast<Slot>(inputs.size()));
      std::vector<Variable> parameters;
      for (Slot i = 1; i <= inputs.size(); ++i) parameters.push_back({i});
      for (const Variable output : function(body, parameters)) {
        body.draft_.outputs.push_back(body.known(output).slot);
      }
    }
    return call(Op::call, id, inputs, static_cast<std::uint32_t>(program_.at(id).outputs.size()));
  }

 private:
  Variable known(Variable x) const {
    if (x.slot == 0) throw BuildError("Variable(0) is not allowed in API calls");
    if (x.slot >= draft_.num_slots()) throw BuildError("a variable of another circuit");
    return x;
  }
  bool constants(Variable x, Variable y) const {
    return draft_.op(known(x).slot) == Op::constant && draft_.op(known(y).slot) == Op::constant;
  }
  const Scalar& value(Variable x) const { return k_.element(draft_.constant(x.slot)); }
  Variable sum(std::span<const DraftTerm> terms) {
    return {draft_.add_lin_comb(terms, Coefficients::kZero)};
  }
  Variable operation(Op op, Variable x, Variable y) {
    const Slot inputs[] = {x.slot, y.slot};
    return {draft_.add(op, inputs)};
  }
  Variable boolean(Op op, Variable x, Variable y) {
    (void)constants(x, y);
    return operation(op, x, y);
  }
  std::vector<Variable> call(Op op, std::uint64_t id, std::span<const Variable> inputs,
                             std::uint32_t outputs) {
    std::vector<Slot> slots;
    for (const Variable input : inputs) slots.push_back(known(input).slot);
    const Slot first = draft_.add_call(op, id, slots, outputs);
    std::vector<Variable> made;
    for (std::uint32_t i = 0; i < outputs; ++i) made.push_back({first + i});
    return made;
  }
  void constrain(Variable x, ConstraintKind kind) {
    if (constants(x, x)) {
      const Scalar constant = value(x);
      const bool holds = kind == ConstraintKind::zero ? constant.is_zero()
                         : kind == ConstraintKind::nonzero
                             ? !constant.is_zero()
                             : (constant * (constant - Scalar(1))).is_zero();
      const char* const names[] = {"assert_is_zero", "assert_is_nonzero", "assert_is_bool"};
      if (!holds) throw BuildError(std::string(names[static_cast<int>(kind)]) + " failed");
      return;
    }
    draft_.constraints.push_back({x.slot, kind});
  }

  Program& program_;
  CoefficientTable<Scalar>& k_;
  Draft& draft_;
};

}  // namespace zk
