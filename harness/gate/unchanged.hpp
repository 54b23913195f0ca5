#pragma once

/// Whether a program is the same on both sides, so that there is nothing to measure.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/core/program/identity.hpp"

namespace cliffbench {

inline constexpr auto kSameBytes =
    "the program and the libraries that it loads are the same bytes on both sides";

/// The program of both sides, compared by its file and the libraries that its loader finds
/// (host/libraries.hpp).
struct ComparedFiles {
  /// All of them, on both sides.
  std::vector<std::filesystem::path> files;
  /// Their hashes, by "base NAME" and "base NAME LIBRARY".
  std::map<std::string, std::string> identities;
  /// All are the same bytes on both sides, or both sides are one and the same file.
  bool unchanged = false;
  /// Why a program that is the same file on both sides counts as changed all the same.
  std::string note;
};

/// A program that may open further libraries itself counts as changed, unless both sides are one
/// file. `identities`: of files that several programs load. Throws CannotMeasure when a file cannot
/// be read.
[[nodiscard]] ComparedFiles compare_files(const std::string& name,
                                          const std::filesystem::path& base,
                                          const std::filesystem::path& head,
                                          FileIdentities& identities);

}  // namespace cliffbench
