#include "harness/suite/judge/observe.hpp"

#include <algorithm>
#include <cmath>

#include "harness/suite/case/describe.hpp"

namespace cliffbench {
namespace {

/// No ratio where both sides are bounds, or one is 0.
std::optional<Range> ratio_of(const std::optional<Range>& above,
                              const std::optional<Range>& below) {
  if (!above || !below || (!above->exact() && !below->exact())) return std::nullopt;
  if (!(below->lo > 0)) return std::nullopt;
  return Range{above->lo / below->hi, above->hi / below->lo};
}

std::optional<Range> memory_of(const Row& row) {
  const auto bytes = positive(static_cast<double>(row.rss_bytes.value_or(0)));
  return bytes ? std::optional(exactly(*bytes)) : std::nullopt;
}

std::optional<Range> share_of(const Row& row, const std::string& stage) {
  const auto part = stage_time(row, stage);
  const auto whole = positive(row.wall_s.value_or(0));
  return part && whole ? std::optional(exactly(part->lo / *whole)) : std::nullopt;
}

/// 1 for each round in which the digests are equal, 0 for the others.
std::optional<Range> equal_digests(const Row* one, const Row* other) {
  if (one->status != Status::ok || other->status != Status::ok) return std::nullopt;
  return exactly(one->digest == other->digest);
}

/// The result of `of_pair` for each round that both have.
template <typename T, typename OfPair>
std::vector<Range> paired(const ByRound<T>& one, const ByRound<T>& other, const OfPair& of_pair) {
  std::vector<Range> pairs;
  auto partner = one.begin();
  for (const auto& [round, value] : other) {
    while (partner != one.end() && partner->first < round) ++partner;
    if (partner == one.end()) break;
    if (partner->first != round) continue;
    if (const auto pair = of_pair(partner->second, value)) pairs.push_back(*pair);
  }
  return pairs;
}

std::vector<Range> logarithms(std::vector<Range> ratios) {
  for (Range& ratio : ratios) ratio = {std::log(ratio.lo), std::log(ratio.hi)};
  return ratios;
}

std::vector<Range> log_time_ratios(const CellRows& slow, const CellRows& fast,
                                   const std::string& stage) {
  return logarithms(paired(slow, fast, [&](const Row* above, const Row* below) {
    return ratio_of(stage_time(*above, stage), stage_time(*below, stage));
  }));
}

/// The quantity of a claim of cells; `against` is of the other variant, when it names one.
Interval observe_cell(const Claim& claim, const CellRows& rows, const CellRows& against) {
  switch (claim.quantity) {
    case Quantity::ratio:
      return time_ratio(against, rows, claim.of);
    case Quantity::memory:
      return memory_ratio(against, rows);
    case Quantity::time:
      return over_rounds(rows, [&](const Row& row) { return stage_time(row, claim.of); });
    case Quantity::share:
      return over_rounds(rows, [&](const Row& row) { return share_of(row, claim.of); });
    case Quantity::agreement:
      return median_interval(paired(against, rows, equal_digests));
    case Quantity::exponent:
      break;  // along a line, not at a point
  }
  return {};
}

constexpr size_t kFewestSizes = 4;  // of an exponent

/// {variant, other axes} -> {size -> rows}.
using Line = std::map<double, const CellRows*>;
using Lines = std::map<std::pair<std::string, Params>, Line>;

Lines lines_along(const Cells& cells, const Axis& axis) {
  Lines lines;
  for (const auto& [key, rows] : cells) {
    auto [where, variant] = key;
    const auto value = where.find(axis.name);
    if (value == where.end()) continue;
    const auto size = size_of(axis, value->second);
    where.erase(value);
    if (size) lines[{variant, where}][*size] = &rows;
  }
  std::erase_if(lines, [](const auto& line) { return line.second.size() < kFewestSizes; });
  return lines;
}

/// The time in each round, of every size of a line.
using Times = std::vector<ByRound<Range>>;

/// By stage; "" is the whole timed region. One look at every row: a long line's rows do not fit
/// into a cache.
std::map<std::string, Times> times_along(const Line& line) {
  const Times none(line.size());
  std::map<std::string, Times> times = {{"", none}};
  size_t place = 0;
  for (const auto& [size, rows] : line) {
    for (const auto& [round, row] : *rows) {
      if (const auto wall = stage_time(*row, "")) times[""][place].push_back({round, *wall});
      if (row->status != Status::ok) continue;
      for (const auto& [stage, seconds] : row->stages) {
        Times& of_stage = times.try_emplace(stage, none).first->second;
        of_stage[place].push_back({round, exactly(seconds)});
      }
    }
    ++place;
  }
  return times;
}

Interval exponent_of(const std::vector<double>& sizes, const Times& times) {
  std::map<RoundKey, std::vector<Point>> rounds;
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (const auto& [round, time] : times[i]) {
      if (!(time.lo > 0)) continue;
      rounds[round].push_back({std::log(sizes[i]), {std::log(time.lo), std::log(time.hi)}});
    }
  }
  std::vector<Range> slopes;
  for (const auto& [round, points] : rounds) {
    if (const auto of_round = slope(points)) slopes.push_back(*of_round);
  }
  return median_interval(slopes);
}

/// The slope between each size and the next, of the rounds that have both.
std::vector<Interval> local_slopes(const std::vector<double>& sizes, const Times& times) {
  std::vector<Interval> slopes;
  for (size_t i = 1; i < sizes.size(); ++i) {
    const double distance = std::log(sizes[i] / sizes[i - 1]);
    const auto slope_of = [&](const Range& hi, const Range& lo) -> std::optional<Range> {
      if (!(hi.lo > 0 && lo.lo > 0)) return std::nullopt;
      return Range{std::log(hi.lo / lo.hi) / distance, std::log(hi.hi / lo.lo) / distance};
    };
    slopes.push_back(median_interval(paired(times[i], times[i - 1], slope_of)));
  }
  return slopes;
}

}  // namespace

