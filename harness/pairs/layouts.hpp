#pragma once

/// A suspect of the gate in other layouts: both sides are linked again several times, with their
/// objects in other orders, and compared in each.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/pairs/pairs.hpp"

namespace cliffbench {

inline constexpr int kLayouts = 8;
inline constexpr int kLayoutPairs = 6;  ///< in each

struct Layout {
  std::filesystem::path base, head;  ///< the two programs, linked again
};

struct LinkRequest {
  std::filesystem::path relink;      ///< called as PROGRAM SEED OUT; exit code 0 and a new file OUT
  std::filesystem::path base, head;  ///< the programs as they were built
  std::filesystem::path folder;      ///< for the new programs
  std::uint64_t seed = 0;            ///< the same one makes the same layouts
  Budget budget = {};
};

/// kLayouts of them; none when one could not be linked (which is said), or the user stopped it.
[[nodiscard]] std::vector<Layout> link_layouts(const LinkRequest& request);

/// Rounds of one pair in each layout, in seeded random order within the pair, until the benchmark
/// has kLayoutPairs of them; those of an earlier session count.
class LayoutSchedule : public Schedule {
 public:
  /// `observe` gives what measures one trial of a program. All must outlive it.
  LayoutSchedule(ComparedBenchmark& benchmark, const std::vector<Layout>& layouts,
                 std::uint64_t seed,
                 const std::function<Observe(const std::filesystem::path& program)>& observe);

  [[nodiscard]] std::optional<Trial> next() override;
  void measured(const Row& row) override { benchmark_.layouts.push_back(row); }

 private:
  ComparedBenchmark& benchmark_;
  std::vector<Trial> trials_;  ///< still to come, the next one last
};

/// The variant of a row: "layout 1 base".
[[nodiscard]] std::string layout_variant(int layout, bool head);
[[nodiscard]] bool is_layout(const std::string& variant);

/// ln(t_head / t_base) of each layout, the median of its pairs; nothing when rounds are missing.
[[nodiscard]] std::vector<double> layout_ratios(const ComparedBenchmark& benchmark);

}  // namespace cliffbench
