#pragma once

/// The loop of `gate` and `compare`: sides that yield observations, run in rounds until each head
/// is decided.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/judge/gate.hpp"
#include "harness/program/budget.hpp"

namespace cliffbench {

/// Measures once, in a fresh process: fills in the row's status, reason, times, digest. False: the
/// user stopped it, or the budget is over; then there is no row.
using Observe = std::function<bool(Row&)>;

struct Side {
  std::string variant;  ///< "base", "head", "head 2"...
  Observe observe;
};

/// One benchmark: a base, and what is compared with it.
struct Contest {
  std::string program, name;
  Metric metric = Metric::cpu;
  bool digests = false;     ///< the sides' digests must be equal
  double round_s = 0;       ///< expected of one pair, for the time left
  std::string trouble;      ///< "<side>: why" it cannot be measured at all; "" when it can
  std::vector<Side> sides;  ///< the base first, at least one more
  std::vector<Row> rows;    ///< measured so far; of a resumed run at the start

  [[nodiscard]] std::vector<GateFinding> judge() const;  ///< one per head
};

struct PairLoop {
  std::string run;
  int session = 1;
  std::uint64_t seed = 0;
  Budget budget;
  std::function<void(const Row&)> keep;

  /// Goes round the contests in seeded random order, each time one round of each that is not
  /// decided: every side once, in a seeded order of its own, and in the first kControlPairs rounds
  /// the base twice, until the budget is over. Prints each decision and the time left. False: the
  /// user stopped it.
  bool measure(std::vector<Contest>& contests) const;
};

}  // namespace cliffbench
