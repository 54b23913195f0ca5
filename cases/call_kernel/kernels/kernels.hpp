#pragma once

/// The kernels, as upstream compiles them. Dimensions are positive.

#include <cstdint>
#include <string>
#include <vector>

#include "cases/call_kernel/circuit/kernel.hpp"
#include "cases/call_kernel/circuit/sizes.hpp"

namespace zk {

/// Two-sided Freivalds checks of Z_q = X W_q, Z_k = X W_k and Z_v = X W_v with one shared ru^T X.
struct FreivaldsDims {
  std::uint64_t m = 0, k = 0;       ///< X is m x k
  std::uint64_t n_q = 0, n_kv = 0;  ///< W_q is k x n_q; W_k and W_v are k x n_kv

  [[nodiscard]] std::uint64_t columns() const { return n_q + 2 * n_kv; }
};

/// RMS norm with its remainders checked in a table: y = x r gamma / 2^12 row by row, r the inverse
/// root of the mean square, remainders in limbs that a LogUp argument keeps in range.
struct SlnDims {
  std::uint64_t tokens = 0, hidden = 0;
  std::uint64_t limbs = 0;  ///< of each remainder
  std::uint64_t bits = 0;   ///< of each limb; the table has 2^bits entries

  [[nodiscard]] std::uint64_t entries() const { return std::uint64_t{1} << bits; }
  [[nodiscard]] std::uint64_t queries() const { return tokens * hidden * limbs; }
};

template <typename Scalar>
[[nodiscard]] Kernel<Scalar> freivalds(const FreivaldsDims& dims);
template <typename Scalar>
[[nodiscard]] Kernel<Scalar> pre_attn_sln(const SlnDims& dims);

/// Names that `kernel_of` knows, each with its dims: {"add", "N"}.
struct KernelName {
  std::string name, dims;
};
[[nodiscard]] const std::vector<KernelName>& kernel_names();

/// Any kernel by its name and dims. Throws KernelError with what would be right.
template <typename Scalar>
[[nodiscard]] Kernel<Scalar> kernel_of(const std::string& name,
                                       const std::vector<std::uint64_t>& dims);
/// The same kernel's sizes, and its circuits as text.
template <typename Scalar>
[[nodiscard]] Sizes kernel_sizes(const std::string& name, const std::vector<std::uint64_t>& dims);
template <typename Scalar>
[[nodiscard]] std::string kernel_listing(const std::string& name,
                                         const std::vector<std::uint64_t>& dims);

}  // namespace zk
