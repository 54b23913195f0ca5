#include "harness/suite/case/claim_grammar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "harness/core/text/text.hpp"
#include "harness/suite/case/describe.hpp"

namespace cliffbench {
namespace {

constexpr const char* kForm =
    "VARIANT QUANTITY [of STAGE] [along AXIS] [against VARIANT] [at AXIS=VALUE,...] >= NUMBER "
    "(or <= NUMBER, or in LOW HIGH)";

// Errors are thrown as "has ..."; `parse` puts the claim in front.

std::string next_word(std::istream& words) {
  std::string word;
  if (!(words >> word)) throw UserError("ends too early");
  return word;
}

/// AXIS=VALUE,AXIS=VALUE with or without spaces after the commas.
Params next_point(std::istream& words) {
  std::string list = next_word(words);
  while (list.ends_with(',')) list += next_word(words);
  return parse_point(list);
}

double next_number(std::istream& words) {
  const std::string word = next_word(words);
  const char* at = word.c_str();
  char* end = nullptr;
  double value = std::strtod(at, &end);
  bool number = end != at;
  if (number && *end == '/') {
    at = end + 1;
    value /= std::strtod(at, &end);
    number = end != at;
  }
  if (!number || !std::isfinite(value)) {
    throw UserError(fmt::format("has '{}' where a number should be", word));
  }
  const std::string unit = end;
  if (unit == "%") return value / 100;
  if (unit.empty() || unit == "x" || unit == "s") return value;
  throw UserError(fmt::format("has the unit '{}', which is not one of x, %, s", unit));
}

Quantity next_quantity(std::istream& words) {
  const std::string name = next_word(words);
  std::vector<std::string> all;
  for (const Quantity known : {Quantity::ratio, Quantity::memory, Quantity::time, Quantity::share,
                               Quantity::exponent, Quantity::agreement}) {
    all.push_back(word(known));
    if (all.back() == name) return known;
  }
  throw UserError(fmt::format("has the quantity '{}', which is not one of {}", name, joined(all)));
}

/// Reads one part. Returns whether it was the bound, which comes last.
bool take_part(std::istream& words, Claim& claim) {
  const std::string word = next_word(words);
  if (word == "of") {
    claim.of = next_word(words);
  } else if (word == "along") {
    claim.axis = next_word(words);
  } else if (word == "against") {
    claim.against = next_word(words);
  } else if (word == "at") {
    claim.where = next_point(words);
  } else if (word == ">=") {
    claim.range.lo = next_number(words);
  } else if (word == "<=") {
    claim.range = {0, next_number(words)};
  } else if (word == "in") {
    claim.range.lo = next_number(words);
    claim.range.hi = next_number(words);
  } else {
    throw UserError(
        fmt::format("has '{}' where one of of, along, against, at, >=, <=, in should be", word));
  }
  return word == ">=" || word == "<=" || word == "in";
}

Claim claim_of(std::istream& words) {
  Claim claim;
  claim.variant = next_word(words);
  claim.quantity = next_quantity(words);
  while (!take_part(words, claim)) {
  }
  std::string rest;
  if (words >> rest) throw UserError(fmt::format("has '{}' after its bound", rest));
  const bool part = claim.quantity == Quantity::share || claim.quantity == Quantity::agreement;
  if (part && std::isinf(claim.range.hi)) claim.range.hi = std::max(1.0, claim.range.lo);
  return claim;
}

ClaimText parse(const std::string& text, bool names_its_case) {
  std::istringstream words(text);
  ClaimText parsed;
  try {
    if (names_its_case) parsed.case_name = next_word(words);
    parsed.claim = claim_of(words);
  } catch (const UserError& error) {
    throw UserError(fmt::format("the claim '{}' {}; it should be: {}{}", text, error.what(),
                                names_its_case ? "CASE " : "", kForm));
  }
  return parsed;
}

}  // namespace

Params parse_point(const std::string& text) {
  Params where;
  std::istringstream stream(text);
  for (std::string pair; std::getline(stream >> std::ws, pair, ',');) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size()) {
      throw UserError(fmt::format("has '{}' where AXIS=VALUE should be", pair));
    }
    if (!where.try_emplace(pair.substr(0, equals), pair.substr(equals + 1)).second) {
      throw UserError(fmt::format("names the axis {} twice", pair.substr(0, equals)));
    }
  }
  return where;
}

Claim parse_claim(const std::string& text) { return parse(text, false).claim; }

ClaimText parse_claim_of_case(const std::string& text) {
  ClaimText parsed = parse(text, true);
  parsed.claim.id = parsed.claim.text = text;
  parsed.claim.source = "command line";
  return parsed;
}

}  // namespace cliffbench
