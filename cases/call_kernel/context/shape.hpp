#pragma once

#include <optional>
#include <vector>

#include "cases/call_kernel/circuit/kernel.hpp"

namespace zk {

/// Positions at which a flat memory must be divisible: 1 = p_0 < p_1 < ... < p_n = elements, each
/// dividing the next.
using SplitList = std::vector<std::uint64_t>;

[[nodiscard]] std::uint64_t elements(const Shape& shape);

/// [1, n], or [1] for n = 1.
[[nodiscard]] SplitList whole_memory(std::uint64_t elements);

/// Into the sorted union. False, with `into` unchanged, when an entry would not divide the next.
/// Allocates only when something is added.
[[nodiscard]] bool merge(SplitList& into, const SplitList& other);

/// How a handle reads its memory: the reshapes and transpositions since the memory was made.
class ShapeHistory {
 public:
  explicit ShapeHistory(Shape shape) : entries_{{std::move(shape), {}}} { refresh(); }

  /// The shape that the handle shows.
  [[nodiscard]] const Shape& shape() const { return shape_; }
  /// Throws Panic when the number of elements differs.
  [[nodiscard]] ShapeHistory reshape(const Shape& shape) const;
  /// Dimension i of the result is dimension axes[i]. Throws Panic unless `axes` is a permutation.
  [[nodiscard]] ShapeHistory transpose(const std::vector<size_t>& axes) const;

  /// Where the memory must be divisible so that the handle's shape can be seen in it, with the
  /// first dimension kept apart if asked; nullptr when no such list exists.
  [[nodiscard]] const SplitList* split_list(bool split_first) const {
    const auto& list = split_first ? split_ : joined_;
    return list ? &*list : nullptr;
  }
  [[nodiscard]] bool is_identity() const;
  /// For each of the handle's elements, row-major: its place in the memory.
  [[nodiscard]] std::vector<std::uint64_t> places() const;

 private:
  struct Entry {
    Shape shape;
    std::vector<size_t> axes;  ///< empty: not transposed
  };

  void refresh();
  [[nodiscard]] std::optional<SplitList> make_split_list(bool split_first) const;

  std::vector<Entry> entries_;
  Shape shape_;  // of the last entry, transposed
  std::optional<SplitList> split_, joined_;
};

}  // namespace zk
