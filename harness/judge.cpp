#include "harness/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include "harness/claim_text.hpp"
#include "harness/folder.hpp"
#include "harness/plan.hpp"
#include "harness/text.hpp"
#include "harness/verdicts.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const char* symbol(const Finding& finding) {
  if (finding.claim.control && finding.seen.at) return control_moved(finding) ? "!" : "+";
  if (finding.verdict == Verdict::undecided) return "?";
  return finding.as_expected() ? "+" : "!";
}

void print_findings(const Judged& judged) {
  size_t width = 5;
  for (const Finding& finding : judged.judgement.findings) {
    if (finding.measured()) width = std::max(width, finding.claim.text.size());
  }
  fmt::print("\n  {:<{}}  {:<12}  {:<24} {:>2}  {}\n", "claim", width, "range", "seen", "n",
             "verdict");
  std::vector<std::string> not_measured;
  for (const Finding& finding : judged.judgement.findings) {
    const Claim& claim = finding.claim;
    if (!finding.measured()) {
      not_measured.push_back(claim.id);
      continue;
    }
    const bool surprising = !finding.as_expected() && !claim.control;
    fmt::print("{} {:<{}}  {:<12}  {:<24} {:>2}  {}{}\n", symbol(finding), claim.text, width,
               range_text(claim.range, claim.quantity), interval_text(finding.seen, claim.quantity),
               finding.seen.rounds, verdict_words(finding),
               surprising ? " (expected: " + word(claim.expected) + ")" : "");
    const bool undecided = finding.verdict == Verdict::undecided && !claim.control;
    if (undecided || surprising) fmt::print("    {}\n", finding.reason);
  }
  if (!not_measured.empty()) fmt::print("  not measured here: {}\n", joined(not_measured));
}

void print_ratios(const Judged& judged) {
  // Of these patches it is said that the baseline never finished, so that nothing was compared.
  std::set<std::pair<Params, std::string>> oracle_only;
  for (const JudgedCell& cell : judged.judgement.cells) {
    if (cell.checked == "oracle only") oracle_only.insert({cell.params, cell.variant});
  }
  bool titled = false;
  for (const RatioFinding& found : judged.judgement.ratios) {
    if (found.role == Role::control || !found.ratio.rounds) continue;
    if (!titled) fmt::print("\n  baseline / variant, > 1 is faster\n");
    titled = true;
    const bool noted =
        found.role == Role::patch && oracle_only.contains({found.params, found.variant});
    fmt::print("  {:<18} {:<26} {}{}\n", found.variant, interval_text(found.ratio, Quantity::ratio),
               point_text(found.params), noted ? "  (checked by its oracle only)" : "");
  }
}

void print_troubles(const Judged& judged) {
  for (const JudgedCell& cell : judged.judgement.cells) {
    if (cell.status == "ok") continue;
    fmt::print("! {} at {}: {}{}{}\n", cell.variant, point_text(cell.params), cell.status,
               cell.reason.empty() ? "" : ": ", cell.reason);
  }
}

void print_all(const std::vector<Judged>& all, const Summary& summary) {
  for (const Judged& judged : all) {
    fmt::print("\n{} on machine {}, {}\n", judged.program, judged.set.machine, judged.set.date);
    print_ratios(judged);
    print_findings(judged);
    print_troubles(judged);
  }
  fmt::print("\n{}\n", sentence(summary));
}

std::string session_key(const Row& row) { return fmt::format("{}.{}", row.run, row.session); }

/// One program in one set: its rows, kept once and without the texts that judging does not need,
/// for there may be millions.
struct Group {
  const Description* description = nullptr;
  JudgedMachine machine;
  RowsByCell rows;
};

struct Groups {
  std::map<std::pair<Set, std::string>, Group> by_set;
  std::set<std::string> runs;
};

/// Gives the claims of the command line to the cases that they name.
void add_claims(std::map<std::string, Description>& programs,
                const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const ClaimText parsed = parse_claim(text);
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
  }
}

JudgedMachine machine_of(const Json& session) {
  const auto text = [&](const char* key) {
    return session.value(Json::json_pointer(key), std::string());
  };
  return judged_machine(text("/machine/cpu"), text("/machine/arch"), text("/machine/os"),
                        session.value("/machine/virtualised"_json_pointer, false));
}

