#pragma once

/// What the rows of a program show of a quantity: times, ratios by round, slopes along an axis.
/// Pure.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/case/case.hpp"
#include "harness/judge/stats.hpp"
#include "harness/record/row.hpp"

namespace cliffbench {

using Key = std::pair<Params, std::string>;  // point, variant
using RoundKey = std::pair<int, int>;        // number of the run, round

/// What there is of each round, in the order of the rounds, each once.
template <typename T>
using ByRound = std::vector<std::pair<RoundKey, T>>;
using CellRows = ByRound<const Row*>;

/// The rows by cell. Nothing but check_output should see those of cells whose output is wrong.
using Cells = std::map<Key, CellRows>;

/// Time of a row's timed region, or of one stage of it; nothing when the row says nothing about it.
[[nodiscard]] std::optional<Range> stage_of(const Row& row, const std::string& stage);

/// Median over the rounds in which `seen` gives something.
[[nodiscard]] Interval over_rounds(const CellRows& rows,
                                   const std::function<std::optional<Range>(const Row&)>& seen);

/// Time (memory) of `slow` / time (memory) of `fast`, paired by round.
[[nodiscard]] Interval time_ratio(const CellRows& slow, const CellRows& fast,
                                  const std::string& stage = "");
[[nodiscard]] Interval rss_ratio(const CellRows& slow, const CellRows& fast);

/// Lines of cells that differ in one axis only: {variant, other axes} -> {size -> rows}. Fewer than
/// four sizes give no exponent and make no line.
using Line = std::map<double, const CellRows*>;
using Lines = std::map<std::pair<std::string, Params>, Line>;
[[nodiscard]] Lines lines_along(const Cells& cells, const Axis& axis);

/// The times along a line, {size, the time in each round}, by stage; "" is the whole timed region.
/// Each has all sizes. One look at every row: a long line's rows do not fit into a cache.
using Times = std::vector<std::pair<double, ByRound<Range>>>;
[[nodiscard]] std::map<std::string, Times> times_along(const Line& line);

/// One slope a round, of ln(time) over ln(size), then the median over rounds.
[[nodiscard]] Interval exponent_of(const Times& times);

/// The slope between each size and the next, of the rounds that have both.
[[nodiscard]] std::vector<Interval> local_slopes(const Times& times);

/// Whether a point has all the values that are wanted.
[[nodiscard]] bool agrees(const Params& where, const Params& point);

/// What the rows show of a claim's quantity, at each measured point that agrees with it.
[[nodiscard]] std::map<Params, Interval> observe(const Case& declared, const Claim& claim,
                                                 const Cells& cells);

}  // namespace cliffbench
