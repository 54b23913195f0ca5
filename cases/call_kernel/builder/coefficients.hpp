#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zk {

/// A coefficient while a kernel is built: a number that stands for a field element, so that the
/// passes are the same for every field and a coefficient takes 4 bytes. 0, 1 and 2 are the elements
/// 0, 1 and -1; equal elements have equal numbers.
using CoefficientId = std::uint32_t;

class Coefficients {
 public:
  static constexpr CoefficientId kZero = 0, kOne = 1, kMinusOne = 2;

  virtual ~Coefficients() = default;
  [[nodiscard]] CoefficientId product(CoefficientId a, CoefficientId b) {
    if (a == kOne) return b;
    if (b == kOne) return a;
    if (a == kZero || b == kZero) return kZero;
    Product& known = products_[(a * 31 + b) % products_.size()];
    if (known.a != a || known.b != b) known = {a, b, multiply(a, b)};
    return known.product;
  }
  [[nodiscard]] CoefficientId sum(CoefficientId a, CoefficientId b) {
    if (a == kZero) return b;
    return b == kZero ? a : add(a, b);
  }
  [[nodiscard]] CoefficientId negative(CoefficientId a) { return product(a, kMinusOne); }
  /// Of an element that is not zero.
  [[nodiscard]] CoefficientId inverse(CoefficientId a) {
    if (a <= kMinusOne) return a;
    if (inverses_.size() <= a) inverses_.resize(a + 1);
    if (inverses_[a] == kZero) inverses_[a] = invert(a);
    return inverses_[a];
  }
  /// As canonical integers 0..p-1.
  [[nodiscard]] virtual bool less(CoefficientId a, CoefficientId b) const = 0;
  [[nodiscard]] virtual CoefficientId integer(std::uint64_t value) = 0;

 private:
  virtual CoefficientId multiply(CoefficientId a, CoefficientId b) = 0;
  virtual CoefficientId add(CoefficientId a, CoefficientId b) = 0;
  virtual CoefficientId invert(CoefficientId a) = 0;

  struct Product {
    CoefficientId a = kZero, b = kZero, product = kZero;
  };
  std::array<Product, 1024> products_;   // those made last
  std::vector<CoefficientId> inverses_;  // those known; kZero: not yet
};

template <typename Scalar>
class CoefficientTable final : public Coefficients {
 public:
  CoefficientTable() {
    for (const Scalar& element : {Scalar(0), Scalar(1), -Scalar(1)}) (void)id(element);
  }
  [[nodiscard]] CoefficientId id(const Scalar& element) {
    const auto [found, added] =
        ids_.try_emplace(element.limbs(), static_cast<CoefficientId>(elements_.size()));
    if (added) elements_.push_back(element);
    return found->second;
  }
  [[nodiscard]] const Scalar& element(CoefficientId id) const { return elements_[id]; }

  bool less(CoefficientId a, CoefficientId b) const override {
    const auto x = elements_[a].limbs(), y = elements_[b].limbs();
    return std::lexicographical_compare(x.rbegin(), x.rend(), y.rbegin(), y.rend());
  }
  CoefficientId integer(std::uint64_t value) override { return id(Scalar(value)); }

 private:
  using Limbs = std::array<std::uint64_t, 4>;
  struct Hash {
    size_t operator()(const Limbs& limbs) const {
      return std::hash<std::string_view>()(
          {reinterpret_cast<const char*>(limbs.data()), sizeof limbs});
    }
  };

  CoefficientId invert(CoefficientId a) override { return id(elements_[a].inverse()); }
  CoefficientId multiply(CoefficientId a, CoefficientId b) override {
    return id(elements_[a] * elements_[b]);
  }
  CoefficientId add(CoefficientId a, CoefficientId b) override {
    return id(elements_[a] + elements_[b]);
  }

  std::vector<Scalar> elements_;
  std::unordered_map<Limbs, CoefficientId, Hash> ids_;
};

}  // namespace zk
