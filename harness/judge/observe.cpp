#include "harness/judge/observe.hpp"

#include <algorithm>
#include <cmath>

#include "harness/case/describe.hpp"
#include "harness/plan/plan.hpp"

namespace cliffbench {
namespace {

/// A measured time; nothing when no clock can have shown it.
std::optional<Range> measured(double seconds) {
  if (!known(seconds) || seconds < 0) return std::nullopt;
  return Range{seconds, seconds};
}

/// Time of a row's timed region; nothing when it says nothing about it.
std::optional<Range> wall_of(const Row& row) {
  if (row.status == Status::ok && row.wall_s) return measured(*row.wall_s);
  if (row.status == Status::timeout && positive(row.limit_s)) return Range{row.limit_s, INFINITY};
  return std::nullopt;
}

std::optional<Range> ratio_of(const Row* slow, const Row* fast, const std::string& stage) {
  const auto above = stage_of(*slow, stage);
  const auto below = stage_of(*fast, stage);
  if (!above || !below || (!above->exact() && !below->exact())) return std::nullopt;
  if (!(below->lo > 0)) return std::nullopt;  // of 0 there is no ratio
  return Range{std::isinf(below->hi) ? 0 : above->lo / below->hi, above->hi / below->lo};
}

std::optional<Range> rss_ratio_of(const Row* slow, const Row* fast) {
  const auto above = positive(static_cast<double>(slow->rss_bytes.value_or(0)));
  const auto below = positive(static_cast<double>(fast->rss_bytes.value_or(0)));
  if (!above || !below) return std::nullopt;
  return Range{*above / *below, *above / *below};
}

std::optional<Range> share_of(const Row& row, const std::string& stage) {
  const auto part = stage_of(row, stage);
  if (!part || !row.wall_s || !positive(*row.wall_s)) return std::nullopt;
  return Range{part->lo / *row.wall_s, part->lo / *row.wall_s};
}

/// What `seen` gives for each round that both have.
template <typename T, typename Seen>
std::vector<Range> paired(const ByRound<T>& one, const ByRound<T>& other, const Seen& seen) {
  std::vector<Range> all;
  auto partner = one.begin();
  for (const auto& [round, mine] : other) {
    while (partner != one.end() && partner->first < round) ++partner;
    if (partner == one.end()) break;
    if (partner->first != round) continue;
    if (const auto found = seen(partner->second, mine)) all.push_back(*found);
  }
  return all;
}

Interval median_ratio(std::vector<Range> ratios) {
  for (Range& ratio : ratios) {
    const double lo = std::log(ratio.lo);
    ratio = {lo, ratio.exact() ? lo : std::log(ratio.hi)};
  }
  return ratio_interval(ratios);
}

/// 1 for each round in which the digests are equal, 0 for the others.
std::optional<Range> equal_digests(const Row* one, const Row* other) {
  if (one->status != Status::ok || other->status != Status::ok) return std::nullopt;
  const double same = one->digest == other->digest;
  return Range{same, same};
}

/// The quantity of a claim of cells; `against` is of the other variant, when it names one.
Interval observe_cell(const Claim& claim, const CellRows& rows, const CellRows& against) {
  switch (claim.quantity) {
    case Quantity::ratio:
      return time_ratio(against, rows, claim.of);
    case Quantity::memory:
      return rss_ratio(against, rows);
    case Quantity::time:
      return over_rounds(rows, [&](const Row& row) { return stage_of(row, claim.of); });
    case Quantity::share:
      return over_rounds(rows, [&](const Row& row) { return share_of(row, claim.of); });
    case Quantity::agreement:
      return median_interval(paired(against, rows, equal_digests));
    case Quantity::exponent:
      break;  // along a line, not at a point
  }
  return {};
}

}  // namespace

std::optional<Range> stage_of(const Row& row, const std::string& stage) {
  if (stage.empty()) return wall_of(row);
  const auto found = row.stages.find(stage);
  if (row.status != Status::ok || found == row.stages.end()) return std::nullopt;
  return measured(found->second);
}

Interval over_rounds(const CellRows& rows,
                     const std::function<std::optional<Range>(const Row&)>& seen) {
  std::vector<Range> all;
  for (const auto& [round, row] : rows) {
    if (const auto found = seen(*row)) all.push_back(*found);
  }
  return median_interval(all);
}

Interval time_ratio(const CellRows& slow, const CellRows& fast, const std::string& stage) {
  return median_ratio(paired(slow, fast, [&](const Row* above, const Row* below) {
    return ratio_of(above, below, stage);
  }));
}

Interval rss_ratio(const CellRows& slow, const CellRows& fast) {
  return median_ratio(paired(slow, fast, rss_ratio_of));
}

Lines lines_along(const Cells& cells, const Axis& axis) {
  Lines lines;
  for (const auto& [key, rows] : cells) {
    Params where = key.first;
    const auto value = where.find(axis.name);
    if (value == where.end()) continue;
    const auto size = size_of(axis, value->second);
    where.erase(value);
    if (size) lines[{key.second, where}][*size] = &rows;
  }
  std::erase_if(lines, [](const auto& line) { return line.second.size() < 4; });
  return lines;
}

std::map<std::string, Times> times_along(const Line& line) {
  Times none;
  for (const auto& [size, rows] : line) none.push_back({size, {}});
  std::map<std::string, Times> times = {{"", none}};
  size_t place = 0;
  for (const auto& [size, rows] : line) {
    for (const auto& [round, row] : *rows) {
      if (const auto wall = wall_of(*row)) times[""][place].second.push_back({round, *wall});
      if (row->status != Status::ok) continue;
      for (const auto& [stage, seconds] : row->stages) {
        Times& own = times.try_emplace(stage, none).first->second;
        if (const auto time = measured(seconds)) own[place].second.push_back({round, *time});
      }
    }
    ++place;
  }
  return times;
}

Interval exponent_of(const Times& times) {
  std::map<RoundKey, std::vector<Point>> rounds;
  for (const auto& [size, seen] : times) {
    for (const auto& [round, time] : seen) {
      if (!(time.lo > 0)) continue;
      rounds[round].push_back({std::log(size), {std::log(time.lo), std::log(time.hi)}});
    }
  }
  std::vector<Range> slopes;
  for (const auto& [round, points] : rounds) {
    if (const auto seen = slope(points)) slopes.push_back(*seen);
  }
  return median_interval(slopes);
}

std::vector<Interval> local_slopes(const Times& times) {
  std::vector<Interval> slopes;
  for (size_t i = 1; i < times.size(); ++i) {
    const double distance = std::log(times[i].first / times[i - 1].first);
    const auto slope_of = [&](const Range& hi, const Range& lo) -> std::optional<Range> {
      if (!(hi.lo > 0 && lo.lo > 0)) return std::nullopt;
      return Range{std::log(hi.lo / lo.hi) / distance, std::log(hi.hi / lo.lo) / distance};
    };
    slopes.push_back(median_interval(paired(times[i].second, times[i - 1].second, slope_of)));
  }
  return slopes;
}

bool agrees(const Params& where, const Params& point) {
  return std::includes(point.begin(), point.end(), where.begin(), where.end());
}

std::map<Params, Interval> observe(const Case& declared, const Claim& claim, const Cells& cells) {
  std::map<Params, Interval> seen;
  if (claim.quantity == Quantity::exponent) {
    const auto axis = std::find_if(declared.axes.begin(), declared.axes.end(),
                                   [&](const Axis& known) { return known.name == claim.axis; });
    if (axis == declared.axes.end()) return seen;
    for (const auto& [key, line] : lines_along(cells, *axis)) {
      if (key.first != claim.variant || !agrees(claim.where, key.second)) continue;
      const auto times = times_along(line);
      const auto of = times.find(claim.of);
      seen[key.second] = of == times.end() ? Interval() : exponent_of(of->second);
    }
    return seen;
  }
  for (const auto& [key, rows] : cells) {
    if (key.second != claim.variant || !agrees(claim.where, key.first)) continue;
    const auto other = cells.find({key.first, claim.against});
    if (compares(claim.quantity) && other == cells.end()) continue;
    seen[key.first] = observe_cell(claim, rows, other == cells.end() ? rows : other->second);
  }
  return seen;
}

}  // namespace cliffbench
