#pragma once

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace cliffbench {

/// std::shuffle differs between standard libraries; this does not. Fisher and Yates, with the
/// modulo's bias of at most n / 2^64.
template <typename T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

}  // namespace cliffbench
