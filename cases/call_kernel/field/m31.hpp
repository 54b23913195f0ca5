#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace zk {

/// The field of p = 2^31 - 1 elements. Holds 0..p: p is a second zero, as in the packed form, so
/// compare and hash by canonical().
class M31 {
 public:
  static constexpr std::uint32_t kModulus = 0x7fffffff;
  static constexpr const char* kName = "m31";

  constexpr M31() = default;
  constexpr explicit M31(std::uint64_t value)
      : value_(static_cast<std::uint32_t>(value % kModulus)) {}
  /// A stored value as it is, 0..p.
  static constexpr M31 from_raw(std::uint32_t raw) {
    M31 element;
    element.value_ = raw;
    return element;
  }

  [[nodiscard]] constexpr std::uint32_t raw() const { return value_; }
  /// 0..p-1.
  [[nodiscard]] constexpr std::uint32_t canonical() const {
    return value_ == kModulus ? 0 : value_;
  }
  /// The canonical value as 256 bits, least significant limb first.
  [[nodiscard]] constexpr std::array<std::uint64_t, 4> limbs() const { return {canonical()}; }
  [[nodiscard]] constexpr bool is_zero() const { return canonical() == 0; }

  friend constexpr bool operator==(M31 a, M31 b) { return a.canonical() == b.canonical(); }
  friend constexpr M31 operator+(M31 a, M31 b) { return reduced(a.value_ + b.value_); }
  friend constexpr M31 operator-(M31 a) { return from_raw(kModulus - a.value_); }
  friend constexpr M31 operator-(M31 a, M31 b) { return a + -b; }
  friend constexpr M31 operator*(M31 a, M31 b) {
    const std::uint64_t product = std::uint64_t{a.value_} * b.value_;
    return reduced(static_cast<std::uint32_t>((product & kModulus) + (product >> 31)));
  }
  /// The inverse by Fermat's little theorem; 0 for 0.
  [[nodiscard]] constexpr M31 inverse() const {
    M31 power(1), square = *this;
    for (std::uint32_t e = kModulus - 2; e; e >>= 1, square = square * square) {
      if (e & 1) power = power * square;
    }
    return power;
  }

  /// Writes the canonical value, 4 bytes, as the derived hash does.
  template <typename Sink>
  void write_to(Sink& sink) const {
    sink.u32(canonical());
  }

 private:
  /// `sum` is at most 2p.
  static constexpr M31 reduced(std::uint32_t sum) {
    return from_raw(sum >= kModulus ? sum - kModulus : sum);
  }

  std::uint32_t value_ = 0;
};

}  // namespace zk
