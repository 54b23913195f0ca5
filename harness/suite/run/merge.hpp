#pragma once

/// `cliffbench merge`: several run folders as one.

#include <filesystem>
#include <vector>

namespace cliffbench {

/// Puts the rows and descriptions of several run folders, from any machines and dates, into a new
/// one; also their plan, when all of them are shards of one. The result depends only on the files,
/// not on the order in which they are given. Runs of different builds may
/// declare a program differently; then each keeps its own, in programs/<run>/. Refuses two
/// different rows of one trial, and one point of a run measured on two machines (CannotMeasure).
void merge_folders(const std::vector<std::filesystem::path>& folders,
                   const std::filesystem::path& target);

}  // namespace cliffbench
