#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace zk {

/// The scalar field of BN254 (a 254-bit prime): four limbs in Montgomery form with R = 2^256,
/// always canonical. Multiplication: operand scanning with interleaved reduction (Koc, Acar,
/// Kaliski, "Analyzing and Comparing Montgomery Multiplication Algorithms", 1996: CIOS).
class Bn254 {
 public:
  using Limbs = std::array<std::uint64_t, 4>;  ///< least significant first
  static constexpr Limbs kModulus = {0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d,
                                     0x30644e72e131a029};
  static constexpr const char* kName = "bn254";

  constexpr Bn254() = default;
  constexpr explicit Bn254(std::uint64_t value) : Bn254(from_limbs({value})) {}
  /// An integer below p.
  static constexpr Bn254 from_limbs(const Limbs& integer) {
    return from_raw(integer) * from_raw(kR2);
  }
  /// A stored (Montgomery) value as it is, below p.
  static constexpr Bn254 from_raw(const Limbs& raw) {
    Bn254 element;
    element.limbs_ = raw;
    return element;
  }

  [[nodiscard]] constexpr const Limbs& raw() const { return limbs_; }
  /// The canonical integer, below p.
  [[nodiscard]] constexpr Limbs limbs() const { return (*this * from_raw({1})).limbs_; }
  [[nodiscard]] constexpr bool is_zero() const { return limbs_ == Limbs{}; }

  friend constexpr bool operator==(const Bn254&, const Bn254&) = default;
  friend constexpr Bn254 operator+(const Bn254& a, const Bn254& b) {
    Limbs sum = {};
    (void)add(a.limbs_, b.limbs_, sum);  // below 2^255: no carry
    return reduced(sum);
  }
  friend constexpr Bn254 operator-(const Bn254& a, const Bn254& b) {
    Limbs difference = {};
    const std::uint64_t mask = 0 - subtract(a.limbs_, b.limbs_, difference);
    Limbs modulus = {};
    for (size_t i = 0; i < 4; ++i) modulus[i] = kModulus[i] & mask;
    (void)add(difference, modulus, difference);
    return from_raw(difference);
  }
  friend constexpr Bn254 operator-(const Bn254& a) { return Bn254() - a; }
  friend constexpr Bn254 operator*(const Bn254& a, const Bn254& b) {
    std::uint64_t t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0;
    for (size_t i = 0; i < 4; ++i) {
      const std::uint64_t x = a.limbs_[i];
      Wide wide = Wide{x} * b.limbs_[0] + t0;
      t0 = low(wide);
      wide = Wide{x} * b.limbs_[1] + t1 + high(wide);
      t1 = low(wide);
      wide = Wide{x} * b.limbs_[2] + t2 + high(wide);
      t2 = low(wide);
      wide = Wide{x} * b.limbs_[3] + t3 + high(wide);
      t3 = low(wide);
      t4 += high(wide);  // p < 2^254, so t stays below 2^320
      const std::uint64_t m = t0 * kInverse;
      wide = Wide{m} * kModulus[0] + t0;
      wide = Wide{m} * kModulus[1] + t1 + high(wide);
      t0 = low(wide);
      wide = Wide{m} * kModulus[2] + t2 + high(wide);
      t1 = low(wide);
      wide = Wide{m} * kModulus[3] + t3 + high(wide);
      t2 = low(wide);
      wide = Wide{t4} + high(wide);
      t3 = low(wide);
      t4 = high(wide);
    }
    return reduced({t0, t1, t2, t3});
  }
  /// The inverse, by the binary extended Euclidean algorithm; 0 for 0.
  [[nodiscard]] constexpr Bn254 inverse() const {
    if (is_zero()) return {};
    // a * this = u and b * this = v (mod p), until one of them is 1
    Limbs u = limbs(), v = kModulus, a = {1}, b = {};
    const auto make_odd = [](Limbs& value, Limbs& factor) {
      while (!(value[0] & 1)) {
        halve(value, 0);
        std::uint64_t carry = 0;
        if (factor[0] & 1) carry = add(factor, kModulus, factor);
        halve(factor, carry);
      }
    };
    constexpr Limbs kOne = {1};
    while (u != kOne && v != kOne) {
      make_odd(u, a);
      make_odd(v, b);
      Limbs difference = {};
      if (subtract(u, v, difference)) {
        (void)subtract(v, u, v);
        b = (from_raw(b) - from_raw(a)).limbs_;
      } else {
        u = difference;
        a = (from_raw(a) - from_raw(b)).limbs_;
      }
    }
    return from_limbs(u == kOne ? a : b);
  }

  /// Writes the number of limbs, 8 bytes, and the Montgomery limbs, 32 bytes, as the derived hash
  /// does.
  template <typename Sink>
  void write_to(Sink& sink) const {
    constexpr std::uint64_t kSize = 4;
    sink.bytes(&kSize, sizeof kSize);
    sink.bytes(limbs_.data(), sizeof limbs_);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t low(Wide wide) { return static_cast<std::uint64_t>(wide); }
  static constexpr std::uint64_t high(Wide wide) { return static_cast<std::uint64_t>(wide >> 64); }

  /// a - b into `difference`; 1 when it borrows.
  static constexpr std::uint64_t subtract(const Limbs& a, const Limbs& b, Limbs& difference) {
    std::uint64_t borrow = 0;
    for (size_t i = 0; i < 4; ++i) {
      const Wide wide = Wide{a[i]} - b[i] - borrow;
      difference[i] = low(wide);
      borrow = high(wide) & 1;
    }
    return borrow;
  }
  /// a + b into `sum`; 1 when it carries.
  static constexpr std::uint64_t add(const Limbs& a, const Limbs& b, Limbs& sum) {
    std::uint64_t carry = 0;
    for (size_t i = 0; i < 4; ++i) {
      const Wide wide = Wide{a[i]} + b[i] + carry;
      sum[i] = low(wide);
      carry = high(wide);
    }
    return carry;
  }
  static constexpr void halve(Limbs& value, std::uint64_t top_bit) {
    for (size_t i = 0; i < 4; ++i) {
      value[i] = value[i] >> 1 | (i < 3 ? value[i + 1] : top_bit) << 63;
    }
  }
  /// `value` is below 2p.
  static constexpr Bn254 reduced(const Limbs& value) {
    Limbs difference = {};
    const std::uint64_t keep = 0 - subtract(value, kModulus, difference);
    for (size_t i = 0; i < 4; ++i) difference[i] = (value[i] & keep) | (difference[i] & ~keep);
    return from_raw(difference);
  }
  /// -1/p mod 2^64, by Newton's iteration.
  static constexpr std::uint64_t kInverse = [] {
    std::uint64_t inverse = 1;
    for (int i = 0; i < 6; ++i) inverse *= 2 - kModulus[0] * inverse;
    return 0 - inverse;
  }();
  /// 2^512 mod p.
  static constexpr Limbs kR2 = {0x1bb8e645ae216da7, 0x53fe3ab1e35c59e3, 0x8c49833d53bb8085,
                                0x0216d0b17f4e44a5};

  Limbs limbs_ = {};
};

}  // namespace zk
