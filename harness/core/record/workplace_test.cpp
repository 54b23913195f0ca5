/// A run's folder and its rows: what is written, cut off and refused.

#include "harness/core/record/workplace.hpp"

#include <gtest/gtest.h>

#include "harness/core/host/made_folder_test.hpp"
#include "harness/core/record/measured_row_test.hpp"
#include "harness/core/text/error_of_test.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

Row row_of(int round) {
  Row row = measured_row("baseline", round, 1);
  row.run = "run";
  row.program = row.case_name = row.subject = row.name = "made";
  return row;
}

TEST(RowWriter, CutsOffAnUnfinishedLineAndGoesOnBehindTheLastWholeOne) {
  const Folder folder;
  const std::string first = row_line(row_of(1)) + "\n";
  for (const std::string& torn : {std::string(), std::string("{"), first.substr(0, 100)}) {
    const fs::path file = folder.write("rows.jsonl", first + torn);
    RowWriter rows(file);
    EXPECT_EQ(rows.cut_a_line(), !torn.empty());
    rows.append(row_of(2));
    EXPECT_EQ(read_file(file), first + row_line(row_of(2)) + "\n");
  }
}

TEST(RowWriter, RefusesWhatAnotherWritesOrNobodyMayWrite) {
  const Folder folder;
  const fs::path file = folder.path() / "rows.jsonl";
  {
    const RowWriter rows(file);
    EXPECT_TRUE(in_use(file));
    EXPECT_EQ(error_of([&] { const RowWriter other(file); }),
              file.string() + " is in use by another cliffbench run");
  }
  EXPECT_FALSE(in_use(file));
  fs::remove(file);
  fs::create_symlink(folder.write("other", ""), file);
  EXPECT_THROW(const RowWriter rows(file), CannotMeasure);
  fs::remove(file);
  fs::create_hard_link(folder.path() / "other", file);
  EXPECT_THROW(const RowWriter rows(file), CannotMeasure);
  fs::remove(file);
  folder.write("rows.jsonl.gz", "");
  EXPECT_THROW(const RowWriter rows(file), CannotMeasure);
}

TEST(RowWriter, WritesNothingThatCannotBeReadAgain) {
  const Folder folder;
  const fs::path file = folder.path() / "rows.jsonl";
  RowWriter rows(file);
  Row row = row_of(1);
  row.wall_s = -1;
  EXPECT_THROW(rows.append(row), CannotMeasure);
  EXPECT_EQ(read_file(file), "");
}

TEST(RowWriter, OfAMovedFolderSaysSo) {
  const Folder folder;
  fs::create_directory(folder.path() / "run");
  RowWriter rows(folder.path() / "run/rows.jsonl");
  rows.append(row_of(1));
  fs::rename(folder.path() / "run", folder.path() / "moved");
  EXPECT_THROW(rows.append(row_of(2)), CannotMeasure);
  EXPECT_EQ(read_file(folder.path() / "moved/rows.jsonl"), row_line(row_of(1)) + "\n");
}

const FolderKind kRun = {"run", "plan.json", {"scratch", "sides"}};

TEST(HasBegun, IsSaidOfAFolderWithAPlanAndRefusedForStrangersFiles) {
  const Folder folder;
  const auto refusal = [&](bool resume) {
    return error_of([&] { (void)has_begun(folder.path(), kRun, resume); });
  };
  const std::string path = folder.path().string();
  EXPECT_FALSE(has_begun(folder.path(), kRun, false));
  EXPECT_EQ(refusal(true), path + " holds no run to resume (it has no plan.json)");
  fs::create_directory(folder.path() / "sides");
  EXPECT_EQ(refusal(false),
            path + " holds sides, which does not belong to a run; choose another folder");
  folder.write("rows.jsonl", "");  // a start that was killed early
  EXPECT_FALSE(has_begun(folder.path(), kRun, false));
  folder.write("rows.jsonl", "x");
  EXPECT_EQ(refusal(false), path + " holds rows without a plan; choose another folder");
  folder.write("plan.json", "");
  EXPECT_TRUE(has_begun(folder.path(), kRun, true));
  EXPECT_EQ(refusal(false), path + " already holds a run; continue it with --resume " + path +
                                ", or choose another folder");
}

using WorkplaceTest = Measuring;

TEST_F(WorkplaceTest, KeepsRowsOfItsRunAndSessionAndLeavesNothingElse) {
  const Folder folder;
  const fs::path path = folder.path() / "run";
  for (const int session : {1, 2}) {
    Workplace place(path, kRun, 1000);
    EXPECT_EQ(place.memory_limit_bytes(), 1000);
    place.clear_scratch();
    EXPECT_TRUE(fs::is_empty(place.scratch()));
    write_file(place.scratch() / "left", "");
    place.clear_scratch();
    EXPECT_TRUE(fs::is_empty(place.scratch()));
    place.begin_session({.run = "mine", .profile = "gate"});
    EXPECT_EQ(place.session(), session);
    Row row = row_of(session);
    place.keep(row);
    EXPECT_EQ(row.run, "mine");
    EXPECT_EQ(row.session, session);
    place.end_session();
  }
  std::vector<LeftOut> left_out;
  EXPECT_EQ(read_rows(path / "rows.jsonl", left_out).size(), 2u);
  EXPECT_FALSE(fs::exists(path / "scratch"));
  {
    const Workplace unused(folder.path() / "unused", kRun, 0);
  }
  EXPECT_FALSE(fs::exists(folder.path() / "unused/rows.jsonl"));
}

TEST_F(WorkplaceTest, AWatchedFileMayNotChange) {
  const Folder folder;
  const fs::path file = folder.write("program", "one");
  Workplace place(folder.path() / "run", kRun, 0);
  place.clear_scratch();
  place.begin_session({.run = "run", .profile = "gate"});
  place.watch({file});
  Row row = row_of(1);
  place.keep(row);
  folder.write("program", "other");
  EXPECT_EQ(error_of([&] { place.keep(row); }),
            file.string() + " was changed while it was measured; start a new run");
  fs::remove(file);
  EXPECT_THROW(place.keep(row), CannotMeasure);
}

}  // namespace
}  // namespace cliffbench
