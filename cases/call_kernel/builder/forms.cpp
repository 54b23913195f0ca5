#include "cases/call_kernel/builder/forms.hpp"

#include <algorithm>

#include "cases/call_kernel/builder/program.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace zk {
namespace {

constexpr auto kOne = Coefficients::kOne;
constexpr size_t kLongProduct = 40;  // pairs
static_assert(sizeof(Pair) == 12);   // hashed as bytes

int degree(FormView form) { return form.empty() ? 0 : form.back().degree(); }

bool is_sorted_strictly(FormView form) {
  return std::adjacent_find(form.begin(), form.end(), [](const Pair& x, const Pair& y) {
           return x.monomial() >= y.monomial();
         }) == form.end();
}

}  // namespace

bool precedes(FormView a, FormView b, const Coefficients& coefficients) {
  static constexpr Pair kZeroForm;
  if (a.empty()) a = {&kZeroForm, 1};
  if (b.empty()) b = {&kZeroForm, 1};
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].monomial() != b[i].monomial()) return a[i].monomial() < b[i].monomial();
    if (a[i].coefficient != b[i].coefficient) {
      return coefficients.less(a[i].coefficient, b[i].coefficient);
    }
  }
  return a.size() < b.size();
}

FormTable::FormTable(Coefficients& coefficients, Internal inputs, size_t forms)
    : k_(coefficients), inputs_(inputs) {
  begin_.reserve(forms + 1);
  begin_.push_back(0);
  pairs_.reserve(forms);
  size_t capacity = 16;
  while (capacity < forms * 4 / 3) capacity *= 2;
  slots_.assign(capacity, 0);
}

Internal FormTable::fresh() {
  begin_.push_back(begin_.back());
  return static_cast<Internal>(inputs_ + begin_.size() - 1);
}

std::uint64_t FormTable::hash(FormView form) { return XXH3_64bits(form.data(), form.size_bytes()); }

std::uint64_t* FormTable::find(FormView form, std::uint32_t tag, size_t at) {
  const size_t mask = slots_.size() - 1;
  for (;; ++at) {
    std::uint64_t& slot = slots_[at & mask];
    if (slot == 0) return &slot;
    if (slot >> 32 == tag && std::ranges::equal(stored(static_cast<Internal>(slot)), form)) {
      return &slot;
    }
  }
}

void FormTable::grow() {
  std::vector<std::uint64_t> old(std::max<size_t>(16, slots_.size() * 2));
  old.swap(slots_);
  for (const std::uint64_t slot : old) {
    if (slot == 0) continue;
    const FormView form = stored(static_cast<Internal>(slot));
    *find(form, static_cast<std::uint32_t>(slot >> 32), hash(form)) = slot;
  }
}

Internal FormTable::intern(FormView form) {
  if (form.size() == 1 && form[0].degree() == 1 && form[0].coefficient == kOne &&
      stored(form[0].b).empty()) {
    return form[0].b;
  }
  if (used_ * 4 >= slots_.size() * 3) grow();
  const std::uint64_t hashed = hash(form);
  const auto tag = static_cast<std::uint32_t>(hashed >> 32);
  std::uint64_t* const slot = find(form, tag, hashed);
  if (*slot == 0) {
    ++used_;
    pairs_.append(form);
    if (pairs_.size() > 0xffffffff) {
      throw BuildError("the kernel's expressions have more than 2^32 terms");
    }
    begin_.push_back(static_cast<std::uint32_t>(pairs_.size()));
    *slot = std::uint64_t{tag} << 32 | (inputs_ + begin_.size() - 1);
  }
  return static_cast<Internal>(*slot);
}

void FormTable::append(const Affine& x, CoefficientId factor, Form& form) {
  if (factor == Coefficients::kZero) return;
  const CoefficientId constant = k_.product(x.b, factor);
  if (constant != Coefficients::kZero) form.push_back({0, 0, constant});
  const CoefficientId k = k_.product(x.k, factor);
  if (k == Coefficients::kZero) return;
  const FormView own = stored(x.e);
  if (own.empty()) form.push_back({0, x.e, k});
  for (const Pair& pair : own) form.push_back({pair.a, pair.b, k_.product(pair.coefficient, k)});
}

Affine FormTable::strip(FormView form) {
  Affine affine;
  if (!form.empty() && form[0].degree() == 0) {
    affine.b = form[0].coefficient;
    form = form.subspan(1);
  }
  if (form.empty()) return affine;
  affine.k = form[0].coefficient;
  if (affine.k == kOne) {
    affine.e = intern(form);
    return affine;
  }
  const CoefficientId inverse = k_.inverse(affine.k);
  stripped_.assign(form.begin(), form.end());
  for (Pair& pair : stripped_) pair.coefficient = k_.product(pair.coefficient, inverse);
  affine.e = intern(stripped_);
  return affine;
}

void FormTable::make_single(Form& form) {
  const size_t constants = !form.empty() && form[0].degree() == 0;
  if (form.size() <= constants) return;
  if (form.size() == constants + 1 && form.back().degree() <= 1) return;
  const Affine affine = strip(form);
  form.resize(constants);
  form.push_back({0, affine.e, affine.k});
}

void FormTable::normalize(Form& form) {
  if (is_sorted_strictly(form)) return;
  const auto before = [](const Pair& x, const Pair& y) { return x.monomial() < y.monomial(); };
  std::sort(form.begin(), form.end(),
            before);  // equal monomials are summed: their order is nothing
  size_t kept = 0;
  for (size_t i = 0; i < form.size();) {
    Pair sum = form[i++];
    while (i < form.size() && form[i].monomial() == sum.monomial()) {
      sum.coefficient = k_.sum(sum.coefficient, form[i++].coefficient);
    }
    if (sum.coefficient != Coefficients::kZero) form[kept++] = sum;
  }
  form.resize(kept);
}

void FormTable::multiply(Form& a, Form& b) {
  const auto is_constant = [](const Form& form) { return degree(form) == 0; };
  if (is_constant(b)) a.swap(b);
  if (is_constant(a)) {
    if (a.empty()) return;
    const CoefficientId factor = a[0].coefficient;
    a.swap(b);
    for (Pair& pair : a) pair.coefficient = k_.product(pair.coefficient, factor);
    return;
  }
  for (Form* form : {&a, &b}) {
    if (degree(*form) == 2) make_single(*form);
  }
  if (b.size() < a.size()) a.swap(b);
  if (a.size() > kLongProduct) make_single(a);
  if (a.size() * b.size() > kLongProduct) make_single(b);
  // The rows are added by the rule for linear combinations.
  product_.clear();
  for (const Pair& x : a) {
    row_.clear();
    for (const Pair& y : b) {
      const CoefficientId coefficient = k_.product(x.coefficient, y.coefficient);
      if (x.degree() == 0 || y.degree() == 0) {
        row_.push_back({0, x.b + y.b, coefficient});
      } else {
        row_.push_back({std::max(x.b, y.b), std::min(x.b, y.b), coefficient});
      }
    }
    if (a.size() > 1 && row_.size() > kLongOperand) {
      normalize(row_);
      make_single(row_);
    }
    product_.insert(product_.end(), row_.begin(), row_.end());
  }
  normalize(product_);
  a.swap(product_);
}

}  // namespace zk
