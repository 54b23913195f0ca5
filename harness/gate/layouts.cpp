#include "harness/gate/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "harness/host/process.hpp"
#include "harness/host/say.hpp"
#include "harness/host/stopping.hpp"
#include "harness/record/folder.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

struct Layout {
  fs::path base, head;
  std::vector<Range> log_ratios;
};

constexpr double kLink_s = 120;

std::optional<Layout> link(const LayoutRequest& request, int index) {
  const auto seed = fmt::format("{}", request.seed % 1000000 * 10 + static_cast<unsigned>(index));
  Layout layout;
  for (const bool head : {false, true}) {
    const fs::path folder = request.folder / fmt::format("{}{}", head ? "after" : "prior", index);
    make_folder(folder);
    const fs::path out = folder / request.base.filename();
    const Output output =
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

std::optional<double> time_of(const LayoutRequest& request, const fs::path& program) {
  Row row;
  if (!request.observe(program, row) || row.status != Status::ok) return std::nullopt;
  const auto& time = request.metric == Metric::wall ? row.wall_s : row.cpu_s;
  return time ? positive(*time) : std::nullopt;
}

}  // namespace

std::vector<double> measure_layouts(const LayoutRequest& request) {
  constexpr int kPairs = 6;
  std::vector<Layout> layouts;
  for (int index = 1; index <= kLayouts; ++index) {
    auto layout = link(request, index);
    if (!layout) return {};
    layouts.push_back(std::move(*layout));
  }
  std::mt19937_64 random(request.seed);
  for (int pair = 0; pair < kPairs; ++pair) {
    for (Layout& layout : layouts) {
      const bool head_first = random() % 2;
      const auto first = time_of(request, head_first ? layout.head : layout.base);
      const auto second = time_of(request, head_first ? layout.base : layout.head);
      if (stop_requested() || request.budget.over()) return {};
      if (!first || !second) continue;
      const double d = std::log(*first / *second) * (head_first ? 1 : -1);
      layout.log_ratios.push_back({d, d});
    }
  }
  std::vector<double> medians;
  for (const Layout& layout : layouts) {
    if (layout.log_ratios.empty()) continue;
    medians.push_back(median_interval(layout.log_ratios).median.lo);
  }
  return medians;
}

}  // namespace cliffbench
