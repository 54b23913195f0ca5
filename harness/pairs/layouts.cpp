#include "harness/pairs/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

#include "harness/host/process.hpp"
#include "harness/host/stopping.hpp"
#include "harness/record/folder.hpp"
#include "harness/text/terminal.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

constexpr double kLink_s = 120;

std::optional<Layout> link(const LinkRequest& request, int index) {
  const auto seed = fmt::format("{}", request.seed % 1000000 * 10 + static_cast<unsigned>(index));
  Layout layout;
  for (const bool head : {false, true}) {
    const fs::path folder = request.folder / fmt::format("{}{}", head ? "after" : "prior", index);
    make_folder(folder);
    const fs::path out = folder / request.base.filename();
    const Process output =
        read_output({request.relink.string(), (head ? request.head : request.base).string(), seed,
                     out.string()},
                    std::min(kLink_s, request.budget.left_s()));
    if (stop_requested()) return std::nullopt;
    if (output.exit_code != 0 || !fs::exists(out)) {
      say(stderr, "cliffbench: {} could not relink {}: {}\n", request.relink.string(),
          request.base.filename().string(), output.last_words);
      return std::nullopt;
    }
    (head ? layout.head : layout.base) = out;
  }
  return layout;
}

/// The rounds of which every trial has its row.
int whole_rounds(const ComparedBenchmark& benchmark) {
  std::map<int, int> rows;
  for (const Row& row : benchmark.layouts) ++rows[row.round];
  return static_cast<int>(std::count_if(
      rows.begin(), rows.end(), [](const auto& round) { return round.second == 2 * kLayouts; }));
}

}  // namespace

std::vector<Layout> link_layouts(const LinkRequest& request) {
  std::vector<Layout> layouts;
  for (int index = 1; index <= kLayouts; ++index) {
    auto layout = link(request, index);
    if (!layout) return {};
    layouts.push_back(std::move(*layout));
  }
  return layouts;
}

std::string layout_variant(int layout, bool head) {
  return fmt::format("layout {} {}", layout, head ? "head" : "base");
}

bool is_layout(const std::string& variant) {
  for (int layout = 1; layout <= kLayouts; ++layout) {
    if (variant == layout_variant(layout, false) || variant == layout_variant(layout, true))
      return true;
  }
  return false;
}

LayoutSchedule::LayoutSchedule(ComparedBenchmark& benchmark, const std::vector<Layout>& layouts,
                               std::uint64_t seed,
                               const std::function<Observe(const fs::path& program)>& observe)
    : benchmark_(benchmark) {
  std::mt19937_64 random(seed);
  int round = 0;
  for (const Row& row : benchmark.layouts) round = std::max(round, row.round);
  for (int left = kLayoutPairs - whole_rounds(benchmark); left > 0; --left) {
    ++round;
    for (size_t i = 0; i < layouts.size(); ++i) {
      const bool head_first = random() % 2;
      for (const bool head : {head_first, !head_first}) {
        Row row;
        row.program = benchmark.program;
        row.name = benchmark.name;
        row.variant = layout_variant(static_cast<int>(i) + 1, head);
        row.round = round;
        trials_.push_back({row, observe(head ? layouts[i].head : layouts[i].base)});
      }
    }
  }
  std::reverse(trials_.begin(), trials_.end());
}

std::optional<Trial> LayoutSchedule::next() {
  if (trials_.empty()) return std::nullopt;
  Trial trial = std::move(trials_.back());
  trials_.pop_back();
  trial.row.position = static_cast<int>(benchmark_.layouts.size());
  return trial;
}

std::vector<double> layout_ratios(const ComparedBenchmark& benchmark) {
  if (whole_rounds(benchmark) < kLayoutPairs) return {};
  std::vector<double> medians;
  for (int layout = 1; layout <= kLayouts; ++layout) {
    const auto pairs = paired_log_ratios(benchmark.layouts, layout_variant(layout, false),
                                         layout_variant(layout, true), benchmark.pilot.metric);
    if (!pairs.empty()) medians.push_back(median_interval(pairs).median.lo);
  }
  return medians;
}

}  // namespace cliffbench
