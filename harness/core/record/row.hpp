#pragma once

/// The JSON line of one trial. Reading, writing and the schema come from one table of fields,
/// `row_fields()`.

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record/params.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {

/// From the best to the worst: a cell has the status of its worst row. `wrong`: the case's own
/// check found the output wrong.
enum class Status { ok, skipped, timeout, failed, oom, crash, wrong };
[[nodiscard]] std::string word(Status status);
/// Whether the process ended without a result: it may have lacked memory or disk, or be broken.
[[nodiscard]] constexpr bool is_failure(Status status) {
  return status == Status::crash || status == Status::failed || status == Status::oom;
}

/// A value that is not known is absent, or 0 where 0 cannot be measured.
struct Row {
  std::string run;
  int session = 0;
  std::string program;
  std::string case_name;
  std::string subject;
  std::string name;
  std::string variant;
  Params params;
  int round = 0;
  int position = 0;
  Status status = Status::failed;
  std::string reason;
  double limit_s = 0;
  std::int64_t iterations = 0;
  std::optional<double> wall_s;  // timed region; only when ok
  std::optional<double> cpu_s;
  std::optional<double> mean_wall_s;  // of several batches, of which wall_s is the fastest
  std::optional<double> mean_cpu_s;
  std::optional<std::int64_t> rss_bytes;
  std::optional<double> page_faults;
  double process_s = 0;
  double process_cpu_s = 0;
  std::optional<double> blocked_s;
  std::int64_t process_rss_bytes = 0;
  std::map<std::string, double> stages;
  std::map<std::string, double> counters;
  std::string digest;
};

template <typename Record>
struct Field;  // fields.hpp
/// The needed fields are those that identify the trial.
[[nodiscard]] const std::vector<Field<Row>>& row_fields();

/// Says why no trial can be like this ("has a negative wall_s"); "" when one can.
[[nodiscard]] std::string impossible(const Row& row);

/// One line of rows.jsonl, without its line end. Its last field, `check`, is the XXH3 (64 bits) of
/// all that stands before it in the line.
[[nodiscard]] std::string row_line(const Row& row);

/// Completes a line that begins with `start` (all but its last field) with its check.
[[nodiscard]] std::string with_checksum(std::string start);

/// Thrown for a line that was changed since it was written: it is not JSON, or its checksum does
/// not match.
struct DamagedRow : CannotMeasure {
  using CannotMeasure::CannotMeasure;
};

/// Absent fields are unknown values, and further fields are allowed. Throws DamagedRow, or
/// CannotMeasure (text.hpp) with what is wrong: another schema, a missing needed field, a field
/// that is there twice or has the wrong type, an impossible value.
[[nodiscard]] Row parse_row(std::string_view line);

/// A JSON Schema of a row.
[[nodiscard]] nlohmann::ordered_json row_schema();

}  // namespace cliffbench
