#include "harness/case/declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "harness/case/claim_grammar.hpp"
#include "harness/case/describe.hpp"
#include "harness/host/exact.hpp"

namespace cliffbench {
namespace {

using Names = std::set<std::string>;

/// The names of a list, each of which is there once.
template <typename Item>
Names names_of(const std::vector<Item>& items, const char* what) {
  Names names;
  for (const Item& item : items) {
    require(names.insert(item.name).second, fmt::format("two {} named '{}'", what, item.name));
  }
  return names;
}

void require_known(const Names& known, const std::string& name, const char* what) {
  require(known.contains(name), fmt::format("no {} '{}'", what, name));
}

void check_variants(const Case& declared, const Names& variants, const Names& patches) {
  int baselines = 0;
  for (const Variant& variant : declared.variants) {
    baselines += variant.role == Role::baseline;
    if (!variant.equals.empty()) require_known(variants, variant.equals, "variant");
    for (const std::string& patch : variant.patches) require_known(patches, patch, "patch");
  }
  require(baselines <= 1, "two baselines");
  if (!declared.stages_from.empty()) require_known(variants, declared.stages_from, "variant");
}

void check_one_claim(const Claim& claim, const Case& declared) {
  check_claim(claim, declared);
  require(std::isfinite(claim.range.lo) && claim.range.lo <= claim.range.hi, "an empty range");
  require(claim.quantity != Quantity::exponent || !claim.axis.empty(), "an exponent of no axis");
  require(claim.quantity != Quantity::share || !claim.of.empty(), "a share of no stage");
}

void check_selection(const Selection& selection, const Case& declared, const Names& variants) {
  for (const std::string& variant : selection.variants) require_known(variants, variant, "variant");
  require(selection.rounds >= 1, "fewer than one round");
  require(std::isfinite(selection.limit_s) && selection.limit_s >= 0, "a limit that is not a time");
  for (const auto& [name, values] : selection.where) {
    const auto axis = named(declared.axes, name);
    require(axis != declared.axes.end(), fmt::format("no axis '{}'", name));
    const Names known(axis->values.begin(), axis->values.end());
    for (const std::string& value : values) require_known(known, value, "value");
  }
}

}  // namespace

void check_declaration(const Case& declared) {
  const Names variants = names_of(declared.variants, "variants");
  const Names patches = names_of(declared.patches, "patches");
  names_of(declared.axes, "axes");
  names_of(declared.profiles, "profiles");
  require(std::isfinite(declared.limit_s) && declared.limit_s > 0, "a limit that is not a time");
  for (const Axis& axis : declared.axes) {
    const Names values(axis.values.begin(), axis.values.end());
    require(values.size() == axis.values.size(), "an axis with a value twice: " + axis.name);
    for (const auto& [word, size] : axis.sizes) {
      require_known(values, word, "value");
      require(std::isfinite(size) && size > 0, "an invalid size: " + word);
    }
  }
  check_variants(declared, variants, patches);
  for (const Claim& claim : declared.claims) {
    try {
      check_one_claim(claim, declared);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("claim '{}': {}", claim.id, error.what()));
    }
  }
  for (const Profile& profile : declared.profiles) {
    for (const Selection& one : profile.selections) check_selection(one, declared, variants);
  }
}

}  // namespace cliffbench
