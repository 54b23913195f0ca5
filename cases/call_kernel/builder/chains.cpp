#include <optional>

#include "cases/call_kernel/builder/program.hpp"

namespace zk {
namespace {

enum Mark : std::uint8_t { kUsed = 1, kUsedAgain = 2, kBySameOp = 4 };

/// Which slots are absorbed: linear combinations whose only use is in a linear combination,
/// products whose only use is in a product.
std::vector<std::uint8_t> uses(const Draft& draft) {
  std::vector<std::uint8_t> marks(draft.num_slots());
  const auto use = [&](Slot slot, bool by_same_op) {
    marks[slot] |= (marks[slot] & kUsed ? kUsedAgain : kUsed) | (by_same_op ? kBySameOp : 0);
  };
  for (Slot slot = draft.num_inputs() + 1; slot < draft.num_slots(); ++slot) {
    const Op op = draft.op(slot);
    const bool chains = op == Op::lin_comb || op == Op::mul;
    draft.for_each_operand(slot,
                           [&](Slot operand) { use(operand, chains && draft.op(operand) == op); });
  }
  for (const Slot slot : draft.outputs) use(slot, false);
  for (const DraftConstraint& constraint : draft.constraints) use(constraint.slot, false);
  return marks;
}

bool absorbed(const std::vector<std::uint8_t>& marks, Slot slot) {
  return marks[slot] == (kUsed | kBySameOp);
}

/// The longer list goes in front.
template <typename T>
void join(std::vector<T>& current, std::vector<T>& list) {
  if (current.size() < list.size()) current.swap(list);
  current.insert(current.end(), list.begin(), list.end());
  list.clear();
}

/// Lists that wait for the instruction that absorbs them.
template <typename T>
class Waiting {
 public:
  /// Takes the content of `list` and leaves an empty one.
  std::uint32_t keep(std::vector<T>& list) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(lists_.size()));
      lists_.emplace_back();
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    lists_[place].swap(list);
    return place;
  }
  std::vector<T>& at(std::uint32_t place) { return lists_[place]; }
  void release(std::uint32_t place) { free_.push_back(place); }

 private:
  std::vector<std::vector<T>> lists_;
  std::vector<std::uint32_t> free_;
};

class Joining {
 public:
  Joining(const Draft& draft, Coefficients& coefficients, std::vector<std::uint8_t> marks)
      : draft_(draft), k_(coefficients), marks_(std::move(marks)), moved_(draft.num_slots()) {}

  Draft joined() {
    out_.add_inputs(draft_.num_inputs());
    for (Slot slot = 1; slot <= draft_.num_inputs(); ++slot) moved_[slot] = slot;
    for (Slot slot = draft_.num_inputs() + 1; slot < draft_.num_slots(); ++slot) place(slot);
    for (const Slot slot : draft_.outputs) out_.outputs.push_back(moved_[slot]);
    for (const auto& [slot, kind] : draft_.constraints) {
      out_.constraints.push_back({moved_[slot], kind});
    }
    return std::move(out_);
  }

 private:
  void place(Slot slot) {
    switch (draft_.op(slot)) {
      case Op::lin_comb:
        place_lin_comb(slot);
        return;
      case Op::mul:
        place_mul(slot);
        return;
      case Op::constant:
        moved_[slot] = out_.add_constant(draft_.constant(slot));
        return;
      case Op::random:
        moved_[slot] = out_.add_random();
        return;
      case Op::more_outputs:
        moved_[slot] = moved_[slot - 1] + 1;
        return;
      default:
        break;
    }
    std::vector<Slot> inputs;
    for (const Slot input : draft_.inputs(slot)) inputs.push_back(moved_[input]);
    const Op op = draft_.op(slot);
    moved_[slot] = op == Op::hint || op == Op::call
                       ? out_.add_call(op, draft_.id(slot), inputs, draft_.num_outputs(slot))
                       : out_.add(op, inputs);
  }

  void place_lin_comb(Slot slot) {
    terms_.clear();
    taken_.clear();
    CoefficientId constant = draft_.constant(slot);
    for (size_t i = 0, n = draft_.num_terms(slot); i < n; ++i) {
      const DraftTerm term = draft_.term(slot, i);
      if (absorbed(marks_, term.slot)) {
        taken_.push_back({moved_[term.slot], term.coefficient});
      } else {
        terms_.push_back({moved_[term.slot], term.coefficient});
      }
    }
    for (const auto& [place, coefficient] : taken_) {
      std::vector<DraftTerm>& list = sums_.at(place);
      if (coefficient != Coefficients::kOne) {
        for (DraftTerm& term : list) term.coefficient = k_.product(term.coefficient, coefficient);
      }
      constant = k_.sum(constant, k_.product(constants_[place], coefficient));
      join(terms_, list);
      sums_.release(place);
    }
    if (absorbed(marks_, slot)) {
      const std::uint32_t place = sums_.keep(terms_);
      if (constants_.size() <= place) constants_.resize(place + 1);
      constants_[place] = constant;
      moved_[slot] = place;
    } else {
      moved_[slot] = out_.add_lin_comb(terms_, constant);
    }
  }

  void place_mul(Slot slot) {
    factors_.clear();
    places_.clear();
    for (const Slot input : draft_.inputs(slot)) {
      (absorbed(marks_, input) ? places_ : factors_).push_back(moved_[input]);
    }
    for (const std::uint32_t place : places_) {
      join(factors_, products_.at(place));
      products_.release(place);
    }
    moved_[slot] = absorbed(marks_, slot) ? products_.keep(factors_) : out_.add(Op::mul, factors_);
  }

  const Draft& draft_;
  Coefficients& k_;
  const std::vector<std::uint8_t> marks_;
  std::vector<Slot> moved_;  // the new slot; of an absorbed one: its waiting list
  Draft out_;
  Waiting<DraftTerm> sums_;
  std::vector<CoefficientId> constants_;  // of the waiting sums
  Waiting<Slot> products_;
  std::vector<DraftTerm> terms_, taken_;  // taken: waiting list and coefficient
  std::vector<Slot> factors_, places_;
};

}  // namespace

void join_chains(Draft& draft, Coefficients& coefficients) {
  std::vector<std::uint8_t> marks = uses(draft);
  bool any = false;
  for (Slot slot = draft.num_inputs() + 1; slot < draft.num_slots() && !any; ++slot) {
    any = absorbed(marks, slot);
  }
  if (any) draft = Joining(draft, coefficients, std::move(marks)).joined();
}

}  // namespace zk