std::optional<Range> stage_time(const Row& row, const std::string& stage) {
  if (stage.empty() && row.status == Status::timeout && positive(row.limit_s)) {
    return Range{row.limit_s, INFINITY};
  }
  if (row.status != Status::ok) return std::nullopt;
  if (stage.empty()) return exactly(*row.wall_s);  // no other row is read (row.hpp: impossible)
  const auto seconds = row.stages.find(stage);
  return seconds == row.stages.end() ? std::nullopt : std::optional(exactly(seconds->second));
}

Interval over_rounds(const CellRows& rows,
                     const std::function<std::optional<Range>(const Row&)>& quantity) {
  std::vector<Range> values;
  for (const auto& [round, row] : rows) {
    if (const auto value = quantity(*row)) values.push_back(*value);
  }
  return median_interval(values);
}

Interval time_ratio(const CellRows& slow, const CellRows& fast, const std::string& stage) {
  return ratio_interval(log_time_ratios(slow, fast, stage));
}

Interval memory_ratio(const CellRows& slow, const CellRows& fast) {
  return ratio_interval(logarithms(paired(slow, fast, [](const Row* above, const Row* below) {
    return ratio_of(memory_of(*above), memory_of(*below));
  })));
}

bool agrees(const Params& where, const Params& point) {
  return std::includes(point.begin(), point.end(), where.begin(), where.end());
}

std::map<Params, Interval> seen_by_point(const Claim& claim, const Cells& cells) {
  std::map<Params, Interval> observed;
  for (const auto& [key, rows] : cells) {
    const auto& [point, variant] = key;
    if (variant != claim.variant || !agrees(claim.where, point)) continue;
    const auto other = cells.find({point, claim.against});
    if (compares(claim.quantity) && other == cells.end()) continue;
    observed[point] = observe_cell(claim, rows, other == cells.end() ? rows : other->second);
  }
  return observed;
}

std::vector<Range> log_ratios(const Claim& claim, const Params& point, const Cells& cells) {
  if (claim.quantity != Quantity::ratio) return {};
  return log_time_ratios(cells.at({point, claim.against}), cells.at({point, claim.variant}),
                         claim.of);
}

std::vector<ExponentFinding> find_exponents(const Case& declared, const Cells& cells) {
  std::vector<ExponentFinding> findings;
  for (const Axis& axis : declared.axes) {
    for (const auto& [key, line] : lines_along(cells, axis)) {
      std::vector<double> sizes;
      for (const auto& [size, rows] : line) sizes.push_back(size);
      for (const auto& [stage, times] : times_along(line)) {
        findings.push_back({key.first, axis.name, stage, key.second, exponent_of(sizes, times),
                            sizes, local_slopes(sizes, times)});
      }
    }
  }
  return findings;
}

}  // namespace cliffbench
