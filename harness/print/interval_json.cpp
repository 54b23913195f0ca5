#include "harness/print/interval_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace cliffbench {

nlohmann::json interval_json(const Interval& seen) {
  using Json = nlohmann::json;
  if (seen.rounds == 0) return nullptr;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  const bool from_above = seen.stopped && seen.median.lo == 0;
  Json json{{"n", seen.rounds}, {"median", from_above ? Json() : number(seen.median.lo)}};
  if (seen.at) json.update({{"lo", number(seen.at->lo)}, {"hi", number(seen.at->hi)}});
  if (seen.stopped) json["stopped"] = seen.stopped;
  if (std::isinf(seen.median.hi)) json["bound"] = true;
  return json;
}

}  // namespace cliffbench
