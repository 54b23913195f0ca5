#pragma once

/// A run of a program in which everything that it executes or uses is seen that differs from the
/// other side. Linux on x86-64 (ptrace).

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/impact/compare.hpp"

namespace cliffbench {

/// A file of the process that is not the same on both sides.
struct TracedFile {
  const ElfFile* file = nullptr;
  const Changes* changes = nullptr;
};

/// Functions, by file and export, at which the process is stopped, too.
struct Stops {
  std::string loader_path;   ///< the loader,
  std::uint64_t loaded = 0;  ///< where it tells debuggers that all files are in place,
  std::set<std::pair<std::string, std::uint64_t>> unwinds;  ///< how an unwinder finds its tables
};

struct Trace {
  std::string touched;  ///< what it executed or used that differs, or why that cannot be said
  std::set<std::pair<size_t, size_t>> executed;  ///< functions of both sides: file, number
  std::set<std::string> opened;                  ///< files
};

/// Runs the command until it has ended or has touched a difference, at most `limit_s` seconds.
[[nodiscard]] Trace trace(const std::vector<std::string>& command,
                          const std::map<std::string, std::string>& environment,
                          const std::vector<TracedFile>& files, const Stops& stops, double limit_s);

}  // namespace cliffbench
