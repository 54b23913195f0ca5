#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

#include "harness/suite/case/patch.hpp"

namespace patches::call_kernel {

inline const cliffbench::Patch kKernelIds{
    .name = "kernel_ids",
    .before =
        "Every call hashes the whole kernel, all instructions of both circuits, and compares it "
        "deeply with the stored clone, only to learn the number that it got at its first call.",
    .after =
        "register_kernel returns a typed id that belongs to the context; call_kernel_by_id looks "
        "the kernel up by it. Registering hashes and compares as before, so equal kernels get one "
        "id and different ones never share one.",
    .cost =
        "Callers keep the id. An id of another context, or from before a reset, is refused with "
        "an error.",
    .source =
        "Proposed in the ECC issue as the long-term fix (register_kernel, call_kernel_by_id); "
        "not in any upstream release.",
    .left_out =
        "Registering a kernel, and calls that name it by its content, cost as much as before."};

/// Seam one: a kernel is named by the id that its context gave it. `PoolType` numbers kernels by
/// content (add, get).
template <typename PoolType, typename Kernel>
class KernelIds {
 public:
  class Id {
    friend class KernelIds;
    Id(std::uint64_t owner, std::size_t index) : owner_(owner), index_(index) {}
    std::uint64_t owner_;
    std::size_t index_;
  };

  [[nodiscard]] Id register_kernel(const Kernel& kernel) { return {serial_, pool_.add(kernel)}; }
  /// Throws std::invalid_argument for an id that this one did not give.
  [[nodiscard]] std::size_t id_of(const Id& id) const {
    if (id.owner_ != serial_) {
      throw std::invalid_argument(
          "this kernel id belongs to another context, or to this one before its reset; register "
          "the kernel here");
    }
    return id.index_;
  }
  [[nodiscard]] const Kernel& kernel_of(const Id& id) const { return pool_.get(id_of(id)); }
  [[nodiscard]] const PoolType& pool() const { return pool_; }

 private:
  static std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
  }

  std::uint64_t serial_ = next_serial();
  PoolType pool_;
};

/// The new interface. `Context` has such an identity.
template <typename Context, typename Kernel>
[[nodiscard]] auto register_kernel(Context& context, const Kernel& kernel) {
  return context.identity().register_kernel(kernel);
}
template <typename Context, typename Id, typename Ios>
void call_kernel_by_id(Context& context, const Id& id, std::uint64_t num_parallel, Ios&& ios) {
  context.call_kernel(id, num_parallel, ios);
}

}  // namespace patches::call_kernel
