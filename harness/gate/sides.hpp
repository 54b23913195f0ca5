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

/// A benchmark's own name on either side, and what the gate calls it: the same, both where two
/// filters are compared, or one with a * for the folder of its side.
struct BenchmarkNames {
  std::string name, base, head;
};

/// Matches the names of both sides, in the head's order: equal ones, then those that are equal but
/// for the folder that each side's program is in, or for what the two folders do not share.
struct MatchedNames {
  std::vector<BenchmarkNames> both;
  std::vector<std::string> only_base, only_head;
};
[[nodiscard]] MatchedNames match_names(const std::vector<std::string>& base,
                                       const std::vector<std::string>& head,
                                       const std::filesystem::path& base_folder,
                                       const std::filesystem::path& head_folder);

struct CommonBenchmarks {
  std::vector<BenchmarkNames> names;
  bool takes_counts = false;       ///< both programs take a count of iterations
  double start_s = 0;              ///< what a process takes beside its benchmarks
  bool of_kit = false;             ///< both are programs of our kit
  size_t one_sided = 0;            ///< benchmarks that only one side has
  std::vector<std::string> notes;  ///< which these are, and what else should be known
};

/// "NAME: the head did not end after its results were complete; they count".
[[nodiscard]] std::string late_end_note(const std::string& program, const std::string& side,
                                        const std::string& how);

class Sides {
 public:
  /// Two folders give the programs of one name that answer as Google Benchmark does. Throws
  /// UserError for sides that cannot be compared. Both arguments must outlive it.
  Sides(const GateRequest& request, const Budget& budget);

  /// From here on the programs are run by paths below `links`, in which each has its own name and
  /// its own neighbours.
  void link(const std::filesystem::path& links);
  /// The names by which the benchmarks can be run there, as some contain the path of the program.
  /// To be called once, after `link`.
  void rename_where_linked(std::vector<ComparedBenchmark>& benchmarks);

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
  const Budget& budget_;
  std::vector<std::string> notes_;
  std::vector<ProgramPair> programs_;
  std::vector<std::filesystem::path> files_;
  std::map<std::string, std::string> identities_;
  std::set<std::string> unchanged_;      ///< programs
  std::map<std::string, Probe> probes_;  ///< by path, of programs that have been asked already
  std::map<std::string, ProgramPair> unlinked_;             ///< by program
  mutable std::map<std::string, CommonBenchmarks> common_;  ///< by program
};

}  // namespace cliffbench
