#include "harness/claim_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "harness/describe.hpp"
#include "harness/text.hpp"

namespace cliffbench {
namespace {

constexpr const char* kForm =
    "CASE VARIANT QUANTITY [of STAGE] [along AXIS] [against VARIANT] [at AXIS=VALUE,...] >= NUMBER "
    "(or <= NUMBER, or in LOW HIGH)";

UserError wrong(const std::string& text, const std::string& what) {
  return UserError(fmt::format("the claim '{}' {}; it should be: {}", text, what, kForm));
}

double number(const std::string& text, const std::string& word) {
  size_t used = 0;
  double value = 0;
  try {
    value = std::stod(word, &used);
  } catch (const std::exception&) {
    throw wrong(text, fmt::format("has '{}' where a number should be", word));
  }
  if (!std::isfinite(value))
    throw wrong(text, fmt::format("has '{}' where a number should be", word));
  const std::string unit = word.substr(used);
  if (unit == "%") return value / 100;
  if (!unit.empty() && unit != "x" && unit != "s") {
    throw wrong(text, fmt::format("has the unit '{}', which is none of x, %, s", unit));
  }
  return value;
}

Quantity quantity_of(const std::string& text, const std::string& name) {
  for (const Quantity known : {Quantity::ratio, Quantity::memory, Quantity::time, Quantity::share,
                               Quantity::exponent, Quantity::agreement}) {
    if (word(known) == name) return known;
  }
  throw wrong(text,
              fmt::format("has the quantity '{}', which is none of ratio, memory, time, share, "
                          "exponent, agreement",
                          name));
}

Params where_of(const std::string& text, const std::string& list) {
  Params where;
  std::istringstream stream(list);
  for (std::string pair; std::getline(stream, pair, ',');) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos) throw wrong(text, fmt::format("has '{}' after at", pair));
    if (!where.try_emplace(pair.substr(0, equals), pair.substr(equals + 1)).second) {
      throw wrong(text, fmt::format("names {} twice after at", pair.substr(0, equals)));
    }
  }
  return where;
}

/// The factor and the unit in which a quantity is shown.
std::pair<double, const char*> shown_as(Quantity quantity) {
  if (quantity == Quantity::share || quantity == Quantity::agreement) return {100, " %"};
  if (quantity == Quantity::time) return {1, " s"};
  return {1, quantity == Quantity::exponent ? "" : "x"};
}

}  // namespace

ClaimText parse_claim(const std::string& text) {
  std::istringstream stream(text);
  const auto next = [&] {
    std::string token;
    if (!(stream >> token)) throw wrong(text, "ends too early");
    return token;
  };
  ClaimText parsed;
  Claim& claim = parsed.claim;
  parsed.case_name = next();
  claim.variant = next();
  claim.quantity = quantity_of(text, next());
  bool bounded = false;
  while (!bounded) {
    const std::string token = next();
    bounded = token == ">=" || token == "<=" || token == "in";
    if (token == "of") {
      claim.of = next();
    } else if (token == "along") {
      claim.axis = next();
    } else if (token == "against") {
      claim.against = next();
    } else if (token == "at") {
      claim.where = where_of(text, next());
    } else if (token == ">=") {
      claim.range.lo = number(text, next());
    } else if (token == "<=") {
      claim.range = {0, number(text, next())};
    } else if (token == "in") {
      claim.range.lo = number(text, next());
      claim.range.hi = number(text, next());
    } else {
      throw wrong(text, fmt::format("has '{}' where one of of, along, against, at, >=, <=, in "
                                    "should be",
                                    token));
    }
  }
  std::string rest;
  if (stream >> rest) throw wrong(text, fmt::format("goes on with '{}' after its bound", rest));
  if (claim.range.lo > claim.range.hi) throw wrong(text, "has an empty range");
  if (claim.quantity == Quantity::exponent && claim.axis.empty()) {
    throw wrong(text, "is about an exponent and names no axis (along AXIS)");
  }
  if (claim.quantity == Quantity::share && claim.of.empty()) {
    throw wrong(text, "is about a share and names no stage (of STAGE)");
  }
  claim.id = claim.text = text;
  claim.source = "command line";
  return parsed;
}

void check_claim(const Claim& claim, const Case& declared) {
  std::vector<std::string> variants;
  for (const Variant& variant : declared.variants) variants.push_back(variant.name);
  const auto has = [](const std::vector<std::string>& words, const std::string& name) {
    return std::find(words.begin(), words.end(), name) != words.end();
  };
  for (const std::string& name : {claim.variant, claim.against}) {
    if (has(variants, name) || (name == claim.against && !compares(claim.quantity))) continue;
    throw UserError(
        fmt::format("{} has no variant '{}'; it has {}", declared.name, name, joined(variants)));
  }
  std::vector<std::string> axes;
  for (const Axis& axis : declared.axes) axes.push_back(axis.name);
  Params named = claim.where;
  if (!claim.axis.empty()) named[claim.axis];
  for (const auto& [name, value] : named) {
    const auto axis =
        std::find_if(declared.axes.begin(), declared.axes.end(),
                     [&, key = name](const Axis& known) { return known.name == key; });
    if (axis == declared.axes.end()) {
      throw UserError(
          fmt::format("{} has no axis '{}'; it has {}", declared.name, name, joined(axes)));
    }
    if (!value.empty() && !has(axis->values, value)) {
      throw UserError(fmt::format("the axis {} of {} has no value '{}'; it has {}", name,
                                  declared.name, value, joined(axis->values)));
    }
  }
}

std::string interval_text(const Interval& seen, Quantity quantity) {
  if (seen.rounds == 0) return "-";
  const auto [scale, unit] = shown_as(quantity);
  const auto number = [by = scale](double value) { return three_digits(value * by); };
  if (std::isinf(seen.median.hi)) {
    return fmt::format(">= {}{} ({} stopped run{})", number(seen.at ? seen.at->lo : seen.median.lo),
                       unit, seen.stopped, seen.stopped == 1 ? "" : "s");
  }
  if (seen.stopped && seen.median.lo == 0) {
    return fmt::format("<= {}{} ({} stopped run{})", number(seen.at ? seen.at->hi : seen.median.hi),
                       unit, seen.stopped, seen.stopped == 1 ? "" : "s");
  }
  if (!seen.at) return fmt::format("{}{}", number(seen.median.lo), unit);
  return fmt::format("{}{} [{}, {}]", number(seen.median.lo), unit, number(seen.at->lo),
                     std::isinf(seen.at->hi) ? "open" : number(seen.at->hi));
}

std::string range_text(const Bounds& range, Quantity quantity) {
  const auto [scale, unit] = shown_as(quantity);
  const auto number = [by = scale](double value) {
    return fmt::format("{:g}", std::stod(three_digits(value * by)));
  };
  if (std::isinf(range.hi)) return fmt::format(">= {}{}", number(range.lo), unit);
  if (scale == 100 && range.hi >= 1) return fmt::format(">= {}{}", number(range.lo), unit);
  if (range.lo <= 0) return fmt::format("<= {}{}", number(range.hi), unit);
  return fmt::format("{} to {}{}", number(range.lo), number(range.hi), unit);
}

}  // namespace cliffbench
