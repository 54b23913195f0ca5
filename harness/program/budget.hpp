#pragma once

/// The time that a gate may take, with its pilots and its counting, from the moment it is made.

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

namespace cliffbench {

class Budget {
 public:
  Budget() = default;  ///< without end
  /// In seconds; nothing: without end.
  explicit Budget(std::optional<double> whole_s)
      : whole_s_(whole_s.value_or(std::numeric_limits<double>::infinity())) {}
  /// Infinite without an end, never below 0.
  [[nodiscard]] double left_s() const { return std::max(0.0, whole_s_ - spent_s()); }
  [[nodiscard]] bool over() const { return left_s() <= 0; }
  [[nodiscard]] double spent_s() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  double whole_s_ = std::numeric_limits<double>::infinity();
  Clock::time_point start_ = Clock::now();
};

}  // namespace cliffbench
