#pragma once

/// Which benchmarks a change cannot have touched: both builds of the program execute the same
/// machine code on the same data, from start to end.

#include <filesystem>
#include <optional>
#include <string>

#include "harness/impact/trace.hpp"
#include "harness/program/identity.hpp"
#include "harness/program/program.hpp"

namespace cliffbench {

/// Two builds of one program.
class ComparedPrograms {
 public:
  /// Compares their files, which takes a second or less.
  ComparedPrograms(const std::filesystem::path& base, const std::filesystem::path& head);

  /// Runs a benchmark once on each side, for at least `batch_s` of its loop. "" where it is
  /// untouched, else what it touches, or why that is not known.
  [[nodiscard]] std::string touched(const std::string& base_name, const std::string& head_name,
                                    double batch_s, const TrialLimits& limits);

 private:
  [[nodiscard]] Trace follow(bool is_head, const std::string& name, double batch_s,
                             const TrialLimits& limits) const;

  std::filesystem::path base_path_, head_path_;
  std::optional<ElfFile> base_, head_;
  BothChanges changes_;
  FileIdentities identities_;  ///< of libraries
  std::string trouble_;        ///< why nothing is known
};

}  // namespace cliffbench
