#include "harness/suite/run/judge_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/core/record/folder.hpp"
#include "harness/core/record/session.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/case/claim_grammar.hpp"
#include "harness/suite/case/declaration.hpp"
#include "harness/suite/judge/control.hpp"
#include "harness/suite/plan/row_check.hpp"
#include "harness/suite/run/run_folder.hpp"
#include "harness/suite/words/verdicts.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// One program in one set, and its rows.
struct Group {
  const Description* description = nullptr;
  JudgedMachine machine;
  std::set<std::string> sessions;
  std::vector<Row> rows;
};

struct Groups {
  std::map<std::pair<Set, std::string>, Group> by_set;
  std::set<std::string> runs;
  std::map<std::string, SessionRecord> sessions;
};

/// Gives the claims of the command line to the cases that they name, and returns them.
std::vector<ClaimText> add_claims(std::map<std::string, Description>& programs,
                                  const std::vector<std::string>& texts) {
  std::vector<ClaimText> claims;
  for (const std::string& text : texts) {
    const ClaimText parsed = parse_claim_of_case(text);
    bool known = false;
    for (auto& [program, description] : programs) {
      Case& declared = description.declared;
      if (declared.name != parsed.case_name && program != parsed.case_name) continue;
      check_claim(parsed.claim, declared);
      declared.claims.push_back(parsed.claim);
      known = true;
    }
    std::vector<std::string> names;
    for (const auto& [program, description] : programs) names.push_back(program);
    if (!known) {
      throw UserError(fmt::format("--claim '{}' is about {}, these rows are of {}", text,
                                  parsed.case_name, joined(names)));
    }
    claims.push_back(parsed);
  }
  return claims;
}

/// Where and when each session was measured: a resumed run belongs to the date of its first start.
std::map<std::string, Set> sets_of(const std::map<std::string, SessionRecord>& sessions) {
  std::map<std::string, std::string> dates;  // by run
  for (const auto& [key, session] : sessions) {
    std::string& first = dates.try_emplace(session.run, session.date()).first->second;
    first = std::min(first, session.date());
  }
  std::map<std::string, Set> sets;
  for (const auto& [key, session] : sessions) {
    sets[key] = {session.machine.id, dates[session.run], ""};
  }
  return sets;
}

/// Throws CannotMeasure when a row's session or program is missing, or when runs of one set declare
/// their program differently.
Groups read_groups(const fs::path& folder, const std::map<std::string, Description>& programs,
                   RowCheck& check, std::vector<LeftOut>& left_out) {
  Groups groups;
  groups.sessions = read_sessions(folder);
  const auto sets = sets_of(groups.sessions);
  for_each_checked_row(folder, check, left_out, [&](Row row, const std::string&) {
    const std::string session = fmt::format("{}.{}", row.run, row.session);
    const auto found = sets.find(session);
    if (found == sets.end()) {
      throw CannotMeasure(
          fmt::format("a row belongs to session {0}, but there is no sessions/{0}.json", session));
    }
    const Description& description = description_of(programs, row);
    Set set = found->second;
    set.commit = description.build.commit + (description.build.dirty ? "+" : "");
    Group& group = groups.by_set[{set, row.program}];
    if (!group.description) group.description = &description;
    if (group.description != &description &&
        describe(*group.description) != describe(description)) {
      throw CannotMeasure(
          fmt::format("{} was declared in two ways at commit {} on {}; judge these runs separately",
                      row.program, set.commit, set.date));
    }
    group.machine = judged_machine(groups.sessions.at(session).machine);
    group.sessions.insert(session);
    groups.runs.insert(row.run);
    for (std::string* unused : {&row.program, &row.case_name, &row.subject, &row.name}) {
      std::string().swap(*unused);  // there may be millions of rows
    }
    group.rows.push_back(std::move(row));
  });
  return groups;
}

/// Says where the report is, or else the verdicts.
std::string where(const fs::path& folder) {
  const fs::path page = folder / "report.html";
  if (fs::exists(page)) return "Report: " + page.string();
  return "Verdicts: " + (folder / "verdicts.jsonl").string();
}

/// The rows of each set and program, judged.
std::vector<Judged> judge_all(const Groups& groups) {
  std::vector<Judged> all;
  for (const auto& [key, group] : groups.by_set) {
    const Case& declared = group.description->declared;
    all.push_back(
        {key.first, key.second, &declared, judge_program(declared, group.rows, group.machine)});
    all.back().sessions.assign(group.sessions.begin(), group.sessions.end());
  }
  size_t controls = 0;
  for (const Judged& judged : all) controls += controls_of(judged.judgement);
  for (Judged& judged : all) rule_controls(judged.judgement, controls);
  return all;
}

/// Refuses a typed claim about a stage that no row of its case has.
void require_stages(const std::vector<Judged>& all, const std::vector<ClaimText>& claims) {
  for (const ClaimText& parsed : claims) {
    if (parsed.claim.of.empty()) continue;
    std::set<std::string> stages;
    for (const Judged& judged : all) {
      if (judged.declared->name != parsed.case_name && judged.program != parsed.case_name) continue;
      for (const JudgedCell& cell : judged.judgement.cells) {
        for (const auto& [stage, seconds] : cell.stages) stages.insert(stage);
      }
    }
    if (stages.contains(parsed.claim.of)) continue;
    throw UserError(fmt::format("--claim '{}' is about the stage '{}'; these rows have {}",
                                parsed.claim.text, parsed.claim.of,
                                stages.empty() ? "none" : joined(stages)));
  }
}

}  // namespace

int judge_folder(const fs::path& given, const std::vector<std::string>& claims) {
  const bool names_rows = given.filename() == "rows.jsonl" || given.filename() == "rows.jsonl.gz";
  const fs::path folder = names_rows ? given.parent_path() : given;
  std::vector<LeftOut> left_out;
  const fs::path rows = rows_file(folder);
  if (!is_there(rows)) {
    throw CannotMeasure(fmt::format("cannot read {}: No such file or directory", rows.string()));
  }
  RowCheck check(folder);
  auto programs = read_descriptions(folder);
  const std::vector<ClaimText> typed = add_claims(programs, claims);
  const Groups groups = read_groups(folder, programs, check, left_out);
  std::string notes;
  for (const LeftOut& one : left_out) notes += fmt::format("note: {}\n", one.text);
  say_wrapped(notes);
  if (groups.by_set.empty()) throw CannotMeasure(rows.string() + " holds no rows");
  const std::vector<Judged> all = judge_all(groups);
  require_stages(all, typed);
  Summary summary = summarise(all);
  summary.planned = check.planned();
  summary.missing = check.missing();
  summary.left_out = left_out.size();
  // Claims from the command line are only answered: the folder keeps the verdicts of its cases.
  if (claims.empty()) write_verdicts(folder, all, summary, groups.runs, left_out);
  const Screen shown{terminal_width(), screen().colours};
  say_styled(table_text(all, shown) + "\n");
  const std::string rest = claims.empty() ? where(folder) + "\n" : "";
  say("{}", wrapped(sentence(summary) + "\n" + rest, shown.width));
  return summary.exit;
}

}  // namespace cliffbench
