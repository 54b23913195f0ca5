#pragma once

/// Which benchmarks a change cannot have touched: both builds of the program execute the same
/// machine code on the same data, from start to end.

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/host/exact.hpp"
#include "harness/program/program.hpp"

namespace cliffbench {

/// What is known of a benchmark. One that is audited is timed though the change does not touch it.
enum class Impact { unknown, touched, audited, untouched };
template <>
inline constexpr auto kWords<Impact> =
    std::to_array<Word<Impact>>({{Impact::unknown, "unknown"},
                                 {Impact::touched, "touched"},
                                 {Impact::audited, "audited"},
                                 {Impact::untouched, "untouched"}});

/// Two builds of one program.
class ComparedPrograms {
 public:
  /// Compares their files, which takes a second or less. Throws UserError where this build of ours
  /// cannot.
  ComparedPrograms(const std::filesystem::path& base, const std::filesystem::path& head);
  ~ComparedPrograms();

  /// Runs a benchmark once on each side, for at least `batch_s` of its loop. "" where it is
  /// untouched, else what it touches, or why that cannot be said.
  [[nodiscard]] std::string touched(const std::string& base_name, const std::string& head_name,
                                    double batch_s, const TrialLimits& limits) const;

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

/// Of those that are untouched, one in twenty (and one at least) drawn at random is audited.
void draw_audit(std::vector<Impact*> untouched, std::uint64_t seed);

}  // namespace cliffbench
