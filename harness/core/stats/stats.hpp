#pragma once

/// The arithmetic of the judges: order statistics of paired rounds. Pure: no clock, no files.
/// Method: the exact sign-test interval of a median (Conover, Practical Nonparametric
/// Statistics, 3.2).

#include <optional>
#include <span>
#include <vector>

namespace cliffbench {

/// A number that may be absent is an optional, looked into before it is compared: no comparison is
/// decided by a NaN.
/// The value; nothing for NaN and infinity.
[[nodiscard]] std::optional<double> known(double value);
/// The same for a time or a count, of which 0 and less say nothing either.
[[nodiscard]] std::optional<double> positive(double value);

/// One observation as far as it is known: lo = hi when it was measured, [T, inf] when it was
/// stopped at T.
struct Range {
  double lo = 0;
  double hi = 0;
  [[nodiscard]] bool exact() const { return lo == hi; }
  /// Whether it can decide anything: not with NaN, nor as a whole at infinity.
  [[nodiscard]] bool known() const;
  friend bool operator==(const Range&, const Range&) = default;
};
[[nodiscard]] constexpr Range exactly(double value) { return {value, value}; }

/// The interval is missing with too few rounds: no width is ever made up. lo = -inf or hi = inf:
/// open.
struct Interval {
  Range median;
  std::optional<Range> at;
  int rounds = 0;
  int stopped = 0;  ///< rounds of which only a bound is known
};

/// Largest k with P(Bin(n, 1/2) <= k - 1) <= a; 0 when there is none. a in (0, 1/2).
[[nodiscard]] int order_k(int n, double a);

/// The median of n observations with its exact interval of 95 %, [d_(k), d_(n+1-k)] with
/// k = order_k(n, 0.025). That takes 6 rounds (then [min, max], 96.9 %). The median of an even
/// number is the mean of the middle two. Bounds are taken through: the lower ends give the lower
/// end, the upper ends the upper one. Observations that are not known() are left out.
[[nodiscard]] Interval median_interval(std::span<const Range> observations);

/// An interval of ratios from logarithms of ratios. On the logarithm the median of an even number
/// of rounds is the geometric mean of the middle two, and 1/r of the mirrored comparison the
/// mirrored result.
[[nodiscard]] Interval ratio_interval(std::span<const Range> logarithms);

/// The chance of a mean this far from 0 or farther, to either side, were the true mean 0: Student's
/// t (Abramowitz and Stegun 26.7.3, 26.7.4: exact to 1e-15 for whole degrees of freedom). Of a
/// bound the value nearest to 0 counts; observations that are not known() are left out; 1 for
/// fewer than two.
[[nodiscard]] double chance_of_mean(std::span<const Range> observations);

/// The least-squares slope of y over x: an exponent when both are logarithms. Needs at least 4
/// points at two or more distinct x; bounds of y give bounds of the slope.
struct Point {
  double x = 0;
  Range y;
};
[[nodiscard]] std::optional<Range> slope(std::span<const Point> points);

}  // namespace cliffbench
