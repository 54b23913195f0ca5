#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zk {

/// Sizes, hash stream and digest of a kernel as one JSON object. Throws KernelError.
template <typename Scalar>
[[nodiscard]] std::string description(const std::string& name,
                                      const std::vector<std::uint64_t>& dims);

/// Answers a question about a kernel: `arguments` is what stands behind --inspect: the kernel's
/// name, --dims 2,3, --field m31|bn254 (m31), and --listing for the circuits instead of the JSON
/// object with sizes and digest. Prints to standard output; returns 0, or 2 (13: out of memory)
/// with one sentence on standard error when the question is wrong.
[[nodiscard]] int inspect(const std::vector<std::string>& arguments);

}  // namespace zk
