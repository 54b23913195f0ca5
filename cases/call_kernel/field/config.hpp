#pragma once

#include "cases/call_kernel/field/bn254.hpp"
#include "cases/call_kernel/field/m31.hpp"
#include "cases/call_kernel/field/m31x16.hpp"

namespace zk {

/// One element of BN254 with the interface of a packed type.
class Bn254x1 {
 public:
  static constexpr size_t kLanes = 1;
  static const char* target() { return "64-bit integers"; }

  Bn254x1() = default;
  explicit Bn254x1(const Bn254& element) : element_(element) {}
  [[nodiscard]] const Bn254& lane(size_t) const { return element_; }
  void set_lane(size_t, const Bn254& element) { element_ = element; }
  friend bool operator==(const Bn254x1&, const Bn254x1&) = default;
  friend Bn254x1 operator+(const Bn254x1& a, const Bn254x1& b) {
    return Bn254x1(a.element_ + b.element_);
  }
  friend Bn254x1 operator-(const Bn254x1& a, const Bn254x1& b) {
    return Bn254x1(a.element_ - b.element_);
  }
  friend Bn254x1 operator*(const Bn254x1& a, const Bn254x1& b) {
    return Bn254x1(a.element_ * b.element_);
  }

 private:
  Bn254 element_;
};

/// A field with the packed type that a device memory holds: every variable is one packed value,
/// its lanes are independent witnesses.
struct M31Config {
  using Scalar = M31;
  using Packed = M31x16;
};
struct Bn254Config {
  using Scalar = Bn254;
  using Packed = Bn254x1;
};

}  // namespace zk
