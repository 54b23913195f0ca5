#pragma once

#include <cstddef>
#include <unordered_map>

#include "harness/suite/case/patch.hpp"

namespace patches::call_kernel {

inline const cliffbench::Patch kPointerCache{
    .name = "pointer_cache",
    .before = "Every call hashes and compares the whole kernel.",
    .after =
        "The kernel's address is looked up first, in a table of numbers; only an unknown address "
        "costs a hash and a comparison.",
    .cost =
        "Unsound: nothing ties the address to the kernel's life or content. A kernel rebuilt in "
        "the same stack slot, reassigned or allocated where a freed one was gets the number of the "
        "old one: the values come from the new kernel, the graph records the old, silently.",
    .source = "Proposed in the ECC issue as the short-term fix; upstream's choice (464f687).",
    .left_out = "A moved, copied or rebuilt kernel is hashed and compared as before."};

/// Seam one: a kernel is named by its address, then by its content.
template <typename PoolType, typename Kernel>
class PointerCache {
 public:
  [[nodiscard]] std::size_t id_of(const Kernel& kernel) {
    const auto known = by_address_.find(&kernel);
    if (known != by_address_.end()) return known->second;
    return by_address_[&kernel] = pool_.add(kernel);
  }
  [[nodiscard]] static const Kernel& kernel_of(const Kernel& kernel) { return kernel; }
  [[nodiscard]] const PoolType& pool() const { return pool_; }

 private:
  PoolType pool_;
  std::unordered_map<const void*, std::size_t> by_address_;
};

}  // namespace patches::call_kernel
