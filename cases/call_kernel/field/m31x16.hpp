#pragma once

/// Sixteen elements of M31 in one value of 64 bytes: one AVX-512 register, two of AVX2, four of
/// NEON or of SSE, or four groups of plain integers, all from this source through Google Highway.
/// The instruction set is the one that the file is compiled for (-march=native in the benchmark),
/// as upstream builds with target-cpu=native; kTarget names it.

// Highway 1.0.3 (Debian 12) refuses to compile for Sapphire Rapids and its like, whose set is in
// its baseline but not among those it would choose from at run time; we never choose at run time.
#ifndef HWY_COMPILE_ONLY_SCALAR
#define HWY_COMPILE_ONLY_STATIC
#endif
#include <hwy/highway.h>

#include <array>

#include "cases/call_kernel/field/m31.hpp"

namespace zk {

class alignas(64) M31x16 {
  using Tag = hwy::HWY_NAMESPACE::CappedTag<std::uint32_t, 16>;
  using Vector = hwy::HWY_NAMESPACE::Vec<Tag>;
  static constexpr size_t kWidth = hwy::HWY_NAMESPACE::MaxLanes(Tag());
  static constexpr size_t kVectors = 16 / kWidth;

 public:
  static constexpr size_t kLanes = 16;
  static const char* target() { return hwy::TargetName(HWY_TARGET); }

  M31x16() : M31x16(M31()) {}
  /// The same element in all lanes.
  explicit M31x16(M31 element) {
    for (Vector& vector : vectors_) vector = hwy::HWY_NAMESPACE::Set(Tag(), element.raw());
  }
  /// Lane 0 first; every value 0..p.
  static M31x16 from_raw(const std::array<std::uint32_t, 16>& raw) {
    M31x16 packed;
    for (size_t i = 0; i < kVectors; ++i) {
      packed.vectors_[i] = hwy::HWY_NAMESPACE::LoadU(Tag(), raw.data() + i * kWidth);
    }
    return packed;
  }
  [[nodiscard]] std::array<std::uint32_t, 16> raw() const {
    std::array<std::uint32_t, 16> lanes;
    for (size_t i = 0; i < kVectors; ++i) {
      hwy::HWY_NAMESPACE::StoreU(vectors_[i], Tag(), lanes.data() + i * kWidth);
    }
    return lanes;
  }
  [[nodiscard]] M31 lane(size_t i) const { return M31::from_raw(raw()[i]); }
  void set_lane(size_t i, M31 element) {
    auto lanes = raw();
    lanes[i] = element.raw();
    *this = from_raw(lanes);
  }
  friend bool operator==(const M31x16& a, const M31x16& b) {
    for (size_t i = 0; i < kLanes; ++i) {
      if (a.lane(i) != b.lane(i)) return false;
    }
    return true;
  }

  // A sum of two of 0..p is below 2^32, so "t < p" shows as t - p wrapping to a huge number.
  friend M31x16 operator+(const M31x16& a, const M31x16& b) {
    return each(a, b, [](Vector x, Vector y) { return folded(hwy::HWY_NAMESPACE::Add(x, y)); });
  }
  friend M31x16 operator-(const M31x16& a, const M31x16& b) {
    return each(a, b, [](Vector x, Vector y) {
      const Vector t = hwy::HWY_NAMESPACE::Sub(x, y);
      return hwy::HWY_NAMESPACE::Min(t, hwy::HWY_NAMESPACE::Add(t, modulus()));
    });
  }
  friend M31x16 operator-(const M31x16& a) {
    return each(a, a, [](Vector x, Vector) { return hwy::HWY_NAMESPACE::Xor(x, modulus()); });
  }
  /// Canonical lanes. Only even 32-bit lanes feed the widening multiply, so even and odd lanes are
  /// multiplied apart, with one operand doubled: then the high half of 2ab is floor(ab / 2^31) and
  /// the low half, shifted back by one, is ab mod 2^31; 2^31 is 1 here, so their sum is the
  /// product.
  friend M31x16 operator*(const M31x16& a, const M31x16& b) {
    return each(a, b, [](Vector x, Vector y) {
      namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET == HWY_SCALAR
      return hn::Set(Tag(), (M31::from_raw(x.raw) * M31::from_raw(y.raw)).raw());
#else
      const hn::Repartition<std::uint64_t, Tag> wide;
      const Tag tag;
      const auto x_wide = hn::BitCast(wide, x), y_wide = hn::BitCast(wide, y);
      const Vector x_odd = hn::BitCast(tag, hn::ShiftRight<31>(x_wide));  // moved down and doubled
      const Vector y_odd = hn::BitCast(tag, hn::ShiftRight<32>(y_wide));
      const auto even = hn::MulEven(hn::Add(x, x), y);
      const auto odd = hn::MulEven(x_odd, y_odd);
      const Vector low = hn::OddEven(hn::BitCast(tag, hn::ShiftLeft<32>(odd)), hn::BitCast(tag, even));
      const Vector high = hn::OddEven(hn::BitCast(tag, odd), hn::BitCast(tag, hn::ShiftRight<32>(even)));
      return folded(hn::Add(hn::ShiftRight<1>(low), high));
#endif
    });
  }

 private:
  static Vector modulus() { return hwy::HWY_NAMESPACE::Set(Tag(), M31::kModulus); }
  static Vector folded(Vector t) {
    return hwy::HWY_NAMESPACE::Min(t, hwy::HWY_NAMESPACE::Sub(t, modulus()));
  }
  template <typename Operation>
  static M31x16 each(const M31x16& a, const M31x16& b, Operation operation) {
    M31x16 result{Uninitialized()};
    for (size_t i = 0; i < kVectors; ++i) {
      result.vectors_[i] = operation(a.vectors_[i], b.vectors_[i]);
    }
    return result;
  }
  struct Uninitialized {};
  explicit M31x16(Uninitialized) {}

  Vector vectors_[kVectors];
};
static_assert(sizeof(M31x16) == 64);

}  // namespace zk
