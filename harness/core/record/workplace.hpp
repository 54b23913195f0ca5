#pragma once

/// A folder in which this process alone measures, and the checks around every trial there, for a
/// run or a gate: nobody else's files, one runner, no emulation, nothing left behind by a killed
/// start, the same programs from the first trial to the last, room for its result.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/record/folder.hpp"
#include "harness/core/record/session.hpp"

namespace cliffbench {

/// A kind of folder that a verb measures into.
struct FolderKind {
  std::string noun;               ///< "run", in sentences
  std::string plan;               ///< the file that begins it
  std::vector<std::string> ours;  ///< subfolders that are removed at the end
};

/// Whether the folder holds one already. Throws UserError when one is to be begun in a folder that
/// has one or has somebody's files, or to be resumed in one that has none.
[[nodiscard]] bool has_begun(const std::filesystem::path& folder, const FolderKind& kind,
                             bool resume);

class Workplace {
 public:
  /// Makes the folder and locks it. `memory_limit_bytes`: of each trial; 0: nine tenths of what is
  /// free now. Throws CannotMeasure when another runner is at work there, and under emulation.
  Workplace(const std::filesystem::path& folder, const FolderKind& kind,
            std::int64_t memory_limit_bytes);
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace();

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_; }
  [[nodiscard]] std::int64_t memory_limit_bytes() const { return memory_limit_bytes_; }
  [[nodiscard]] bool cut_a_line() const { return rows_.cut_a_line(); }

  /// Before the first process: ends what a killed start left behind, and makes the folder for
  /// temporary files anew.
  void clear_scratch();
  /// From here on these files must stay as they are.
  void watch(const std::vector<std::filesystem::path>& files);
  void begin_session(SessionRecord begun);
  void end_session() { session_->end(); }
  [[nodiscard]] int session() const { return session_->number(); }

  /// After every process: throws CannotMeasure when a program was changed meanwhile or, where the
  /// process failed, when it had no room for its result and is not to blame.
  void check(bool failed) const;
  /// Checks, and appends the row as one of this run and session.
  void keep(Row& row);

 private:
  std::filesystem::path folder_, scratch_;
  std::string run_;
  FolderKind kind_;
  std::int64_t memory_limit_bytes_ = 0;
  RowWriter rows_;
  std::map<std::string, std::string> watched_;  ///< size, time and number of each file
  std::unique_ptr<Session> session_;
};

}  // namespace cliffbench
