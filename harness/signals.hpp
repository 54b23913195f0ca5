#pragma once

/// The second signals of a gate beside time: instruction counts, other layouts, the machine's
/// fitness; and the rule that puts them together (pure).

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/rulings.hpp"

namespace cliffbench {

struct Signals {
  using Key = std::pair<std::string, std::string>;  ///< program, benchmark
  std::string unfit;                                ///< fitness.hpp
  std::map<Key, Instructions> instructions;
  std::map<Key, std::string> not_counted;      ///< why
  std::map<Key, std::vector<double>> layouts;  ///< ln(t_head / t_base) in each relinked layout
};
[[nodiscard]] nlohmann::json signals_json(const Signals& signals);
[[nodiscard]] Signals parse_signals(const nlohmann::json& json);

/// Rules the time's findings again with what else is known. `by_instructions`: they alone decide.
void apply_signals(GateReport& report, const Signals& signals, bool by_instructions);

}  // namespace cliffbench
