#pragma once

/// A suspect of the gate in other layouts: both sides are linked again several times, with their
/// objects in other orders, and compared in each.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "harness/judge/gate.hpp"
#include "harness/program/budget.hpp"

namespace cliffbench {

inline constexpr int kLayouts = 8;

struct LayoutRequest {
  std::filesystem::path relink;      ///< called as PROGRAM SEED OUT; exit code 0 and a new file OUT
  std::filesystem::path base, head;  ///< the programs as they were built
  std::filesystem::path folder;      ///< for the new programs
  Metric metric = Metric::cpu;
  std::uint64_t seed = 0;
  Budget budget;
  /// Measures one trial of a program; false: the user stopped it, or the budget is over.
  std::function<bool(const std::filesystem::path& program, Row& row)> observe;
};

/// ln(t_head / t_base), the median of six pairs, in each layout that could be linked and measured.
[[nodiscard]] std::vector<double> measure_layouts(const LayoutRequest& request);

}  // namespace cliffbench
