#include "cases/call_kernel/context/shape.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "cases/call_kernel/context/errors.hpp"

namespace zk {
namespace {

Shape transposed(const Shape& shape, const std::vector<size_t>& axes) {
  Shape result;
  for (const size_t axis : axes) result.push_back(shape[axis]);
  return result;
}

SplitList prefix_products(const Shape& shape) {
  SplitList list = {1};
  for (const std::uint64_t size : shape) {
    if (size > 1) list.push_back(list.back() * size);
  }
  return list;
}

/// Neighbouring dimensions that stay neighbours, in order, become one. `axes` may be empty.
void minimize(Shape& shape, std::vector<size_t>& axes, bool keep_first) {
  if (axes.empty()) {
    axes.resize(shape.size());
    std::iota(axes.begin(), axes.end(), size_t{0});
  }
  std::vector<std::vector<size_t>> groups;  // in the order of the result
  for (size_t i = 0; i < axes.size(); ++i) {
    const bool joins = i > 0 && axes[i] == axes[i - 1] + 1 && !(keep_first && i == 1);
    if (!joins) groups.emplace_back();
    groups.back().push_back(axes[i]);
  }
  std::vector<size_t> order(groups.size());  // groups as they lie in the memory
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return groups[a] < groups[b]; });
  Shape minimal;
  std::vector<size_t> minimal_axes(groups.size());
  for (size_t place = 0; place < order.size(); ++place) {
    std::uint64_t size = 1;
    for (const size_t axis : groups[order[place]]) size *= shape[axis];
    minimal.push_back(size);
    minimal_axes[order[place]] = place;
  }
  shape = std::move(minimal);
  axes = std::move(minimal_axes);
}

/// A list that holds for the transposed memory, for the memory as it was: each dimension's segment
/// of the list moves with the dimension.
SplitList untransposed(const SplitList& list, const Shape& shape, const std::vector<size_t>& axes) {
  std::vector<SplitList> segments(shape.size());  // by dimension of `shape`, relative to its start
  std::uint64_t begin = 1;
  for (const size_t axis : axes) {
    const std::uint64_t end = begin * shape[axis];
    for (const std::uint64_t split : list) {
      if (split > begin && split <= end) segments[axis].push_back(split / begin);
    }
    begin = end;
  }
  SplitList result = {1};
  begin = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    for (const std::uint64_t split : segments[i]) result.push_back(begin * split);
    begin *= shape[i];
  }
  return result;
}

}  // namespace

std::uint64_t elements(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

SplitList whole_memory(std::uint64_t count) {
  return count == 1 ? SplitList{1} : SplitList{1, count};
}

bool merge(SplitList& into, const SplitList& other) {
  if (std::ranges::includes(into, other)) return true;
  SplitList merged;
  std::ranges::set_union(into, other, std::back_inserter(merged));
  for (size_t i = 1; i < merged.size(); ++i) {
    if (merged[i] % merged[i - 1] != 0) return false;
  }
  into = std::move(merged);
  return true;
}

ShapeHistory ShapeHistory::reshape(const Shape& shape) const {
  if (zk::elements(shape) != zk::elements(shape_)) {
    throw Panic("Reshape to a shape with different vector length is not allowed, expected " +
                std::to_string(zk::elements(shape_)) + ", got " +
                std::to_string(zk::elements(shape)));
  }
  ShapeHistory result = *this;
  if (result.entries_.back().axes.empty()) {
    result.entries_.back().shape = shape;
  } else {
    result.entries_.push_back({shape, {}});
  }
  result.refresh();
  return result;
}

ShapeHistory ShapeHistory::transpose(const std::vector<size_t>& axes) const {
  if (axes.size() != shape_.size()) {
    throw Panic("Transpose axes length must match the shape length, expected " +
                std::to_string(shape_.size()) + ", got " + std::to_string(axes.size()));
  }
  std::vector<size_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != i) throw Panic("Transpose axes must name each dimension once");
  }
  ShapeHistory result = *this;
  std::vector<size_t>& last = result.entries_.back().axes;
  if (last.empty()) {
    last = axes;
  } else {
    std::vector<size_t> composed;
    for (const size_t axis : axes) composed.push_back(last[axis]);
    last = std::move(composed);
  }
  result.refresh();
  return result;
}

bool ShapeHistory::is_identity() const {
  return std::ranges::all_of(entries_,
                             [](const Entry& entry) { return std::ranges::is_sorted(entry.axes); });
}

std::vector<std::uint64_t> ShapeHistory::places() const {
  const std::uint64_t count = zk::elements(shape_);
  std::vector<std::uint64_t> places(count);
  std::iota(places.begin(), places.end(), std::uint64_t{0});
  for (const auto& [shape, axes] : entries_) {
    if (axes.empty()) continue;
    std::vector<std::uint64_t> strides(shape.size(), 1);
    for (size_t i = shape.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * shape[i];
    // The offsets of the first dimensions are known; each further one multiplies their number.
    std::vector<std::uint64_t> offsets = {0};
    for (const size_t axis : axes) {
      std::vector<std::uint64_t> longer;
      longer.reserve(offsets.size() * shape[axis]);
      for (const std::uint64_t offset : offsets) {
        for (std::uint64_t i = 0; i < shape[axis]; ++i)
          longer.push_back(offset + i * strides[axis]);
      }
      offsets = std::move(longer);
    }
    for (std::uint64_t& offset : offsets) offset = places[offset];
    places = std::move(offsets);
  }
  return places;
}

void ShapeHistory::refresh() {
  const auto& [shape, axes] = entries_.back();
  shape_ = axes.empty() ? shape : transposed(shape, axes);
  split_ = make_split_list(true);
  joined_ = make_split_list(false);
}

std::optional<SplitList> ShapeHistory::make_split_list(bool split_first) const {
  SplitList list;
  for (size_t i = entries_.size(); i-- > 0;) {
    auto [shape, axes] = entries_[i];
    const bool last = i + 1 == entries_.size();
    minimize(shape, axes, last && split_first);
    if (last) {
      list = prefix_products(shape);
      continue;
    }
    if (!merge(list, prefix_products(transposed(shape, axes)))) return std::nullopt;
    list = untransposed(list, shape, axes);
  }
  return list;
}

}  // namespace zk
