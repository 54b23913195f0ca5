#pragma once

/// `cliffbench status DIR`: how far a run is, from its files alone.

#include <filesystem>
#include <string>

namespace cliffbench {

/// One line for a run's folder; for a folder of runs (the shards of a plan) one line each, and one
/// for all of them. Throws UserError when there is no run in it.
[[nodiscard]] std::string run_status_text(const std::filesystem::path& folder);

}  // namespace cliffbench
