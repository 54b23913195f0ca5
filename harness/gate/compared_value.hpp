#pragma once

/// What a benchmark is compared by: a time of one iteration or a counter, read from its rows. Pure.

#include <array>
#include <optional>
#include <string>

#include "harness/core/host/exact.hpp"
#include "harness/core/record/row.hpp"
#include "harness/core/stats/stats.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {

/// The quantity that decides a benchmark.
enum class Metric { cpu, wall, instructions };
template <>
inline constexpr auto kWords<Metric> = std::to_array<Word<Metric>>(
    {{Metric::cpu, "cpu"}, {Metric::wall, "wall"}, {Metric::instructions, "instructions"}});
[[nodiscard]] inline std::string word(Metric metric) { return word_of(metric); }

struct WantedCounter {
  std::string name;
  bool larger_is_better = false;
  bool operator==(const WantedCounter&) const = default;
};

/// More of it is worse.
struct ComparedValue {
  Metric metric = Metric::cpu;  ///< the clock of a time
  bool of_mean = false;         ///< the mean of the batches, in place of the fastest
  /// Times as they would be at `count` iterations, where t ~ iterations^growth.
  double growth = 0, count = 0;
  std::optional<WantedCounter> counter = {};  ///< in place of a time

  /// [limit, inf] of a time that was stopped. Nothing where there is no time above 0 (only that has
  /// a logarithm), or no counter.
  [[nodiscard]] std::optional<Range> of(const Row& row) const;
  /// Why a row has none, in one sentence.
  [[nodiscard]] std::string why_none(const Row& row) const;
};

}  // namespace cliffbench
