#pragma once

/// The schedule of `gate` and `compare`: sides that yield observations, run in rounds until each
/// head is decided.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "harness/engine/engine.hpp"
#include "harness/judge/gate.hpp"
#include "harness/program/calibration.hpp"
#include "harness/program/program.hpp"

namespace cliffbench {

struct Side {
  std::string variant;  ///< "base", "head", "head 2"...
  Observe observe = nullptr;
};

/// One benchmark: a base, and what is compared with it; and what was measured of them.
struct ComparedBenchmark {
  std::string program, name;
  Pilot pilot;                  ///< its trouble: why it cannot be measured at all
  std::vector<Side> sides;      ///< the base first, at least one more
  bool metric_is_open = false;  ///< wall time decides if the first round used several processors
  PairRule rule = {};
  std::vector<Row> rows = {};  ///< measured so far; of a resumed run at the start

  [[nodiscard]] bool has_pilot() const { return pilot.batches.iterations > 0; }
  void settle_metric();                                  ///< when its first round is there
  [[nodiscard]] std::vector<GateFinding> judge() const;  ///< one per head
};

/// What is not decided.
struct Outlook {
  size_t open = 0;
  double next_s = 0;  ///< until each of them has had its next look
  double most_s = 0;  ///< until none can be open
};

/// Goes round the benchmarks that are not decided, in seeded random order, each time one round of
/// each: every side once and the base once more (the control), in a seeded order of its own.
/// Where the budget does not reach the next looks of all, what is begun comes first, and what
/// looks slowest.
class PairSchedule : public Schedule {
 public:
  /// Called once for each benchmark that is decided.
  using Settle = std::function<void(ComparedBenchmark&, const std::vector<GateFinding>&)>;

  /// Called before each round, with how far it is.
  using Show = std::function<void(const Outlook& outlook)>;

  /// Settles what its rows decide already. The benchmarks must outlive it.
  PairSchedule(std::vector<ComparedBenchmark>& benchmarks, std::uint64_t seed, const Budget& budget,
               Settle settle, Show show = nullptr);

  [[nodiscard]] std::optional<Trial> next() override;
  void measured(const Row& row) override;
  void cut_short() override { end_round(false); }

  [[nodiscard]] Outlook outlook() const;

 private:
  using Clock = std::chrono::steady_clock;

  /// A benchmark under way.
  struct Entry {
    ComparedBenchmark* benchmark = nullptr;
    std::vector<GateFinding> findings = {};
    int rounds = 0;  ///< of this session
    double seconds = 0;

    void judge() { findings = benchmark->judge(); }
    [[nodiscard]] bool decided() const;
    [[nodiscard]] int pairs() const;  ///< of the head with the fewest that is not decided
    /// `pace`: of rounds so far, over what was expected of them.
    [[nodiscard]] double round_s(double pace) const;
    [[nodiscard]] double next_look_s(double pace) const;
    /// How much slower a head looks, beyond the margin; 0 when none does.
    [[nodiscard]] double suspicion() const;
  };

  [[nodiscard]] double pace() const;
  [[nodiscard]] std::vector<Entry*> due(double left_s);
  bool begin_round();
  /// What it measured is kept, and counts, also when it ended in the middle.
  void end_round(bool whole);
  void settle_if_decided(Entry& entry);

  Budget budget_;
  Settle settle_;
  Show show_;
  std::mt19937_64 random_;
  std::vector<Entry> entries_;
  std::vector<Entry*> turn_;  ///< still to have their round, the next one last
  bool all_in_time_ = false;  ///< when the turn was drawn
  Entry* entry_ = nullptr;    ///< whose round it is
  std::vector<int> order_;  ///< sides still to run in it, the next one last; -1: the base once more
  int round_ = 0;
  Clock::time_point round_start_;
};

}  // namespace cliffbench
