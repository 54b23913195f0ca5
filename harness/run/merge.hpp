#pragma once

/// `cliffbench merge`: several run folders as one.

#include <filesystem>
#include <vector>

namespace cliffbench {

/// Puts the rows and descriptions of several run folders into a new one, of one machine or several,
/// of one date or several, and their plan when it is one and the same (shards). What comes out
/// depends on the files alone, in whichever order they are given. Runs of different builds may
/// declare a program differently; then each keeps its own, in programs/<run>/. Refuses two
/// different rows of one trial, and one point of a run measured on two machines (CannotMeasure).
void merge_folders(const std::vector<std::filesystem::path>& folders,
                   const std::filesystem::path& target);

}  // namespace cliffbench
