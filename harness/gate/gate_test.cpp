/// Whole gates, in this process, of programs that are shell scripts.

#include "harness/gate/gate.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "harness/core/host/exit_code.hpp"
#include "harness/core/program/made_program_test.hpp"
#include "harness/core/record/folder.hpp"
#include "harness/core/text/error_of_test.hpp"
#include "harness/core/text/printed_by_test.hpp"
#include "harness/gate/words.hpp"

namespace cliffbench {
namespace {

using Strings = std::vector<std::string>;

const std::string kThree = "one two three";
/// Where the second benchmark takes 20 % longer, and the third 20 % less.
const std::string kOtherTimes =
    "each() { case $1 in two) ms=1.2 ;; three) ms=0.8 ;; *) ms=1 ;; esac; }\n";

struct MadeGate {
  MadeGate(const std::string& base, const std::string& head) {
    request.base = folder.script("base/made", base);
    request.head = folder.script("head/made", head);
    request.folder = folder.path() / "gate";
    request.seed = 1;
    request.count = CountWhen::never;
  }
  int run() {
    int code = -1;
    said = printed_by([&] { code = run_gate(request); });
    return code;
  }
  /// The rulings, by benchmark.
  [[nodiscard]] std::map<std::string, std::string> rulings() const {
    std::map<std::string, std::string> found;
    std::istringstream lines(read_file(request.folder / "rulings.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const auto ruling = nlohmann::json::parse(line);
      if (ruling["kind"] == "ruling") found[ruling["name"]] = ruling["ruling"];
    }
    return found;
  }
  [[nodiscard]] size_t rows() const {
    std::vector<LeftOut> left_out;
    return read_rows(request.folder / "rows.jsonl", left_out).size();
  }

  Folder folder;
  GateRequest request;
  std::string said;
};

using RunGate = Measuring;

TEST_F(RunGate, RulesEachBenchmarkByItsOwnTimes) {
  MadeGate gate(made_program("", "", kThree), made_program(kOtherTimes, "", kThree));
  EXPECT_EQ(gate.run(), Exit::regression) << gate.said;
  EXPECT_NE(gate.said.find(ruling_head()), gate.said.npos) << gate.said;
  EXPECT_EQ(gate.rulings(), (std::map<std::string, std::string>{
                                {"one", "ok"}, {"three", "improved"}, {"two", "regression"}}));
  EXPECT_EQ(gate.rows(), 3u * 3 * kAnalysisPairs.front());
  std::set<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(gate.request.folder)) {
    files.insert(file.path().filename());
  }
  EXPECT_EQ(files,
            (std::set<std::string>{"evidence.json", "gate.json", "rows.jsonl", "rulings.jsonl",
                                   "rulings.md", "rulings.xml", "sessions"}));
  for (const char* words : {"REGRESSION", "+20.0 %", "1 REGRESSION", "1 ok"}) {
    EXPECT_NE(gate.said.find(words), std::string::npos) << words << " in " << gate.said;
  }
}

TEST_F(RunGate, OnATerminalTheProgressIsClearedBeforeAnythingElse) {
  MadeGate gate(made_program("", "", kThree), made_program(kOtherTimes, "", kThree));
  const std::string shown = shown_by([&] { (void)run_gate(gate.request); });
  const std::regex progress("of 3 decided; measuring (one|two|three)([^])");
  const std::sregex_iterator begin(shown.begin(), shown.end(), progress), end;
  EXPECT_GE(std::distance(begin, end), 3) << shown;
  for (auto at = begin; at != end; ++at) EXPECT_EQ(at->str(2), "\r") << shown;
  EXPECT_NE(shown.find("REGRESSION"), shown.npos) << shown;
}

TEST_F(RunGate, AMarginIsOfTheBenchmarksThatItsExpressionFinds) {
  MadeGate gate(made_program("", "", kThree), made_program(kOtherTimes, "", kThree));
  gate.request.own_margins = {{"^(two|three)$", 0.5}};
  gate.request.own_must_find = {{"^t", 0.8}};
  EXPECT_EQ(gate.run(), Exit::fine) << gate.said;
  EXPECT_EQ(gate.rulings(),
            (std::map<std::string, std::string>{{"one", "ok"}, {"three", "ok"}, {"two", "ok"}}));
  gate.request.own_margins = {{"four", 0.5}};
  gate.request.folder = gate.folder.path() / "none";
  EXPECT_EQ(error_of([&] { (void)run_gate(gate.request); }),
            "--margin four=50%: no benchmark matches");
  gate.request.own_margins = {{"two", 0.82}};
  EXPECT_EQ(error_of([&] { (void)run_gate(gate.request); }),
            "two: its --margin 82% must be less than its --must-find 80%");
}

TEST_F(RunGate, ResumedWhenAllIsDecidedMeasuresNothing) {
  MadeGate gate(made_program(), made_program());
  EXPECT_EQ(gate.run(), Exit::fine);
  const size_t rows = gate.rows();
  gate.request.resume = true;
  EXPECT_EQ(gate.run(), Exit::fine);
  EXPECT_EQ(gate.rows(), rows);
  gate.folder.script("head/made", made_program("ms=2"));
  EXPECT_THROW((void)run_gate(gate.request), UserError);  // it was rebuilt since
}

TEST_F(RunGate, ABudgetThatEndsFirstDecidesNothing) {
  MadeGate gate(made_program("sleep 0.1"), made_program("sleep 0.1; ms=2"));
  gate.request.budget_s = 0.8;
  EXPECT_EQ(gate.run(), Exit::cannot_measure) << gate.said;
  EXPECT_EQ(gate.rulings().at("one"), "inconclusive");
  EXPECT_LT(gate.rows(), 3u * kAnalysisPairs.front());
  EXPECT_NE(gate.said.find("no benchmark was decided"), std::string::npos) << gate.said;
}

/// Of twelve pairs nine are left, and none comes any more: the last analysis decides by these.
TEST_F(RunGate, TheEndOfABudgetDecidesByThePairsThatThereAre) {
  const std::string waits = "[ ! -e \"$TMPDIR/../../slow\" ] || sleep 9\n";
  for (const char* ms : {"1.2", "1"}) {
    MadeGate gate(made_program(waits), made_program(waits + "ms=" + ms));
    (void)gate.run();
    const std::filesystem::path file = gate.request.folder / "rows.jsonl";
    std::string rows = read_file(file);
    for (int row = 0; row < 9; ++row) rows.erase(rows.rfind('\n', rows.size() - 2) + 1);
    write_file(file, rows);
    gate.folder.write("slow", "");
    gate.request.resume = true;
    gate.request.budget_s = 0.5;
    const bool slower = ms == std::string("1.2");
    EXPECT_EQ(gate.run(), slower ? Exit::regression : Exit::fine) << gate.said;
    EXPECT_EQ(gate.rulings().at("one"), slower ? "regression" : "ok");
    EXPECT_EQ(gate.rows(), 27u);
  }
}

TEST_F(RunGate, SidesWithNothingInCommonAreRefused) {
  MadeGate gate(made_program("", "", "one two"), made_program("", "", "three"));
  EXPECT_THROW((void)run_gate(gate.request), CannotMeasure);
  EXPECT_FALSE(std::filesystem::exists(gate.request.folder));
  MadeGate none(made_program(), "echo no; exit 1");
  EXPECT_ANY_THROW((void)run_gate(none.request));
}

/// A benchmark that only one side has is noted, and the others are compared.
TEST_F(RunGate, NotesWhatIsOnOneSideOnly) {
  MadeGate gate(made_program("", "", kThree), made_program("", "", "one new"));
  gate.request.time_unchanged = true;
  EXPECT_EQ(gate.run(), Exit::fine);
  EXPECT_EQ(gate.rulings(), (std::map<std::string, std::string>{{"one", "ok"}}));
  EXPECT_NE(gate.said.find("3 benchmarks are on one side only"), std::string::npos) << gate.said;
}

}  // namespace
}  // namespace cliffbench
