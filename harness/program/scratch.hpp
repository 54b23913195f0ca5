#pragma once

/// The folder for temporary files that trials use one after the other.

#include <filesystem>

namespace cliffbench {

/// Throws CannotMeasure when there is no room for a result: a trial that could not write one must
/// not be blamed for it.
void require_room_for_results(const std::filesystem::path& scratch);

/// Whatever a trial left behind must not fill the disk of the next.
void empty_folder(const std::filesystem::path& folder);

}  // namespace cliffbench
