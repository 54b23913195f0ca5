#pragma once

#include <string>

#include "cases/call_kernel/circuit/kernel.hpp"
#include "cases/call_kernel/field/bn254.hpp"
#include "cases/call_kernel/field/m31.hpp"

namespace zk {

/// A decimal integer; above p/2 as a negative one.
[[nodiscard]] std::string text(const M31& element);
[[nodiscard]] std::string text(const Bn254& element);

/// Both circuits of a kernel, one instruction a line: `v4 = lin(1*v1, -1*v2, 0)`, `v5 = mul(v1,
/// v4)`, `v6..v7 = hint(0x1; v5)`, `v8..v8 = call(0x2; v6)`, `v9 = random`; then constraints and
/// outputs.
template <typename Scalar>
[[nodiscard]] std::string listing(const Kernel<Scalar>& kernel);

}  // namespace zk
