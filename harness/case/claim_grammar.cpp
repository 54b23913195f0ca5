#include "harness/case/claim_grammar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "harness/case/describe.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

constexpr const char* kForm =
    "VARIANT QUANTITY [of STAGE] [along AXIS] [against VARIANT] [at AXIS=VALUE,...] >= NUMBER "
    "(or <= NUMBER, or in LOW HIGH)";

/// Takes a text word by word.
class Words {
 public:
  explicit Words(const std::string& text, const char* form)
      : text_(text), form_(form), stream_(text) {}

  [[nodiscard]] UserError wrong(const std::string& what) const {
    return UserError(fmt::format("the claim '{}' {}; it should be: {}", text_, what, form_));
  }
  std::string next() {
    std::string word;
    if (!(stream_ >> word)) throw wrong("ends too early");
    return word;
  }
  /// AXIS=VALUE,AXIS=VALUE with or without spaces after the commas.
  Params point() {
    std::string list = next();
    while (list.ends_with(',')) list += next();
    try {
      return parse_point(list);
    } catch (const UserError& error) {
      throw wrong(error.what());
    }
  }
  double number() {
    const std::string word = next();
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
      throw wrong(fmt::format("has '{}' where a number should be", word));
    }
    const std::string unit = end;
    if (unit == "%") return value / 100;
    if (unit.empty() || unit == "x" || unit == "s") return value;
    throw wrong(fmt::format("has the unit '{}', which is not one of x, %, s", unit));
  }
  void end() {
    std::string rest;
    if (stream_ >> rest) throw wrong(fmt::format("has '{}' after its bound", rest));
  }

 private:
  const std::string& text_;
  const char* form_;
  std::istringstream stream_;
};

Quantity quantity_of(Words& words) {
  const std::string name = words.next();
  for (const Quantity known : {Quantity::ratio, Quantity::memory, Quantity::time, Quantity::share,
                               Quantity::exponent, Quantity::agreement}) {
    if (word(known) == name) return known;
  }
  throw words.wrong(fmt::format(
      "has the quantity '{}', which is not one of ratio, memory, time, share, exponent, agreement",
      name));
}

/// Takes one part. Whether it was the bound, the last one.
bool take_part(Words& words, Claim& claim) {
  const std::string word = words.next();
  if (word == "of") {
    claim.of = words.next();
  } else if (word == "along") {
    claim.axis = words.next();
  } else if (word == "against") {
    claim.against = words.next();
  } else if (word == "at") {
    claim.where = words.point();
  } else if (word == ">=") {
    claim.range.lo = words.number();
  } else if (word == "<=") {
    claim.range = {0, words.number()};
  } else if (word == "in") {
    claim.range.lo = words.number();
    claim.range.hi = words.number();
  } else {
    throw words.wrong(
        fmt::format("has '{}' where one of of, along, against, at, >=, <=, in should be", word));
  }
  return word == ">=" || word == "<=" || word == "in";
}

void check_range(const Words& words, Claim& claim) {
  Bounds& range = claim.range;
  const bool part = claim.quantity == Quantity::share || claim.quantity == Quantity::agreement;
  if (part && std::isinf(range.hi)) range.hi = std::max(1.0, range.lo);
  if (range.lo > range.hi) throw words.wrong("has an empty range");
  if (claim.quantity == Quantity::exponent) return;
  if (range.lo < 0 || range.hi <= 0 || (part && range.hi > 1)) {
    throw words.wrong(part ? "has a range that is not between 0 and 100 %"
                           : "has a range that no measurement can meet");
  }
}

Claim claim_of(Words& words) {
  Claim claim;
  claim.variant = words.next();
  claim.quantity = quantity_of(words);
  while (!take_part(words, claim)) {
  }
  words.end();
  check_range(words, claim);
  if (claim.quantity == Quantity::exponent && claim.axis.empty()) {
    throw words.wrong("is about an exponent and names no axis (along AXIS)");
  }
  if (claim.quantity == Quantity::share && claim.of.empty()) {
    throw words.wrong("is about a share and names no stage (of STAGE)");
  }
  return claim;
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

Claim parse_claim(const std::string& text) {
  Words words(text, kForm);
  return claim_of(words);
}

ClaimText parse_claim_of_case(const std::string& text) {
  static const std::string form = std::string("CASE ") + kForm;
  Words words(text, form.c_str());
  ClaimText parsed;
  parsed.case_name = words.next();
  parsed.claim = claim_of(words);
  parsed.claim.id = parsed.claim.text = text;
  parsed.claim.source = "command line";
  return parsed;
}

}  // namespace cliffbench
