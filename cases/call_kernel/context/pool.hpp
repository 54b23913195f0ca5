#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "cases/call_kernel/circuit/siphash.hpp"
#include "cases/call_kernel/context/errors.hpp"

namespace zk {

/// Values by number, equal values under one number: a vector of clones and a hash table from
/// another clone to the number. The table keeps no hashes, as upstream's: a hit costs one hash and
/// one deep comparison, a new value two hashes, and growth hashes every key again. (Open addressing
/// with 7 bits of the hash beside each key; 3, 7, 14, 28, ... keys before it grows.)
template <typename Value>
class Pool {
 public:
  Pool() {
    std::random_device random;
    for (std::uint64_t& key : keys_) key = std::uint64_t{random()} << 32 | random();
  }

  /// The number of the value equal to this one; clones it twice when there is none.
  size_t add(const Value& value) {
    if (const Entry* found = find(value)) return found->index;
    const size_t index = values_.size();
    values_.push_back(value);
    if (values_.size() > capacity()) grow();
    insert({value, index});
    return index;
  }
  [[nodiscard]] const Value& get(size_t index) const {
    if (index >= values_.size()) throw Panic("Pool index out of bounds");
    return values_[index];
  }
  [[nodiscard]] size_t index_of(const Value& value) const {
    const Entry* found = find(value);
    if (!found) throw Panic("Pool value does not exist");
    return found->index;
  }
  [[nodiscard]] size_t size() const { return values_.size(); }

  /// How often a whole value was hashed or compared.
  struct Work {
    std::uint64_t hashes = 0, comparisons = 0;
  };
  [[nodiscard]] const Work& work() const { return work_; }

 private:
  struct Entry {
    Value key;
    size_t index;
  };

  std::uint64_t hash(const Value& value) const {
    ++work_.hashes;
    SipHasher hasher(keys_[0], keys_[1]);
    value.write_to(hasher);
    return hasher.finish();
  }
  static std::uint8_t tag(std::uint64_t hash) {
    return static_cast<std::uint8_t>(0x80 | hash >> 57);
  }

  [[nodiscard]] size_t capacity() const {
    return tags_.size() < 8 ? tags_.size() * 3 / 4 : tags_.size() / 8 * 7;
  }
  const Entry* find(const Value& value) const {
    if (values_.empty()) return nullptr;
    const std::uint64_t hashed = hash(value);
    for (size_t at = hashed;; ++at) {
      const size_t slot = at & (tags_.size() - 1);
      if (!tags_[slot]) return nullptr;
      if (tags_[slot] != tag(hashed)) continue;
      ++work_.comparisons;
      if (entries_[slot]->key == value) return &*entries_[slot];
    }
  }
  void insert(Entry entry) {
    const std::uint64_t hashed = hash(entry.key);
    size_t at = hashed;
    while (tags_[at & (tags_.size() - 1)]) ++at;
    tags_[at & (tags_.size() - 1)] = tag(hashed);
    entries_[at & (tags_.size() - 1)] = std::move(entry);
  }
  void grow() {
    std::vector<std::optional<Entry>> old;
    old.swap(entries_);
    const size_t slots = tags_.empty() ? 4 : tags_.size() * 2;
    tags_.assign(slots, 0);
    entries_.resize(slots);
    for (std::optional<Entry>& entry : old) {
      if (entry) insert(std::move(*entry));
    }
  }

  std::uint64_t keys_[2];
  std::vector<Value> values_;
  std::vector<std::uint8_t> tags_;  // 0: free
  std::vector<std::optional<Entry>> entries_;
  mutable Work work_;
};

}  // namespace zk
