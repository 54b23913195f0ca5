#include <algorithm>
#include <optional>

#include "cases/call_kernel/builder/forms.hpp"
#include "cases/call_kernel/builder/program.hpp"

namespace zk {
namespace {

constexpr auto kZero = Coefficients::kZero;
constexpr auto kOne = Coefficients::kOne;
constexpr auto kMinusOne = Coefficients::kMinusOne;

class Normalizing {
 public:
  Normalizing(const Draft& draft, Coefficients& coefficients)
      : draft_(draft),
        inputs_(draft.num_inputs()),
        k_(coefficients),
        table_(coefficients, inputs_, draft.num_slots() - inputs_) {
    const size_t slots = draft.num_slots();
    out_.reserve(slots, 2 * (slots - inputs_));
    moved_.resize(slots - inputs_);
    values_.reserve(slots - inputs_);
    values_.push_back({});
    first_.reserve(slots - inputs_ + 1);
    first_.push_back(0);
  }

  Draft normalized() {
    out_.add_inputs(inputs_);
    for (Slot slot = inputs_ + 1; slot < draft_.num_slots(); ++slot) {
      look_ahead(slot + 16);
      moved_[slot - inputs_] = expand(slot);
    }
    for (const auto& [slot, kind] : draft_.constraints) constrain(moved(slot), kind);
    for (const Slot slot : draft_.outputs) out_.outputs.push_back(moved(slot));
    sort_constraints();
    return std::move(out_);
  }

 private:
  [[nodiscard]] Slot moved(Slot slot) const {
    return slot <= inputs_ ? slot : moved_[slot - inputs_];
  }
  [[nodiscard]] Affine value(Slot slot) const {
    return slot <= inputs_ ? Affine{slot, kOne, kZero} : values_[slot - inputs_];
  }

  /// A product of two inputs will be looked up soon: most lookups of a large kernel are these, and
  /// each would wait for memory.
  void look_ahead(Slot slot) const {
    if (slot >= draft_.num_slots() || draft_.op(slot) != Op::mul) return;
    const auto factors = draft_.inputs(slot);
    if (factors.size() != 2 || factors[0] > inputs_ || factors[1] > inputs_) return;
    table_.prefetch({std::max(factors[0], factors[1]), std::min(factors[0], factors[1]), kOne});
  }

  Slot expand(Slot slot) {
    const auto input = [&](size_t i) { return moved(draft_.inputs(slot)[i]); };
    switch (draft_.op(slot)) {
      case Op::more_outputs:
        return moved(slot - 1) + 1;
      case Op::constant:
        return constant(draft_.constant(slot));
      case Op::lin_comb:
        terms_.clear();
        for (size_t i = 0, n = draft_.num_terms(slot); i < n; ++i) {
          const DraftTerm term = draft_.term(slot, i);
          terms_.push_back({moved(term.slot), term.coefficient});
        }
        return lin_comb(terms_, draft_.constant(slot));
      case Op::mul:
        factors_.clear();
        for (const Slot operand : draft_.inputs(slot)) factors_.push_back(moved(operand));
        return mul(factors_);
      case Op::random:
        return fresh(out_.add_random());
      case Op::hint:
      case Op::call:
        return call(slot);
      case Op::div_checked: {
        const Slot inverse = nonzero(input(1));
        return mul({{input(0), inverse}});
      }
      case Op::div_unchecked: {
        const Slot quotient = hint(input(0), input(1));
        zeroes_.push_back(
            lin_comb({{{mul({{input(1), quotient}}), kOne}, {input(0), kMinusOne}}}, kZero));
        return quotient;
      }
      case Op::is_zero: {
        const Slot x = input(0);
        const Slot product = mul({{x, hint(constant(kOne), x)}});
        const Slot result = lin_comb({{{product, kMinusOne}}}, kOne);
        zeroes_.push_back(mul({{x, result}}));
        return result;
      }
      case Op::bool_xor:
      case Op::bool_or:
      case Op::bool_and:
        return boolean(draft_.op(slot), input(0), input(1));
      case Op::input:
        break;
    }
    throw std::logic_error("an input behind an instruction");
  }

