#include "harness/text/typing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

/// A table of the costs between all beginnings of both words.
size_t distance(std::string_view a, std::string_view b) {
  const size_t columns = b.size() + 1;
  std::vector<size_t> costs((a.size() + 1) * columns);
  const auto cost = [&](size_t i, size_t j) -> size_t& { return costs[i * columns + j]; };
  for (size_t i = 0; i <= a.size(); ++i) cost(i, 0) = i;
  for (size_t j = 0; j <= b.size(); ++j) cost(0, j) = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      cost(i, j) =
          std::min({cost(i - 1, j) + 1, cost(i, j - 1) + 1, cost(i - 1, j - 1) + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost(i, j) = std::min(cost(i, j), cost(i - 2, j - 2) + 1);
      }
    }
  }
  return costs.back();
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& known) {
  constexpr size_t kLongest = 100;  // nobody typed that; the table grows with the square
  std::string best;
  if (typed.size() > kLongest) return best;
  size_t least = typed.size() / 3 + 1;
  for (const std::string& word : known) {
    if (word.size() > kLongest) continue;
    const size_t changes = distance(typed, word);
    if (changes >= least) continue;
    least = changes;
    best = word;
  }
  return best;
}

std::string no_such(std::string_view what, std::string_view typed,
                    const std::vector<std::string>& known) {
  const std::string meant = nearest(typed, known);
  return fmt::format(
      "there is no {} '{}'; {}", what, typed,
      meant.empty() ? "it is one of " + joined(known) : "did you mean '" + meant + "'?");
}

}  // namespace cliffbench
