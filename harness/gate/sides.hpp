#pragma once

/// The two sides of a gate: the programs, and the benchmarks that both have.

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/core/program/program.hpp"
#include "harness/gate/gate.hpp"
#include "harness/gate/pairs.hpp"
#include "harness/gate/unchanged.hpp"

namespace cliffbench {

/// One program, before and after, under paths of equal length: the length of argv[0] moves the
/// stack, and with it the time.
struct ProgramPair {
  std::string name;
  std::filesystem::path base, head;
};

/// A benchmark's own name on either side, and what the gate calls it: the same, or both where two
/// filters are compared.
struct BenchmarkNames {
  std::string name, base, head;
};

struct CommonBenchmarks {
  std::vector<BenchmarkNames> names;
  bool takes_counts = false;       ///< both programs take a count of iterations
  double start_s = 0;              ///< what a process takes beside its benchmarks
  bool of_kit = false;             ///< both are programs of our kit
  std::vector<std::string> notes;  ///< why others are left out
};

class Sides {
 public:
  /// Two folders give the programs of one name that answer as Google Benchmark does. Throws
  /// UserError for sides that cannot be compared. The request must outlive it.
  explicit Sides(const GateRequest& request);

  /// From here on the programs are run by paths below `links`, in which each has its own name and
  /// its own neighbours.
  void link(const std::filesystem::path& links);

  [[nodiscard]] const std::vector<ProgramPair>& programs() const { return programs_; }
  [[nodiscard]] const ProgramPair& pair_of(const ComparedBenchmark& benchmark) const;
  /// The programs themselves, whatever names them, and the libraries that they load.
  [[nodiscard]] const std::vector<std::filesystem::path>& files() const { return files_; }
  /// Hashes that tell builds apart, of these files (unchanged.hpp).
  [[nodiscard]] const std::map<std::string, std::string>& identities() const { return identities_; }
  /// The program is the same on both sides, and so is what is asked of it: there is nothing to
  /// measure.
  [[nodiscard]] bool unchanged(const ProgramPair& pair) const {
    return unchanged_.contains(pair.name);
  }
  /// Programs that are left out, and what of one that is the same file differs.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// The benchmarks that both have and that are wanted: those that the filter finds or, without
  /// one, of a program of our kit, those of its profile `gate`, else `verify`. Each program is
  /// asked once.
  [[nodiscard]] const CommonBenchmarks& common(const ProgramPair& pair) const;

 private:
  const GateRequest& request_;
  std::vector<std::string> notes_;
  std::vector<ProgramPair> programs_;
  std::vector<std::filesystem::path> files_;
  std::map<std::string, std::string> identities_;
  std::set<std::string> unchanged_;        ///< programs
  std::map<std::string, Manner> manners_;  ///< by path, of programs that have been asked already
  mutable std::map<std::string, CommonBenchmarks> common_;  ///< by program
};

}  // namespace cliffbench
