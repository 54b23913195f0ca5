#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <vector>

#include "cases/call_kernel/builder/coefficients.hpp"
#include "cases/call_kernel/growing_array.hpp"

namespace zk {

/// The kernel's source asks for something that no circuit can be.
struct BuildError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where a variable stands in a Draft: inputs 1.., then every produced one; 0 is none. An
/// instruction without outputs takes a slot too, so slots are at least as many as variables.
using Slot = std::uint32_t;

enum class Op : std::uint8_t {
  input,
  constant,      // words: coefficient
  lin_comb,      // words: constant, then (slot, coefficient) for each term
  mul,           // words: slots
  random,        // no words
  hint,          // words: id (low, high), number of outputs, slots
  call,          // of a sub-circuit: words as a hint's
  more_outputs,  // the second and later outputs of the hint or call before
  div_checked,   // from here on: the operations that normal_forms() expands; words: slots
  div_unchecked,
  bool_xor,
  bool_or,
  bool_and,
  is_zero,
};

enum class ConstraintKind : std::uint8_t { zero, nonzero, boolean };

struct DraftConstraint {
  Slot slot = 0;
  ConstraintKind kind = ConstraintKind::zero;
  friend bool operator==(const DraftConstraint&, const DraftConstraint&) = default;
};

struct DraftTerm {
  Slot slot = 0;
  CoefficientId coefficient = Coefficients::kZero;
};

/// One circuit while it is built: flat arrays, 5 bytes an instruction and 4 or 8 an operand, so
/// that building takes a fraction of the finished kernel's memory.
class Draft {
 public:
  std::vector<DraftConstraint> constraints;
  GrowingArray<Slot> outputs;

  Draft() { begin(Op::input); }  // slot 0

  [[nodiscard]] Slot num_inputs() const { return inputs_; }
  [[nodiscard]] Slot num_slots() const { return static_cast<Slot>(ops_.size()); }  ///< with slot 0
  [[nodiscard]] Op op(Slot slot) const { return ops_[slot]; }

  /// Before any instruction.
  void add_inputs(Slot count) {
    for (Slot i = 0; i < count; ++i) begin(Op::input);
    inputs_ += count;
  }
  void reserve(size_t slots, size_t words) {
    ops_.reserve(slots);
    first_.reserve(slots);
    words_.reserve(words);
  }

  Slot add_constant(CoefficientId value) {
    const Slot slot = begin(Op::constant);
    words_.push_back(value);
    return slot;
  }
  Slot add_lin_comb(std::span<const DraftTerm> terms, CoefficientId constant) {
    const Slot slot = begin(Op::lin_comb);
    words_.push_back(constant);
    static_assert(sizeof(DraftTerm) == 2 * sizeof(std::uint32_t));
    words_.append({reinterpret_cast<const std::uint32_t*>(terms.data()), 2 * terms.size()});
    return slot;
  }
  /// A multiplication, or one of the operations that expand.
  Slot add(Op op, std::span<const Slot> inputs) {
    const Slot slot = begin(op);
    words_.append(inputs);
    return slot;
  }
  Slot add_random() { return begin(Op::random); }
  /// A hint or a sub-circuit call; its first output. Without outputs the slot is no variable.
  Slot add_call(Op op, std::uint64_t id, std::span<const Slot> inputs, std::uint32_t count) {
    const Slot slot = begin(op);
    words_.push_back(static_cast<std::uint32_t>(id));
    words_.push_back(static_cast<std::uint32_t>(id >> 32));
    words_.push_back(count);
    words_.append(inputs);
    for (std::uint32_t i = 1; i < count; ++i) begin(Op::more_outputs);
    return slot;
  }

  [[nodiscard]] CoefficientId constant(Slot slot) const { return words_[first_[slot]]; }
  [[nodiscard]] size_t num_terms(Slot slot) const { return words(slot).size() / 2; }
  [[nodiscard]] DraftTerm term(Slot slot, size_t i) const {
    const std::uint32_t* at = &words_[first_[slot] + 1 + 2 * i];
    return {at[0], at[1]};
  }
  /// Of everything but linear combinations and constants.
  [[nodiscard]] std::span<const Slot> inputs(Slot slot) const {
    const bool called = op(slot) == Op::hint || op(slot) == Op::call;
    return words(slot).subspan(called ? 3 : 0);
  }
  [[nodiscard]] std::uint64_t id(Slot slot) const {
    return words(slot)[0] | std::uint64_t{words(slot)[1]} << 32;
  }
  [[nodiscard]] std::uint32_t num_outputs(Slot slot) const {
    return op(slot) == Op::hint || op(slot) == Op::call ? words(slot)[2] : 1;
  }
  /// The slots from here to the next instruction: 1, or the number of outputs.
  [[nodiscard]] Slot width(Slot slot) const { return std::max<Slot>(num_outputs(slot), 1); }

  /// Calls `visit(slot)` for each operand.
  template <typename Visit>
  void for_each_operand(Slot slot, const Visit& visit) const {
    if (op(slot) == Op::lin_comb) {
      for (size_t i = 0, n = num_terms(slot); i < n; ++i) visit(term(slot, i).slot);
    } else if (op(slot) != Op::constant) {
      for (const Slot operand : inputs(slot)) visit(operand);
    }
  }

 private:
  Slot begin(Op op) {
    if (ops_.size() >= 0xffffffff || words_.size() >= 0xfffffff0) {
      throw BuildError("the kernel has more than 2^32 instructions or operands");
    }
    ops_.push_back(op);
    first_.push_back(static_cast<std::uint32_t>(words_.size()));
    return static_cast<Slot>(ops_.size() - 1);
  }
  [[nodiscard]] std::span<const std::uint32_t> words(Slot slot) const {
    const size_t end = slot + 1 < first_.size() ? first_[slot + 1] : words_.size();
    return {words_.data() + first_[slot], end - first_[slot]};
  }

  GrowingArray<Op> ops_;
  GrowingArray<std::uint32_t> first_;  // index in words_
  GrowingArray<std::uint32_t> words_;
  Slot inputs_ = 0;
};

/// All circuits of one kernel; the root is 0.
using Program = std::map<std::uint64_t, Draft>;

// The passes, in upstream's order (compile.cpp).

/// Sums of sums and products of products become one instruction each, where the inner one is used
/// once.
void join_chains(Draft& draft, Coefficients& coefficients);

/// Drops what no constraint and no output of the root needs, inputs and whole sub-circuits too.
/// Returns whether there was anything to drop.
[[nodiscard]] bool remove_unreachable(Program& program);

/// The second and later mention of an output becomes a copy, a linear combination at the end.
void copy_repeated_outputs(Draft& draft);

/// Expands what is not a linear combination, a product, a hint or a call; replaces repeated
/// expressions by copies of the first and constants by empty linear combinations; sorts the
/// constraints and drops equal ones.
[[nodiscard]] Draft normal_forms(const Draft& draft, Coefficients& coefficients);

constexpr std::uint64_t kDivisionHint = 0xccc000000001;  ///< x / y, and 0 for y = 0

}  // namespace zk
