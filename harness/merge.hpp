#pragma once

/// `cliffbench merge`: several run folders as one.

#include <filesystem>
#include <vector>

namespace cliffbench {

/// Puts the rows and descriptions of several run folders into a new one, and their plan when it is
/// one and the same (shards). What comes out depends on the files alone, in whichever order they
/// are given. Refuses two different rows of one trial, one point measured on two machines, and two
/// different declarations of one program (CannotMeasure).
void merge_folders(const std::vector<std::filesystem::path>& sources,
                   const std::filesystem::path& target);

}  // namespace cliffbench
