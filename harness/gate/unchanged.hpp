#pragma once

/// Whether a program is the same on both sides, so that there is nothing to measure.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/program/identity.hpp"

namespace cliffbench {

inline constexpr auto kSameBytes = "the program and its libraries are identical on both sides";

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

/// Unless both sides are one file, a program counts as changed where it may load anything else: it
/// or a library of it (but the C and C++ libraries themselves) may open libraries, or a file in the
/// program's folder differs, programs of `own_names` apart. `identities`: of files that several
/// programs load. Throws CannotMeasure when a file cannot be read.
[[nodiscard]] ComparedFiles compare_files(const std::string& name,
                                          const std::filesystem::path& base,
                                          const std::filesystem::path& head,
                                          const std::set<std::string>& own_names,
                                          FileIdentities& identities);

struct LoadedFile {
  std::filesystem::path path;  ///< without links
  std::string hash;
};
/// The files that a program consists of when it begins.
struct Loaded {
  LoadedFile program;
  std::optional<std::map<std::string, LoadedFile>> libraries;  ///< by file name, where known
};
/// Why two sides whose program is the same file count as changed; "" when they do not.
[[nodiscard]] std::string change_of(const std::string& name, const Loaded& base, const Loaded& head,
                                    const std::set<std::string>& own_names);

/// Whether the file contains the name of a function that opens a library, as each file that calls
/// one does.
[[nodiscard]] bool may_open_libraries(const std::filesystem::path& path);

/// Up to three files below the two folders that differ or that only one has, by their paths there;
/// not what a build system writes for itself, nor these names.
[[nodiscard]] std::vector<std::string> differing_files(const std::filesystem::path& base,
                                                       const std::filesystem::path& head,
                                                       const std::set<std::string>& left_out);

}  // namespace cliffbench
