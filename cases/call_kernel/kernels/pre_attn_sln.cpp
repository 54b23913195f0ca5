#include <algorithm>
#include <utility>
#include <vector>

#include "cases/call_kernel/field/bn254.hpp"
#include "cases/call_kernel/field/m31.hpp"
#include "cases/call_kernel/kernels/emit.hpp"
#include "cases/call_kernel/kernels/kernels.hpp"

namespace zk {
namespace {

/// Where the inputs begin.
struct Inputs {
  explicit Inputs(const SlnDims& d)
      : gamma(x + d.tokens * d.hidden),
        r(gamma + d.hidden),
        y(r + d.tokens),
        limb(y + d.tokens * d.hidden),
        slack(limb + d.queries()),
        count(slack + d.tokens) {}
  Id x = 1, gamma, r, y, limb, slack, count;
};

constexpr Id kOne = 0;  // stands for the constant 1; no variable has this id

struct Fraction {
  Id numerator, denominator;
};

/// A sum of fractions whose denominator is not multiplied yet.
struct Sum {
  Id numerator;
  Id denominator, other_factor;
};

template <typename Scalar>
class Body {
 public:
  Body(const SlnDims& dims, Emitter<Scalar>& e) : d_(dims), in_(dims), e_(e) {
    terms_.reserve(std::max(d_.hidden + 1, d_.limbs + 3));
    rows_.reserve(d_.tokens);
    elements_.reserve(d_.tokens * d_.hidden);
    leaves_.reserve(std::max(d_.entries(), d_.queries()));
  }

  void emit() {
    for (std::uint64_t i = 0; i < d_.tokens; ++i) {
      emit_row(i);
      for (std::uint64_t j = 0; j < d_.hidden; ++j) emit_element(i, j);
    }
    const Id equal = emit_lookup();
    // Upstream sorts constraints: those with a constant first, then by their first variable.
    for (const Id row : rows_) e_.assert_zero(row);
    for (const Id element : elements_) e_.assert_zero(element);
    e_.assert_zero(equal);
  }

 private:
  /// r^2 sum(x^2) - slack = 2^20.
  void emit_row(std::uint64_t i) {
    const Id squares = emit_sum(e_, terms_, d_.hidden, [&](std::uint64_t j) {
      const Id x = in_.x + i * d_.hidden + j;
      return std::pair(x, x);
    });
    const Id scaled = e_.mul({in_.r + i, in_.r + i, squares});
    const Id one = e_.constant(Scalar(1 << 20));
    rows_.push_back(
        e_.lin_comb({{scaled, Scalar(1)}, {in_.slack + i, minus_one_}, {one, minus_one_}}));
  }

  /// x r gamma = 2^12 y + the remainder in its limbs.
  void emit_element(std::uint64_t i, std::uint64_t j) {
    const std::uint64_t place = i * d_.hidden + j;
    const Id numerator = e_.mul({in_.x + place, in_.r + i, in_.gamma + j});
    terms_.clear();
    terms_.push_back({e_.constant(Scalar(0)), minus_one_});
    for (std::uint64_t l = 0; l < d_.limbs; ++l) {
      const Scalar weight(std::uint64_t{1} << (d_.bits * l));
      terms_.push_back({e_.lin_comb({{in_.limb + place * d_.limbs + l, weight}}), minus_one_});
    }
    terms_.push_back({e_.lin_comb({{in_.y + place, Scalar(1 << 12)}}), minus_one_});
    terms_.push_back({numerator, Scalar(1)});
    elements_.push_back(e_.lin_comb(terms_));
  }

