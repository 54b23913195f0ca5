#include "harness/suite/case/declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "harness/core/host/exact.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/case/describe.hpp"

namespace cliffbench {
namespace {

void require_once(const auto& items, const char* what) {
  std::set<std::string> names;
  for (const auto& item : items) {
    require(names.insert(item.name).second, fmt::format("two {} named '{}'", what, item.name));
  }
}

void require_known(const std::vector<std::string>& known, const std::string& name,
                   const char* what) {
  require(contains(known, name), fmt::format("no {} '{}'", what, name));
}

void check_range(const Claim& claim) {
  const auto& [lo, hi] = claim.range;
  if (!std::isfinite(lo) || !(lo <= hi)) throw UserError("the claim's range is empty");
  if (claim.quantity == Quantity::exponent) return;
  const bool part = claim.quantity == Quantity::share || claim.quantity == Quantity::agreement;
  if (part && (lo < 0 || hi > 1)) {
    throw UserError("the claim's range is not between 0 and 100 %");
  }
  if (lo < 0 || hi <= 0) throw UserError("no measurement can meet the claim's range");
}

/// `of` is the case's name.
void require_value(const Axis& axis, const std::string& of, const std::string& value) {
  if (contains(axis.values, value)) return;
  throw UserError(fmt::format("the axis {}{} has no value '{}'; {}", axis.name,
                              of.empty() ? "" : " of " + of, value,
                              did_you_mean(value, axis.values)));
}

void check_selection(const Selection& selection, const Case& declared) {
  for (const std::string& variant : selection.variants) {
    require_known(names_of(declared.variants), variant, "variant");
  }
  require(selection.rounds >= 1, "fewer than one round");
  require(std::isfinite(selection.limit_s) && selection.limit_s >= 0, "a limit that is not a time");
  for (const auto& [name, values] : selection.where) {
    require_known(names_of(declared.axes), name, "axis");
    const auto& all = axis_of(declared, name).values;
    const std::set<std::string> known(all.begin(), all.end());  // there may be thousands
    for (const std::string& value : values) {
      require(known.contains(value), fmt::format("no value '{}'", value));
    }
  }
}

}  // namespace

void check_declaration(const Case& declared) {
  require_once(declared.variants, "variants");
  require_once(declared.patches, "patches");
  require_once(declared.axes, "axes");
  require_once(declared.profiles, "profiles");
  require(std::isfinite(declared.limit_s) && declared.limit_s > 0, "a limit that is not a time");
  for (const Axis& axis : declared.axes) {
    check_values(axis);
    for (const auto& [value, size] : axis.sizes) check_size(axis, value, size);
  }
  check_variants(declared);
  for (const Variant& variant : declared.variants) {
    for (const std::string& patch : variant.patches) {
      require_known(names_of(declared.patches), patch, "patch");
    }
  }
  if (!declared.stages_from.empty()) {
    require_known(names_of(declared.variants), declared.stages_from, "variant");
  }
  for (const Claim& claim : declared.claims) {
    try {
      check_claim(claim, declared);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("claim '{}': {}", claim.id, error.what()));
    }
  }
  for (const Profile& profile : declared.profiles) {
    for (const Selection& one : profile.selections) check_selection(one, declared);
  }
}

void check_variants(const Case& declared) {
  const auto baselines = std::ranges::count(declared.variants, Role::baseline, &Variant::role);
  if (baselines != 1) throw UserError("there must be one variant of role baseline");
  const auto variants = names_of(declared.variants);
  for (const Variant& variant : declared.variants) {
    if (variant.equals.empty() || contains(variants, variant.equals)) continue;
    throw UserError(fmt::format("{} has the same output as {}, which is not a variant",
                                variant.name, variant.equals));
  }
}

const Axis& axis_of(const Case& declared, const std::string& name) {
  const auto axis = named(declared.axes, name);
  if (axis != declared.axes.end()) return *axis;
  throw UserError(fmt::format("{} has no axis '{}'; {}", declared.name, name,
                              did_you_mean(name, names_of(declared.axes))));
}

void check_values(const Axis& axis) {
  if (axis.values.empty()) throw UserError(fmt::format("the axis {} has no values", axis.name));
  if (std::set(axis.values.begin(), axis.values.end()).size() != axis.values.size()) {
    throw UserError(fmt::format("the axis {} has a value twice", axis.name));
  }
}

void check_size(const Axis& axis, const std::string& value, double size) {
  require_value(axis, "", value);
  if (!std::isfinite(size) || size <= 0) throw UserError("a size is above 0");
}

void check_claim(const Claim& claim, const Case& declared) {
  const auto variants = names_of(declared.variants);
  for (const std::string& name : {claim.variant, claim.against}) {
    if (contains(variants, name) || (name == claim.against && !compares(claim.quantity))) continue;
    throw UserError(fmt::format("{} has no variant '{}'; {}", declared.name, name,
                                did_you_mean(name, variants)));
  }
  if (!claim.axis.empty()) (void)axis_of(declared, claim.axis);
  check_point(claim.where, declared);
  check_range(claim);
  if (claim.quantity == Quantity::exponent && claim.axis.empty()) {
    throw UserError("a claim about an exponent names its axis (along AXIS)");
  }
  if (claim.quantity == Quantity::share && claim.of.empty()) {
    throw UserError("a claim about a share names its stage (of STAGE)");
  }
}

void check_point(const Params& where, const Case& declared) {
  for (const auto& [name, value] : where) {
    require_value(axis_of(declared, name), declared.name, value);
  }
}

}  // namespace cliffbench