/// Where and when each session was measured: a resumed run belongs to the date of its first start.
std::map<std::string, Set> sets_of(const std::map<std::string, Json>& sessions) {
  std::map<std::string, std::string> dates;  // by run
  for (const auto& [key, session] : sessions) {
    const std::string date = session.value("started", "unknown").substr(0, 10);
    std::string& first = dates.try_emplace(session.value("run", ""), date).first->second;
    first = std::min(first, date);
  }
  std::map<std::string, Set> sets;
  for (const auto& [key, session] : sessions) {
    sets[key] = {session.value("/machine/id"_json_pointer, "unknown"),
                 dates[session.value("run", "")], ""};
  }
  return sets;
}

/// Finds the group of a row. Throws CannotMeasure when the row's session or program is not there,
/// or when runs of one set declare their program differently.
class Grouping {
 public:
  Grouping(const fs::path& folder, const std::map<std::string, Description>& programs)
      : programs_(programs), sessions_(read_sessions(folder)), sets_(sets_of(sessions_)) {}

  Group& group_of(const Row& row, Groups& groups) const {
    const auto found = sets_.find(session_key(row));
    if (found == sets_.end()) {
      throw CannotMeasure(
          fmt::format("a row belongs to session {}, but there is no sessions/{}.json",
                      session_key(row), session_key(row)));
    }
    const Description& description = description_of(programs_, row);
    Set set = found->second;
    set.commit = description.build.commit + (description.build.dirty ? "+" : "");
    Group& group = groups.by_set[{set, row.program}];
    if (!group.description) group.description = &description;
    if (group.description != &description &&
        describe(*group.description) != describe(description)) {
      throw CannotMeasure(
          fmt::format("{} was declared in two ways at commit {} on {}; judge these runs apart",
                      row.program, set.commit, set.date));
    }
    group.machine = machine_of(sessions_.at(session_key(row)));
    return group;
  }

 private:
  const std::map<std::string, Description>& programs_;
  std::map<std::string, Json> sessions_;
  std::map<std::string, Set> sets_;
};

Groups read_groups(const fs::path& folder, const std::map<std::string, Description>& programs,
                   std::vector<LeftOut>& left_out) {
  const Grouping grouping(folder, programs);
  Groups groups;
  std::map<std::string, std::string> short_words;  // of the runs
  std::unordered_map<std::string, std::deque<Row>*> cells;
  std::string key;
  for_each_row(folder / "rows.jsonl", left_out, [&](Row row, const std::string&) {
    // One look at a hash, not at 10^5 points: session, program and name are the cell.
    key.clear();
    fmt::format_to(std::back_inserter(key), "{}.{}\n{}\n{}", row.run, row.session, row.program,
                   row.name);
    std::deque<Row>*& cell = cells[key];
    if (!cell) {
      groups.runs.insert(row.run);
      Group& group = grouping.group_of(row, groups);
      cell = &group.rows[{std::move(row.params), std::move(row.variant)}];
    }
    row.run = short_words.try_emplace(row.run, std::to_string(short_words.size())).first->second;
    row.params.clear();
    for (std::string* unused : {&row.program, &row.case_name, &row.subject, &row.name}) {
      std::string().swap(*unused);
    }
    cell->push_back(std::move(row));
  });
  return groups;
}

/// The rows of each set and program, judged.
std::vector<Judged> judge_all(const Groups& groups) {
  std::vector<Judged> all;
  for (const auto& [key, group] : groups.by_set) {
    const Case& declared = group.description->declared;
    all.push_back({key.first, key.second, &declared,
                   judge_rows_by_cell(declared, group.rows, group.machine)});
  }
  return all;
}

}  // namespace

int judge_folder(const fs::path& given, const std::vector<std::string>& claims) {
  const fs::path folder = given.filename() == "rows.jsonl" ? given.parent_path() : given;
  std::vector<LeftOut> left_out;
  const fs::path rows = folder / "rows.jsonl";
  if (!fs::exists(rows)) {
    throw CannotMeasure(fmt::format("cannot read {}: No such file or directory", rows.string()));
  }
  auto programs = read_descriptions(folder);
  add_claims(programs, claims);
  const Groups groups = read_groups(folder, programs, left_out);
  for (const LeftOut& one : left_out) fmt::print("note: {}\n", one.text);
  if (groups.by_set.empty()) throw CannotMeasure(rows.string() + " holds no rows");
  const std::vector<Judged> all = judge_all(groups);
  const Summary summary = summarise(all);
  // Claims of the command line are asked, not kept: the folder's verdicts stay those of its cases.
  if (claims.empty()) write_verdicts(folder, all, summary, groups.runs, left_out);
  print_all(all, summary);
  return summary.exit;
}

}  // namespace cliffbench
