#pragma once

/// A run's folder (its layout is in results/README.md) and its files. Everything that fails here
/// throws CannotMeasure with one sentence that names the file.

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/core/host/file.hpp"
#include "harness/core/record/row.hpp"

namespace cliffbench {

/// The path of a run's rows, whether or not it exists: rows.jsonl, or rows.jsonl.gz for a published
/// run. Throws CannotMeasure when both are there.
[[nodiscard]] std::filesystem::path rows_file(const std::filesystem::path& folder);

/// A line that was not used.
struct LeftOut {
  size_t line = 0;   ///< from 1
  std::string text;  ///< "FILE line 3 is damaged and was left out: it ..."
};

/// Calls `visit(row, line)` for every whole row of a file, which is read line by line. A last line
/// without its line end (the runner was killed while writing) and a damaged line are left out and
/// named in `left_out`; any other line that is not a row throws with its line number.
void for_each_row(const std::filesystem::path& file, std::vector<LeftOut>& left_out,
                  const std::function<void(Row, const std::string&)>& visit);
[[nodiscard]] std::vector<Row> read_rows(const std::filesystem::path& file,
                                         std::vector<LeftOut>& left_out);

/// Refuses a second row of one trial: of one variant of a benchmark in one round of a run.
class TrialsSeen {
 public:
  explicit TrialsSeen(std::filesystem::path rows_file) : file_(std::move(rows_file)) {}
  void take(const Row& row);

 private:
  std::filesystem::path file_;
  std::unordered_map<std::string, std::vector<bool>> rounds_;
};
[[noreturn]] void refuse_row(const std::filesystem::path& file, const char* what, const Row& row);

/// Whether a RowWriter has this file open.
[[nodiscard]] bool in_use(const std::filesystem::path& file);

/// Appends rows, one write each, so that a killed runner leaves at most one unfinished line.
/// Opening cuts such a line off and locks the file: two runners never share one. A link is refused,
/// and so is a folder whose rows are compressed.
class RowWriter {
 public:
  explicit RowWriter(const std::filesystem::path& file);
  [[nodiscard]] bool cut_a_line() const { return cut_; }
  /// Throws CannotMeasure when the row cannot be written whole. Throws it before writing anything
  /// when the row could not be read again (row.hpp), or when the file is no longer the one at its
  /// path (the folder was moved or removed).
  void append(const Row& row);

 private:
  std::filesystem::path file_;
  OpenFile open_;
  bool cut_ = false;
};

}  // namespace cliffbench
