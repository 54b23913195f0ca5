/// Made folders, judged: which rows belong together, which claims are asked, what is kept.

#include "harness/suite/run/judge_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/core/host/exit_code.hpp"
#include "harness/core/host/made_folder_test.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/record/session.hpp"
#include "harness/core/text/error_of_test.hpp"
#include "harness/core/text/printed_by_test.hpp"
#include "harness/suite/run/made_case_test.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Strings = std::vector<std::string>;

/// Six rounds of a program whose patched variant takes a quarter of the time.
struct MadeRows {
  MadeRows() { program(description()); }

  static Description description(const std::string& commit = "c1", bool dirty = false) {
    Description made = made_case();
    made.build = {"gcc", "-O2", commit, dirty};
    Claim claim{.id = "faster", .text = "fast is faster", .variant = "fast"};
    claim.range.lo = 2;
    made.declared.claims = {claim};
    return made;
  }
  void program(const Description& declared, const std::string& run = "") const {
    Json json = describe(declared);
    json.erase("libraries");
    fs::create_directories(folder.path() / "programs" / run);
    write_record(folder.path() / "programs" / run / "made@it.json", json);
  }
  void session(const std::string& run, int number, const std::string& date,
               const std::string& machine = "m1") const {
    SessionRecord record{.run = run, .number = number, .started = date + "T00:00:00Z"};
    record.machine.id = machine;
    record.machine.cpu = "cpu of " + machine;
    write_session(folder.path(), record);
  }
  /// Rounds of one session.
  void measure(const std::string& run, int session, int first = 1, int last = 6) {
    for (int round = first; round <= last; ++round) {
      for (const char* variant : {"baseline", "fast"}) {
        const bool fast = variant == std::string("fast");
        Row row = made_row(run, session, variant, round, (fast ? 1 : 4) + 0.001 * round);
        row.position = 2 * round + fast;
        row.stages = stages;
        lines += row_line(row) + "\n";
      }
    }
    folder.write("rows.jsonl", lines);
  }
  int judge(const Strings& claims = {}) {
    int code = -1;
    said = printed_by([&] { code = judge_folder(folder.path(), claims); });
    return code;
  }
  [[nodiscard]] std::string refusal(const Strings& claims = {}) const {
    return error_of([&] { (void)printed_by([&] { (void)judge_folder(folder.path(), claims); }); });
  }
  [[nodiscard]] Json verdicts(const std::string& kind) const {
    std::istringstream text(read_file(folder.path() / "verdicts.jsonl"));
    Json found = Json::array();
    for (std::string line; std::getline(text, line);) {
      const Json json = Json::parse(line);
      if (json["kind"] == kind) found.push_back(json);
    }
    return found;
  }

  Folder folder;
  std::map<std::string, double> stages;
  std::string lines;
  std::string said;
};

TEST(JudgeFolder, WritesItsVerdictsAndSaysWhereTheyAre) {
  MadeRows made;
  made.session("r", 1, "2026-01-01");
  made.measure("r", 1);
  EXPECT_EQ(made.judge(), Exit::fine);
  const std::string folder = made.folder.path().string();
  EXPECT_TRUE(made.said.ends_with("\nVerdicts: " + folder + "/verdicts.jsonl\n")) << made.said;
  EXPECT_NE(made.said.find("made@it"), std::string::npos);
  const Json summary = made.verdicts("summary").at(0);
  EXPECT_EQ(summary["held"], 1);
  EXPECT_EQ(summary["claims"], 1);
  EXPECT_EQ(summary["runs"], Json({"r"}));
  EXPECT_EQ(summary["left_out"], Json::array());
  made.folder.write("report.html", "");
  made.folder.write("rows.jsonl", made.lines + "{\"schema\"");
  made.said =
      printed_by([&] { EXPECT_EQ(judge_folder(made.folder.path() / "rows.jsonl"), Exit::fine); });
  EXPECT_TRUE(made.said.ends_with("\nReport: " + folder + "/report.html\n")) << made.said;
  EXPECT_NE(made.said.find("; 1 line left out"), std::string::npos) << made.said;
  EXPECT_TRUE(made.said.starts_with("note: " + folder + "/rows.jsonl")) << made.said;
  EXPECT_EQ(made.verdicts("summary").at(0)["left_out"].size(), 1u);
}

