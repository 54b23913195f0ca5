#pragma once

/// A plan in parts for several machines. Pure.

#include <span>
#include <string>
#include <vector>

#include "harness/suite/plan/plan.hpp"

namespace cliffbench {

/// "2/4" -> {2, 4}. Throws UserError for anything else.
[[nodiscard]] Shard parse_shard(const std::string& text);
[[nodiscard]] std::string shard_text(const Shard& shard);  ///< "2/4"

/// Numbers the blocks, which must be measured on one machine each: all variants at one point of the
/// axes, and all points that one claim compares (a line of sizes, for an exponent).
void number_blocks(std::vector<Cell>& cells, const std::map<std::string, Description>& programs);

/// The cells of each of `count` shards, which measures every count-th block. Balancing shards by
/// the time of their trials would gain little: one block of `full` takes more than half of its
/// whole time.
[[nodiscard]] std::vector<std::vector<size_t>> split(std::span<const Cell> cells, int count);

}  // namespace cliffbench
