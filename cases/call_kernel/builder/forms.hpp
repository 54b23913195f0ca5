#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cases/call_kernel/builder/coefficients.hpp"
#include "cases/call_kernel/growing_array.hpp"

namespace zk {

/// A variable of the normaliser: inputs are 1.., then one for each new expression. 0 is reserved.
using Internal = std::uint32_t;

/// One monomial with its coefficient. Order: the constant (0, 0), linear (0, i), product (a, b)
/// with a >= b >= 1.
struct Pair {
  std::uint32_t a = 0, b = 0;
  CoefficientId coefficient = Coefficients::kZero;

  [[nodiscard]] std::uint64_t monomial() const { return std::uint64_t{a} << 32 | b; }
  [[nodiscard]] int degree() const { return a ? 2 : b ? 1 : 0; }
  friend bool operator==(const Pair&, const Pair&) = default;
};

/// Pairs in ascending order of their monomials, none with coefficient 0. Empty: zero.
using Form = std::vector<Pair>;
using FormView = std::span<const Pair>;

/// The expression k * e + b, with e an internal variable's form.
struct Affine {
  Internal e = 0;
  CoefficientId k = Coefficients::kZero;
  CoefficientId b = Coefficients::kZero;
  friend auto operator<=>(const Affine&, const Affine&) = default;
};

/// Pair by pair, monomial before coefficient; a proper prefix is smaller; zero counts as the pair
/// (constant, 0).
[[nodiscard]] bool precedes(FormView a, FormView b, const Coefficients& coefficients);

constexpr size_t kLongOperand = 10;  ///< pairs; a longer operand of a sum is interned first

/// The table of forms: equal forms have one internal variable.
class FormTable {
 public:
  /// Internal variables 1..inputs are fresh; room for so many other forms, of one pair each.
  FormTable(Coefficients& coefficients, Internal inputs, size_t forms);

  /// A variable that is nothing but itself; its form is 1 * linear(itself).
  Internal fresh();
  [[nodiscard]] Internal intern(FormView form);
  [[nodiscard]] size_t size() const { return inputs_ + begin_.size(); }

  /// Appends factor * (the form of x).
  void append(const Affine& x, CoefficientId factor, Form& form);
  /// Interns the form without its constant and first coefficient.
  [[nodiscard]] Affine strip(FormView form);
  /// The form itself when it is affine in one variable, else with its non-constant part interned.
  void make_single(Form& form);
  /// Sorts, adds the coefficients of equal monomials, drops zeroes.
  void normalize(Form& form);
  /// a * b, by the rule for products, into `a`; uses up `b`.
  void multiply(Form& a, Form& b);
  /// Fetches the cache line in which intern({product, 1}) will look.
  void prefetch(const Pair& product) const {
    __builtin_prefetch(&slots_[hash({&product, 1}) & (slots_.size() - 1)]);
  }

 private:
  [[nodiscard]] FormView stored(Internal i) const {
    if (i <= inputs_) return {};
    i -= inputs_;
    return {pairs_.data() + begin_[i - 1], begin_[i] - begin_[i - 1]};
  }
  static std::uint64_t hash(FormView form);
  std::uint64_t* find(FormView form, std::uint32_t tag, size_t at);
  void grow();

  Coefficients& k_;
  const Internal inputs_;
  GrowingArray<Pair> pairs_;
  GrowingArray<std::uint32_t> begin_;  // of internal i's pairs; none: it is itself
  // open addressing: the hash's high half and the internal variable; 0 is free
  std::vector<std::uint64_t> slots_;
  size_t used_ = 0;
  Form stripped_, row_, product_;  // kept for their memory
};

}  // namespace zk