  Slot boolean(Op op, Slot x, Slot y) {
    constrain(x, ConstraintKind::boolean);
    constrain(y, ConstraintKind::boolean);
    if (op == Op::bool_and) return mul({{x, y}});
    const Slot sum = lin_comb({{{x, kOne}, {y, kOne}}}, kZero);
    const Slot both = mul({{x, y}});
    const CoefficientId factor = op == Op::bool_or ? kMinusOne : k_.negative(k_.integer(2));
    return lin_comb({{{sum, kOne}, {both, factor}}}, kZero);
  }

  /// 1/x, constrained to be that.
  Slot nonzero(Slot x) {
    const Slot inverse = hint(constant(kOne), x);
    zeroes_.push_back(lin_comb({{{mul({{x, inverse}}), kOne}}}, kMinusOne));
    return inverse;
  }

  void constrain(Slot x, ConstraintKind kind) {
    if (kind == ConstraintKind::nonzero) {
      (void)nonzero(x);
    } else if (kind == ConstraintKind::boolean) {
      zeroes_.push_back(mul({{x, lin_comb({{{x, kOne}}}, kMinusOne)}}));
    } else {
      zeroes_.push_back(x);
    }
  }

  Slot hint(Slot x, Slot y) { return fresh(out_.add_call(Op::hint, kDivisionHint, {{x, y}}, 1)); }

  Slot call(Slot slot) {
    std::vector<Slot> inputs;
    for (const Slot operand : draft_.inputs(slot)) inputs.push_back(moved(operand));
    if (draft_.op(slot) == Op::call) {
      for (const Slot input : inputs) {
        Form form;
        table_.append(value(input), kOne, form);
        const bool variable =
            form.size() == 1 && form[0].degree() == 1 && form[0].coefficient == kOne;
        if (!variable) (void)table_.intern(form);
      }
    }
    const std::uint32_t outputs = draft_.num_outputs(slot);
    const Slot first = out_.add_call(draft_.op(slot), draft_.id(slot), inputs, outputs);
    for (std::uint32_t i = 0; i < outputs; ++i) (void)fresh(first + i);
    if (outputs == 0) values_.push_back({});
    return first;
  }

  Slot constant(CoefficientId value) {
    values_.push_back({0, kZero, value});
    return out_.add_lin_comb({}, value);
  }

  Slot lin_comb(std::span<const DraftTerm> terms, CoefficientId constant) {
    const size_t operands = terms.size() + (constant != kZero);
    sum_.clear();
    for (const DraftTerm& term : terms) {
      if (term.coefficient == kZero) continue;
      const Affine own = value(term.slot);
      const size_t begin = sum_.size();
      table_.append(own, term.coefficient, sum_);
      if (operands > 1 && sum_.size() - begin > kLongOperand) {
        long_.clear();
        table_.append(own, kOne, long_);
        table_.make_single(long_);
        sum_.resize(begin);
        for (const Pair& pair : long_) {
          sum_.push_back({pair.a, pair.b, k_.product(pair.coefficient, term.coefficient)});
        }
      }
    }
    if (constant != kZero) sum_.push_back({0, 0, constant});
    table_.normalize(sum_);
    if (const auto known = define(sum_)) return *known;
    return out_.add_lin_comb(terms, constant);
  }

  Slot mul(std::span<const Slot> inputs) {
    if (inputs.size() == 2 && inputs[0] <= inputs_ && inputs[1] <= inputs_) {
      sum_.assign(1, {std::max(inputs[0], inputs[1]), std::min(inputs[0], inputs[1]), kOne});
    } else {
      const size_t count = inputs.size();
      if (forms_.size() < count) forms_.resize(count);
      for (size_t i = 0; i < count; ++i) {
        forms_[i].clear();
        table_.append(value(inputs[i]), kOne, forms_[i]);
        for (size_t j = i; j > 0 && precedes(forms_[j], forms_[j - 1], k_); --j) {
          forms_[j].swap(forms_[j - 1]);
        }
      }
      for (size_t i = 1; i < count; ++i) table_.multiply(forms_[0], forms_[i]);
      sum_.swap(forms_[0]);
    }
    if (const auto known = define(sum_)) return *known;
    return out_.add(Op::mul, inputs);
  }

