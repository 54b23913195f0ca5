#pragma once

/// Reads quantities off the rows of a program: times, ratios by round, slopes along an axis. Pure.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/suite/judge/claim.hpp"

namespace cliffbench {

using CellKey = std::pair<Params, std::string>;  // point, variant
using RoundKey = std::pair<int, int>;            // number of the run, round

/// One value for each round that has one, in the order of the rounds.
template <typename T>
using ByRound = std::vector<std::pair<RoundKey, T>>;
using CellRows = ByRound<const Row*>;

/// The rows by cell. Nothing but judge_cells should see those of cells whose output is wrong.
using Cells = std::map<CellKey, CellRows>;

/// Time of a row's timed region, or of one stage of it; nothing when the row says nothing about it.
[[nodiscard]] std::optional<Range> stage_time(const Row& row, const std::string& stage);

/// Median over the rounds in which `quantity` gives something.
[[nodiscard]] Interval over_rounds(const CellRows& rows,
                                   const std::function<std::optional<Range>(const Row&)>& quantity);

/// Time (memory) of `slow` / time (memory) of `fast`, paired by round.
[[nodiscard]] Interval time_ratio(const CellRows& slow, const CellRows& fast,
                                  const std::string& stage = "");
[[nodiscard]] Interval memory_ratio(const CellRows& slow, const CellRows& fast);

/// The rows of each cell, summarised, in the order of `cells`.
[[nodiscard]] std::vector<JudgedCell> judge_cells(const Case& declared, const Cells& cells);

/// A claim's quantity at each measured point that agrees with the claim. Not for an exponent, which
/// belongs to no single point.
[[nodiscard]] std::map<Params, Interval> seen_by_point(const Claim& claim, const Cells& cells);

/// ln(time of the other / time of the variant) of each round at a point, for a claim of ratios;
/// empty for others.
[[nodiscard]] std::vector<Range> log_ratios(const Claim& claim, const Params& point,
                                            const Cells& cells);

/// Along every axis, of each line of cells that differ in this axis only, at four sizes or more:
/// that of the whole timed region first, then those of its stages.
[[nodiscard]] std::vector<ExponentFinding> find_exponents(const Case& declared, const Cells& cells);

}  // namespace cliffbench
