#include "harness/suite/run/merge.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/core/record/measured_row_test.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/record/session.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// A folder with one row of a run that was measured on this machine; no plan and no shards.
fs::path folder_of(const fs::path& place, const std::string& machine, int session, int position,
                   const std::string& n) {
  const fs::path folder = place / fmt::format("{}-{}-{}", machine, session, n);
  fs::create_directories(folder / "sessions");
  SessionRecord record{.run = "r", .number = session, .started = "2026-01-01T00:00:00Z"};
  record.machine.id = machine;
  write_record(folder / fmt::format("sessions/r.{}.json", session), session_json(record));
  Row row = measured_row(position % 2 ? "fast" : "baseline", 1, 1);
  row.run = "r";
  row.session = session;
  row.program = row.case_name = row.subject = "made";
  row.position = position;
  row.params = {{"n", n}};
  row.name = fmt::format("made/n:{}/variant:{}", n, row.variant);
  write_file(folder / "rows.jsonl", row_line(row) + "\n");
  return folder;
}

/// What merging says against two rows of one run.
std::string refusal(const std::string& other_machine, const std::string& other_n) {
  const fs::path place =
      fs::path(testing::TempDir()) / fmt::format("merge-{}-{}", other_machine, other_n);
  fs::remove_all(place);
  const fs::path one = folder_of(place, "m1", 1, 0, "1");
  const fs::path other = folder_of(place, other_machine, 2, 1, other_n);
  try {
    merge_folders({one, other}, place / "all");
  } catch (const CannotMeasure& error) {
    return error.what();
  }
  return "";
}

TEST(Merge, TakesNoPointFromTwoMachines) {
  EXPECT_EQ(refusal("m1", "1"), "");
  EXPECT_EQ(refusal("m2", "2"), "");
  EXPECT_EQ(refusal("m2", "1"),
            "made at n:1 was measured on two machines, m1 and m2; leave out the rows of one");
}

}  // namespace
}  // namespace cliffbench
