#include "harness/gate/margins.hpp"

#include <fmt/format.h>

#include <optional>

#include "harness/core/text/expression.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

/// The share for each benchmark that has its own. `flag`: where they come from.
std::vector<std::optional<double>> own_shares(const GatePlan& plan,
                                              const std::vector<OwnShare>& given,
                                              const char* flag) {
  std::vector<std::optional<double>> shares(plan.benchmarks.size());
  for (const OwnShare& one : given) {
    const Expression expression(one.expression);
    bool found = false;
    for (size_t i = 0; i < shares.size(); ++i) {
      if (!expression.is_in(plan.benchmarks[i].id.name)) continue;
      shares[i] = one.share;
      found = true;
    }
    if (!found) {
      throw UserError(
          fmt::format("{} {}={:g}%: no benchmark matches", flag, one.expression, one.share * 100));
    }
  }
  return shares;
}

}  // namespace

void set_margins(GatePlan& plan, const GateRequest& request) {
  const auto margins = own_shares(plan, request.own_margins, "--margin");
  const auto must_find = own_shares(plan, request.own_must_find, "--must-find");
  const double apart = request.must_find - request.margin;
  for (size_t i = 0; i < plan.benchmarks.size(); ++i) {
    PairRule& rule = plan.benchmarks[i].judged.rule;
    rule.margin = margins[i].value_or(request.margin);
    rule.must_find = must_find[i].value_or(rule.margin + apart);
    if (rule.margin < rule.must_find) continue;
    throw UserError(fmt::format("{}: its --margin {:g}% must be less than its --must-find {:g}%",
                                plan.benchmarks[i].id.name, rule.margin * 100,
                                rule.must_find * 100));
  }
}

}  // namespace cliffbench