  /// Records the form of the next variable. If it is a constant or repeats an expression, adds the
  /// instruction that says so, and returns its slot.
  std::optional<Slot> define(FormView form) {
    const Affine own = table_.strip(form);
    values_.push_back(own);
    if (own.k == kZero) return out_.add_lin_comb({}, own.b);
    const auto slot = static_cast<Slot>(inputs_ + values_.size() - 1);
    if (own.e > inputs_ && first(own.e) == 0) {
      first(own.e) = slot;
      return std::nullopt;
    }
    // e = (known - b1) / k1, so this is k/k1 * known + (b - k/k1 * b1)
    const Slot known = own.e > inputs_ ? first(own.e) : own.e;
    const Affine its = value(known);
    const CoefficientId factor = k_.product(own.k, k_.inverse(its.k));
    const DraftTerm copied[] = {{known, factor}};
    return out_.add_lin_comb(copied, k_.sum(own.b, k_.negative(k_.product(factor, its.b))));
  }

  /// Of an internal variable that is no input: the slot that represents it, 0 for none.
  Slot& first(Internal e) {
    while (first_.size() <= e - inputs_) first_.push_back(0);
    return first_[e - inputs_];
  }

  /// The slot's variable is nothing but itself.
  Slot fresh(Slot slot) {
    const Internal internal = table_.fresh();
    values_.push_back({internal, kOne, kZero});
    first(internal) = slot;
    return slot;
  }

  void sort_constraints() {
    struct Constraint {
      Affine value;
      Slot newest;
      size_t begin, end;  // of its form
    };
    std::vector<Constraint> all;
    Form forms;
    std::vector<Slot> wanted(
        table_.size());  // by internal variable: 1 + index of its first constraint
    std::sort(zeroes_.begin(), zeroes_.end(), [&](Slot a, Slot b) {
      const Affine x = value(a), y = value(b);
      return x == y ? a < b : x < y;
    });
    for (const Slot slot : zeroes_) {
      const Affine own = value(slot);
      if (!all.empty() && all.back().value == own) {
        all.back().newest = slot;
        continue;
      }
      const size_t begin = forms.size();
      table_.append(own, kOne, forms);
      all.push_back({own, slot, begin, forms.size()});
      if (!wanted[own.e]) wanted[own.e] = static_cast<Slot>(all.size());
    }
    // the newest variable of a form may be one that no constraint names
    for (Slot slot = inputs_ + 1; slot < out_.num_slots(); ++slot) {
      const Affine own = value(slot);
      if (!wanted[own.e] || out_.num_outputs(slot) == 0) continue;
      for (size_t i = wanted[own.e] - 1; i < all.size() && all[i].value.e == own.e; ++i) {
        if (all[i].value == own) all[i].newest = std::max(all[i].newest, slot);
      }
    }
    const auto form = [&](const Constraint& constraint) {
      return FormView(forms).subspan(constraint.begin, constraint.end - constraint.begin);
    };
    std::sort(all.begin(), all.end(), [&](const Constraint& a, const Constraint& b) {
      return precedes(form(a), form(b), k_);
    });
    for (const Constraint& constraint : all) {
      out_.constraints.push_back({constraint.newest, ConstraintKind::zero});
    }
  }

  const Draft& draft_;
  const Slot inputs_;
  Coefficients& k_;
  FormTable table_;
  Draft out_;
  // Behind the inputs, which are their own everything; index 0 is unused:
  std::vector<Slot> moved_;      // from the draft's slots to out_'s
  GrowingArray<Affine> values_;  // of each slot of out_
  GrowingArray<Slot> first_;     // of each internal variable
  std::vector<Slot> zeroes_;     // constrained
  Form sum_, long_;              // these are kept for their memory
  std::vector<Form> forms_;
  std::vector<DraftTerm> terms_;
  std::vector<Slot> factors_;
};

}  // namespace

Draft normal_forms(const Draft& draft, Coefficients& coefficients) {
  return Normalizing(draft, coefficients).normalized();
}

}  // namespace zk
