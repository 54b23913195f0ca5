#pragma once

/// Counters of a benchmark that decide beside its time, from the same pairs. Pure.

#include <span>
#include <string>

#include "harness/gate/ruling.hpp"

namespace cliffbench {

/// Whether more of it is better, by its unit: "bytes_per_second", "hits/s".
[[nodiscard]] bool is_rate(const std::string& counter);

/// Judges a counter as judge_pairs judges a time; where larger is better, its inverse. A counter
/// that is 0 on both sides has not changed. One that is missing or negative is not measured.
[[nodiscard]] GateFinding judge_counter(std::span<const Row> rows, const WantedCounter& counter,
                                        const PairRule& rule);

}  // namespace cliffbench