TEST(JudgeFolder, RefusesWhatHasNoRows) {
  MadeRows made;
  const std::string rows = (made.folder.path() / "rows.jsonl").string();
  for (const Strings& claims : {Strings{}, Strings{"mad fast ratio >= 3"}}) {
    EXPECT_EQ(made.refusal(claims), "cannot read " + rows + ": No such file or directory");
  }
  made.folder.write("rows.jsonl", "");
  EXPECT_EQ(made.refusal(), rows + " holds no rows");
  made.measure("r", 1);
  EXPECT_EQ(made.refusal(), "a row belongs to session r.1, but there is no sessions/r.1.json");
  made.session("r", 1, "2026-01-01");
  EXPECT_EQ(made.refusal(), "");
  fs::remove(made.folder.path() / "programs/made@it.json");
  EXPECT_EQ(made.refusal(), "a row belongs to made@it, but there is no programs/made@it.json");
}

TEST(JudgeFolder, AsksATypedClaimAndKeepsNothingOfIt) {
  MadeRows made;
  made.session("r", 1, "2026-01-01");
  made.measure("r", 1);
  for (const std::string name : {"made", "made@it"}) {
    EXPECT_EQ(made.judge({name + " fast ratio >= 3"}), Exit::fine);
    EXPECT_NE(made.said.find("2 of 2 claims hold"), std::string::npos) << made.said;
    EXPECT_EQ(made.said.find("Verdicts: "), std::string::npos);
    EXPECT_EQ(made.judge({name + " fast ratio >= 5"}), Exit::unexpected);
  }
  EXPECT_FALSE(fs::exists(made.folder.path() / "verdicts.jsonl"));
  EXPECT_EQ(made.refusal({"mad fast ratio >= 3"}),
            "--claim 'mad fast ratio >= 3' is about mad, these rows are of made@it");
  EXPECT_NE(made.refusal({"made fats ratio >= 3"}).find("fats"), std::string::npos);
  const std::string stage = "made fast share of load <= 1/2";
  EXPECT_EQ(made.refusal({stage}),
            "--claim '" + stage + "' is about the stage 'load'; these rows have none");
  made.lines.clear();
  made.stages = {{"read", 0.5}};
  made.measure("r", 1);
  EXPECT_EQ(made.refusal({stage}),
            "--claim '" + stage + "' is about the stage 'load'; these rows have read");
  EXPECT_EQ(made.judge({"made fast share of read >= 1/3"}), Exit::fine);
}

TEST(JudgeFolder, DecidesAClaimOfAMachineThere) {
  MadeRows made;
  Description description = MadeRows::description();
  description.declared.claims[0].machine = "of m2";
  made.program(description);
  made.measure("r", 1);
  const auto held = [&](const std::string& machine) {
    made.session("r", 1, "2026-01-01", machine);
    (void)made.judge();
    return made.verdicts("summary").at(0)["held"];
  };
  EXPECT_EQ(held("m1"), 0);
  EXPECT_EQ(held("m2"), 1);
}

/// A resumed run is of its first date; another machine, date or build is judged apart.
TEST(JudgeFolder, JudgesTogetherWhatIsOfOneMachineDateAndBuild) {
  MadeRows made;
  made.session("r", 1, "2026-01-02");
  made.session("r", 2, "2026-01-01");
  made.session("s", 1, "2026-01-03");
  made.session("t", 1, "2026-01-03", "m2");
  made.session("u", 1, "2026-01-03", "m2");
  made.measure("r", 1, 1, 3);
  made.measure("r", 2, 4, 6);
  made.measure("s", 1);
  made.measure("t", 1);
  made.program(MadeRows::description("c1", true), "u");
  made.measure("u", 1);
  EXPECT_EQ(made.judge(), Exit::fine);
  Strings sets;
  for (const Json& set : made.verdicts("set")) {
    sets.push_back(fmt::format("{} {} {} {}", set["machine"].get<std::string>(),
                               set["date"].get<std::string>(), set["commit"].get<std::string>(),
                               set["sessions"]["made@it"].dump()));
  }
  EXPECT_EQ(sets, (Strings{"m1 2026-01-01 c1 [\"r.1\",\"r.2\"]", "m1 2026-01-03 c1 [\"s.1\"]",
                           "m2 2026-01-03 c1 [\"t.1\"]", "m2 2026-01-03 c1+ [\"u.1\"]"}));
  EXPECT_EQ(made.verdicts("summary").at(0)["runs"], Json({"r", "s", "t", "u"}));
  Description other = MadeRows::description();
  other.declared.limit_s = 7;
  made.program(other, "t");
  EXPECT_EQ(made.refusal(), "");
  made.program(other, "s");
  EXPECT_EQ(made.refusal(), "");  // each in a set of its own
  made.session("v", 1, "2026-01-03");
  made.measure("v", 1);
  EXPECT_EQ(made.refusal(),
            "made@it was declared in two ways at commit c1 on 2026-01-03; judge these runs "
            "separately");
  made.program(other, "v");
  EXPECT_EQ(made.refusal(), "");
}

}  // namespace
}  // namespace cliffbench
