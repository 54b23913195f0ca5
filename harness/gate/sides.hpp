#pragma once

/// The two sides of a gate: the programs, and the benchmarks that both have.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/gate/gate.hpp"
#include "harness/gate/pairs.hpp"

namespace cliffbench {

/// One program, before and after, under paths of equal length: the length of argv[0] moves the
/// stack, and with it the time.
struct ProgramPair {
  std::string name;
  std::filesystem::path base, head;
};

struct CommonBenchmarks {
  std::vector<std::string> names;
  bool takes_counts = false;       ///< both programs take a count of iterations
  bool of_kit = false;             ///< both are programs of our kit
  std::vector<std::string> notes;  ///< why others are left out
};

class Sides {
 public:
  /// Makes `links`/base and `links`/head, links to the two folders (or, where the file names
  /// differ, to the two files under one name). Throws UserError for sides that cannot be compared.
  Sides(const GateRequest& request, const std::filesystem::path& links);

  [[nodiscard]] const std::vector<ProgramPair>& programs() const { return programs_; }
  [[nodiscard]] const ProgramPair& pair_of(const ComparedBenchmark& benchmark) const;
  /// The programs themselves, whatever names them.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  /// Hashes that tell builds apart, by "base NAME" and "head NAME".
  [[nodiscard]] std::map<std::string, std::string> identities() const;
  /// Programs that only one side has.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// The benchmarks that both have and that are wanted: those that the filter finds or, without
  /// one, of a program of our kit, those of its profile `gate`, else `verify`. Each program is
  /// asked once.
  [[nodiscard]] const CommonBenchmarks& common(const ProgramPair& pair) const;

 private:
  const GateRequest& request_;
  std::vector<std::string> notes_;
  std::vector<ProgramPair> programs_;
  mutable std::map<std::string, CommonBenchmarks> common_;  ///< by program
};

}  // namespace cliffbench
