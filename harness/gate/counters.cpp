#include "harness/gate/counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

double median_of(std::span<const Row> rows, const std::string& variant, const std::string& name) {
  std::vector<double> values;
  for (const Row& row : rows) {
    const auto value = row.counters.find(name);
    if (row.variant == variant && value != row.counters.end()) values.push_back(value->second);
  }
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string reason_of(const GateFinding& finding, double base, double head) {
  const std::string values = fmt::format("from {:.6g} to {:.6g}", base, head);
  const double margin = finding.rule.margin * 100;
  switch (finding.ruling) {
    case Ruling::regression:
      return fmt::format("{}; worse by more than {:.3g} %", values, margin);
    case Ruling::improved:
      return fmt::format("{}; better by more than {:.3g} %", values, margin);
    case Ruling::ok:
      return fmt::format("{}; a change of {:.3g} % is ruled out", values,
                         finding.rule.must_find * 100);
    default:
      return values + "; " + finding.reason;
  }
}

}  // namespace

bool is_rate(const std::string& counter) {
  return counter.ends_with("_per_second") || counter.ends_with("/s") || counter.ends_with("_rate");
}

GateFinding judge_counter(std::span<const Row> rows, const WantedCounter& counter,
                          const PairRule& rule) {
  GateFinding finding = judge_pairs(rows, {.counter = counter}, false, rule);
  finding.counter = counter.name;
  finding.larger_is_better = counter.larger_is_better;
  if (finding.pairs > 0 && finding.ruling != Ruling::not_measured) {
    finding.reason = reason_of(finding, median_of(rows, "base", counter.name),
                               median_of(rows, "head", counter.name));
  }
  return finding;
}

}  // namespace cliffbench