  /// LogUp: sum(count_i / (alpha - i)) = sum(1 / (alpha - limb)) for a random alpha.
  Id emit_lookup() {
    const Id alpha = e_.append(Instruction<Scalar>::random());
    for (std::uint64_t i = 0; i < d_.entries(); ++i) {
      leaves_.push_back({in_.count + i, e_.lin_comb({{alpha, Scalar(1)}}, Scalar(0) - Scalar(i))});
    }
    const Sum table = emit_fractions();
    leaves_.clear();
    // Only a single query needs a variable for the 1: else each product with it is a copy.
    const bool alone = d_.queries() == 1;
    const Id one = alone ? e_.constant(Scalar(1)) : kOne;
    for (std::uint64_t i = 0; i < d_.queries(); ++i) {
      leaves_.push_back({one, e_.lin_comb({{alpha, Scalar(1)}, {in_.limb + i, minus_one_}})});
    }
    const Sum asked = emit_fractions();
    const Id left = alone ? e_.mul({table.numerator, asked.denominator})
                          : e_.mul({asked.denominator, asked.other_factor, table.numerator});
    const Id right = e_.mul({table.denominator, table.other_factor, asked.numerator});
    return e_.lin_comb({{left, Scalar(1)}, {right, minus_one_}});
  }

  /// Sums the leaves by halving: entry i is added to entry i + floor(n/2); an odd last one is kept.
  /// The last denominator is not multiplied: it is joined with the one product that uses it.
  Sum emit_fractions() {
    if (leaves_.size() == 1) return {leaves_[0].numerator, leaves_[0].denominator, kOne};
    while (leaves_.size() > 2) {
      const size_t half = leaves_.size() / 2;
      for (size_t i = 0; i < half; ++i) {
        const Fraction x = leaves_[i], y = leaves_[i + half];
        const Id numerator = emit_numerator(x, y);
        leaves_[i] = {numerator, e_.mul({x.denominator, y.denominator})};
      }
      if (leaves_.size() % 2) leaves_[half] = leaves_.back();
      leaves_.resize(half + leaves_.size() % 2);
    }
    const Fraction x = leaves_[0], y = leaves_[1];
    return {emit_numerator(x, y), x.denominator, y.denominator};
  }
  /// The numerator of x + y; a product with 1 is a copy.
  Id emit_numerator(const Fraction& x, const Fraction& y) {
    const Id left =
        x.numerator == kOne ? e_.copy(y.denominator) : e_.mul({x.numerator, y.denominator});
    const Id right =
        y.numerator == kOne ? e_.copy(x.denominator) : e_.mul({x.denominator, y.numerator});
    return e_.lin_comb({{left, Scalar(1)}, {right, Scalar(1)}});
  }

  const SlnDims d_;
  const Inputs in_;
  Emitter<Scalar>& e_;
  const Scalar minus_one_ = -Scalar(1);
  Terms<Scalar> terms_;
  std::vector<Id> rows_, elements_;  // constrained to be 0
  std::vector<Fraction> leaves_;
};

/// The instructions of so many fractions and their sum.
std::uint64_t instructions_of_fractions(std::uint64_t leaves) {
  return leaves == 1 ? 1 : 5 * (leaves - 1);
}

}  // namespace

template <typename Scalar>
Kernel<Scalar> pre_attn_sln(const SlnDims& d) {
  if (d.bits > 31 || d.limbs > 63 / d.bits) {
    throw KernelError("pre_attn_sln has limbs of at most 31 bits, 63 bits together");
  }
  const auto [tokens, hidden, limbs, bits] = d;
  const size_t instructions = tokens * (hidden + 5) + tokens * hidden * (limbs + 4) + 4 +
                              instructions_of_fractions(d.entries()) +
                              instructions_of_fractions(d.queries());
  return emitted<Scalar>({{{tokens, hidden}},
                          {{hidden}},
                          {{tokens}},
                          {{tokens, hidden}},
                          {{tokens, hidden, limbs}},
                          {{tokens}},
                          {{d.entries()}}},
                         instructions, [&](Emitter<Scalar>& e) {
                           Body<Scalar>(d, e).emit();
                           return std::vector<Id>();
                         });
}

template Kernel<M31> pre_attn_sln(const SlnDims&);
template Kernel<Bn254> pre_attn_sln(const SlnDims&);

}  // namespace zk
