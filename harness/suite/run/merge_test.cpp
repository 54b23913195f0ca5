#include "harness/suite/run/merge.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/core/host/made_folder_test.hpp"
#include "harness/core/record/folder.hpp"
#include "harness/core/text/error_of_test.hpp"
#include "harness/core/text/printed_by_test.hpp"
#include "harness/suite/run/made_case_test.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// A folder with one row of a run that was measured on this machine; no plan.
fs::path folder_of(const fs::path& place, const std::string& machine, int session, int position,
                   const std::string& n, Shard shard = {}) {
  const fs::path folder = place / fmt::format("{}-{}-{}", machine, session, n);
  SessionRecord record{
      .run = "r", .number = session, .shard = shard, .started = "2026-01-01T00:00:00Z"};
  record.machine.id = machine;
  write_session(folder, record);
  Row row = made_row("r", session, position % 2 ? "fast" : "baseline", 1, 1, n);
  row.program = row.subject = "made";
  row.position = position;
  write_file(folder / "rows.jsonl", row_line(row) + "\n");
  return folder;
}

/// What merging says against two rows of one run.
std::string refusal(const std::string& other_machine, const std::string& other_n,
                    int other_session = 2, bool other_recorded = true) {
  const Folder made;
  const fs::path one = folder_of(made.path(), "m1", 1, 0, "1");
  const fs::path other = folder_of(made.path(), other_machine, other_session, 1, other_n);
  if (!other_recorded) fs::remove_all(other / "sessions");
  return error_of([&] { merge_folders({one, other}, made.path() / "all"); });
}

TEST(Merge, TakesNoPointFromTwoMachines) {
  EXPECT_EQ(refusal("m1", "1"), "");
  EXPECT_EQ(refusal("m2", "2"), "");
  EXPECT_EQ(refusal("m2", "1"),
            "made at n:1 was measured on two machines, m1 and m2; leave out the rows of one");
  EXPECT_EQ(refusal("other", "1", 1, false),
            "made at n:1 was measured on two machines, m1 and unknown; leave out the rows of one");
}

TEST(Merge, TakesNoShardFromTwoMachines) {
  const auto refusal_of_shards = [](int one_shard, const std::string& other_machine) {
    const Folder made;
    const fs::path one = folder_of(made.path(), "m1", 1, 0, "1", {one_shard, 2});
    const fs::path other = folder_of(made.path(), other_machine, 2, 1, "2", {2, 2});
    const std::string said = error_of([&] { merge_folders({one, other}, made.path() / "all"); });
    return said.empty() ? "" : said.substr(0, said.find(" in ")) + said.substr(said.find(" was "));
  };
  EXPECT_EQ(refusal_of_shards(1, "m2"), "");
  EXPECT_EQ(refusal_of_shards(2, "m1"), "");
  EXPECT_EQ(refusal_of_shards(2, "m2"), "shard 2/2 was measured on two machines, m1 and m2");
}

Row row_of(const fs::path& folder) {
  std::vector<LeftOut> left_out;
  return read_rows(folder / "rows.jsonl", left_out).at(0);
}

TEST(Merge, KeepsOneRowOfATrialAndOneFileOfARun) {
  const Folder made;
  const fs::path one = folder_of(made.path(), "m1", 1, 0, "1");
  const fs::path other = folder_of(made.path(), "m1", 2, 1, "1");
  made.write("m1-1-1/programs/made.json", "{}");
  made.write("m1-2-1/programs/made.json.new", "half of it");
  int merged = 0;
  const auto merge = [&] {
    const fs::path target = made.path() / ("all" + std::to_string(++merged));
    std::string said;
    const std::string note =
        printed_by([&] { said = error_of([&] { merge_folders({one, other}, target); }); });
    EXPECT_EQ(note.find("planned"), std::string::npos) << note;
    EXPECT_FALSE(fs::exists(target / "programs/made.json.new"));
    return said;
  };
  EXPECT_EQ(merge(), "");
  const fs::path file = made.write("m1-2-1/programs/made.json", "{ }");
  EXPECT_EQ(merge(), "one run has two different files made.json (one is " + file.string() + ")");
  made.write("m1-2-1/programs/made.json", "{}");
  EXPECT_EQ(merge(), "");
  fs::copy(one / "sessions", other / "sessions");
  const auto with = [&](double time_s, const std::string& digest) {
    Row row = row_of(one);
    row.wall_s = time_s;
    row.digest = digest;
    write_file(other / "rows.jsonl", row_line(row) + "\n");
    return merge();
  };
  EXPECT_EQ(with(1, ""), "");
  EXPECT_EQ(with(2, ""), "run r has two different rows at position 0");
  EXPECT_EQ(with(2, "d"), "run r has two different rows at position 0, with two digests");
}

/// Also without a plan nothing is said of missing trials where the runs are several.
TEST(Merge, KeepsWhatRunsDeclareApartWhereItDiffers) {
  const Folder made;
  std::vector<fs::path> folders;
  for (const std::string run : {"r", "s"}) {
    const fs::path folder = made.path() / run;
    fs::rename(folder_of(made.path(), "m1", 1, 0, "1"), folder);
    Row row = row_of(folder);
    row.run = run;
    write_file(folder / "rows.jsonl", row_line(row) + "\n");
    made.write(run + "/programs/same.json", "{}");
    made.write(run + "/programs/other.json", "{\"of\": \"" + run + "\"}");
    folders.push_back(folder);
  }
  const fs::path all = made.path() / "all";
  const auto merge = [](const std::vector<fs::path>& from, const fs::path& target) {
    return printed_by([&] { merge_folders(from, target); });
  };
  // Neither has a plan: one note would be of one run.
  EXPECT_EQ(merge(folders, all), "2 rows of 2 folders in " + all.string() + "\n");
  const auto check = [](const fs::path& folder) {
    EXPECT_EQ(read_file(folder / "programs/same.json"), "{}");
    EXPECT_EQ(read_file(folder / "programs/r/other.json"), "{\"of\": \"r\"}");
    EXPECT_EQ(read_file(folder / "programs/s/other.json"), "{\"of\": \"s\"}");
    EXPECT_FALSE(fs::exists(folder / "programs/other.json"));
  };
  check(all);
  (void)merge({all, folders[1]}, made.path() / "again");
  check(made.path() / "again");
}

TEST(Merge, WritesIntoNoLinkAndNoFolderWithRows) {
  const Folder made;
  const fs::path one = folder_of(made.path(), "m1", 1, 0, "1");
  const auto sentence = [&](const fs::path& target) {
    return error_of([&] { merge_folders({one}, target); });
  };
  fs::create_directories(made.path() / "empty");
  fs::create_directory_symlink(made.path() / "empty", made.path() / "link");
  EXPECT_EQ(sentence(made.path() / "link"),
            (made.path() / "link").string() + " is a link; name the folder itself");
  EXPECT_EQ(sentence(made.path() / "empty"), "");
  EXPECT_EQ(sentence(made.path() / "empty"),
            (made.path() / "empty").string() + " already holds rows; merge into a new folder");
}

}  // namespace
}  // namespace cliffbench
