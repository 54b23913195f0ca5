#pragma once

/// A run's folder (its layout is in results/README.md) and its files. Everything that fails here
/// throws CannotMeasure with one sentence that names the file.

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/describe.hpp"
#include "harness/row.hpp"

namespace cliffbench {

/// Replaces the file as a whole or not at all.
void write_file(const std::filesystem::path& path, std::string_view text);
[[nodiscard]] std::string read_file(const std::filesystem::path& path);
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& path);
void make_folder(const std::filesystem::path& path);

/// All whole rows. A last line without its line end (the runner was killed while writing) is left
/// out and named in `notices`; anything else that is no row throws with its line number.
[[nodiscard]] std::vector<Row> read_rows(const std::filesystem::path& file,
                                         std::vector<std::string>& notices);

/// The programs' declarations that a run kept, by program name; in a merged folder those in which
/// its runs differ by "<run>/<program>".
[[nodiscard]] std::map<std::string, Description> read_descriptions(
    const std::filesystem::path& folder);
/// The one that holds for a row's program; throws when there is none.
[[nodiscard]] const Description& description_of(const std::map<std::string, Description>& all,
                                                const Row& row);

/// The sessions/<run>.<n>.json of a run folder, by "<run>.<n>".
[[nodiscard]] std::map<std::string, nlohmann::json> read_sessions(
    const std::filesystem::path& folder);

/// Appends rows, one write each, so that a killed runner leaves at most one unfinished line.
/// Opening cuts such a line off and locks the file: two runners never share one.
class RowWriter {
 public:
  explicit RowWriter(const std::filesystem::path& file);
  ~RowWriter();
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  void append(const Row& row);

 private:
  std::filesystem::path file_;
  int fd_ = -1;
};

}  // namespace cliffbench
