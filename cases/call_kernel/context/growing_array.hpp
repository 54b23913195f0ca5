#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace zk {

/// A vector of plain values that grows in place where the allocator can (realloc, which moves pages
/// instead of bytes), doubling its capacity. For types that realloc cannot align it allocates,
/// copies and frees, as Rust's Vec does.
template <typename T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static constexpr bool kOverAligned = alignof(T) > alignof(std::max_align_t);

 public:
  GrowingArray() = default;
  GrowingArray(GrowingArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  GrowingArray& operator=(GrowingArray other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~GrowingArray() { release(data_); }

  void reserve(size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  void push_back(const T& value) {
    if (size_ == capacity_) {
      const T copy = value;  // it may be one of ours
      reallocate(std::max<size_t>(4, 2 * capacity_));
      data_[size_++] = copy;
    } else {
      data_[size_++] = value;
    }
  }
  /// None of its own elements.
  void append(std::span<const T> values) {
    if (size_ + values.size() > capacity_) {
      reallocate(std::max({size_t{4}, 2 * capacity_, size_ + values.size()}));
    }
    std::copy(values.begin(), values.end(), data_ + size_);
    size_ += values.size();
  }

  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] const T& operator[](size_t i) const { return data_[i]; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }

 private:
  static void release(T* data) {
    if constexpr (kOverAligned) {
      ::operator delete (data, std::align_val_t{alignof(T)});
    } else {
      std::free(data);
    }
  }
  void reallocate(size_t capacity) {
    if constexpr (kOverAligned) {
      T* const moved =
          static_cast<T*>(::operator new (capacity * sizeof(T), std::align_val_t{alignof(T)}));
      std::copy(data_, data_ + size_, moved);
      release(std::exchange(data_, moved));
    } else {
      void* const moved = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
      if (!moved) throw std::bad_alloc();
      data_ = static_cast<T*>(moved);
    }
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace zk
