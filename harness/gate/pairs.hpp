#pragma once

/// The loop of `gate` and `compare`: sides that yield observations, run in rounds until each head
/// is decided.

#include <cstdint>
#include <functional>
#include <optional>
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
  bool metric_is_open = false;  ///< wall time decides if the first round used several processors
  PairRule rule;
  bool digests = false;     ///< the sides' digests must be equal
  double round_s = 0;       ///< expected of one round, for the time left
  double lead = 0;          ///< ln(t_head / t_base) of the pilots
  std::string trouble;      ///< "<side>: why" it cannot be measured at all; "" when it can
  std::vector<Side> sides;  ///< the base first, at least one more
  std::vector<Row> rows;    ///< measured so far; of a resumed run at the start

  void settle_metric();                                  ///< when its first round is there
  [[nodiscard]] std::vector<GateFinding> judge() const;  ///< one per head
};

/// What is not decided.
struct Outlook {
  size_t open = 0;
  double next_s = 0;  ///< until each of them has had its next look
  double most_s = 0;  ///< until none can be open
};

struct PairLoop {
  std::string run;
  int session = 1;
  std::uint64_t seed = 0;
  Budget budget;
  std::function<void(const Row&)> keep;
  /// Called once for each contest that is decided, by its place; says what it is.
  std::function<void(size_t contest, std::vector<GateFinding>& findings)> settle;

  /// Goes round the contests that are not decided, in seeded random order, each time one round of
  /// each: every side once and the base once more (the control), in a seeded order of its own.
  /// Where the budget does not reach the next looks of all, what is begun comes first, and what
  /// looks slowest. What is left open; nothing when the user stopped it.
  std::optional<Outlook> measure(std::vector<Contest>& contests) const;
};

}  // namespace cliffbench
