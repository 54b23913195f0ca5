#pragma once

/// A run of a program in which everything that it executes or uses is seen that differs from the
/// other side. Linux on x86-64 (ptrace).

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/impact/compare.hpp"

namespace cliffbench {

struct Trace {
  std::string touched;        ///< what it executed or used that differs, or why that is not known
  std::set<size_t> executed;  ///< functions of both sides, by number
  std::set<std::string> libraries;  ///< files
};

/// Runs the command until it has ended or has touched a difference, at most `limit_s` seconds.
/// Throws NotComparable when that cannot be said.
[[nodiscard]] Trace trace(const std::vector<std::string>& command,
                          const std::map<std::string, std::string>& environment,
                          const ElfFile& program, const Changes& changes, double limit_s);

}  // namespace cliffbench
