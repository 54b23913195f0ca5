#pragma once

/// The declaration of a case as JSON and back: what `--describe` prints, the harness reads, and a
/// run folder keeps.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/suite/case/case.hpp"

namespace cliffbench {

struct Build {
  std::string compiler, flags, commit;
  bool dirty = false;
};

/// The answer of `--describe` for one case.
struct Description {
  Case declared;
  Build build;
  std::vector<std::string> libraries =
      {};  ///< paths of the shared libraries that the program has loaded
};

[[nodiscard]] nlohmann::json describe(const Description& description);
/// Throws nlohmann::json::exception on a wrong shape, std::runtime_error on another schema, on a
/// field that is missing or unknown (`libraries` and a folder's `file` are allowed), and on names
/// that cannot name files; what `check_declaration` throws.
[[nodiscard]] Description parse_description(const nlohmann::json& json);

void to_json(nlohmann::json& json, const Bounds& bounds);
void from_json(const nlohmann::json& json, Bounds& bounds);

/// The words for the enumerators of case.hpp, as they stand in files and tables.
[[nodiscard]] std::string word(Role value);
[[nodiscard]] std::string word(Quantity value);
/// Whether claims of this quantity name a second variant.
[[nodiscard]] bool compares(Quantity quantity);
[[nodiscard]] std::string word(Origin value);
[[nodiscard]] std::string word(FigureBy value);
[[nodiscard]] std::string word(Verdict value);

}  // namespace cliffbench
