#include "harness/print/interval_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace cliffbench {

nlohmann::json interval_json(const Interval& seen) {
  using Json = nlohmann::json;
  if (seen.rounds == 0) return nullptr;
  const bool from_above = seen.stopped && seen.median.lo == 0;
  Json json{{"n", seen.rounds}, {"median", from_above ? Json() : Json(seen.median.lo)}};
  if (seen.at) json["lo"] = seen.at->lo;  // what is infinite becomes null in a file
  if (seen.at || from_above) json["hi"] = seen.at ? seen.at->hi : seen.median.hi;
  if (seen.stopped) json["stopped"] = seen.stopped;
  if (std::isinf(seen.median.hi)) json["bound"] = true;
  return json;
}

}  // namespace cliffbench
