#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/core/stats/interval.hpp"
#include "harness/suite/case/describe.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/words/verdicts.hpp"

namespace cliffbench {
namespace {

using Json = nlohmann::json;

/// Adds the intervals that exist.
void add_intervals(Json& json, const std::map<std::string, Interval>& intervals) {
  for (const auto& [key, interval] : intervals) {
    if (interval.rounds) json[key] = interval;
  }
}

/// A line of verdicts.jsonl on a program in a set.
std::string line_of(const Judged& judged, const char* kind, Json json) {
  json.update({{"kind", kind},
               {"machine", judged.set.machine},
               {"date", judged.set.date},
               {"commit", judged.set.commit},
               {"program", judged.program},
               {"case", judged.declared->name},
               {"subject", judged.declared->subject.name}});
  return json.dump() + "\n";
}

Json cell_json(const JudgedCell& cell) {
  Json json{
      {"variant", cell.variant}, {"params", cell.params},   {"status", word_of_cell(cell.status)},
      {"counts", cell.counts},   {"checked", cell.checked}, {"reason", cell.reason},
      {"limit_s", cell.limit_s}, {"stages", Json::object()}};
  add_intervals(json, {{"wall_s", cell.wall_s},
                       {"cpu_s", cell.cpu_s},
                       {"rss_bytes", cell.rss_bytes},
                       {"page_faults", cell.page_faults}});
  add_intervals(json["stages"], cell.stages);
  return json;
}

Json ratio_json(const JudgedCell& cell) {
  Json json{{"params", cell.params},
            {"variant", cell.variant},
            {"against", "baseline"},
            {"role", word(cell.with_baseline->role)}};
  add_intervals(json,
                {{"ratio", cell.with_baseline->time}, {"rss_ratio", cell.with_baseline->memory}});
  if (cell.with_baseline->control_moved) json["control_moved"] = true;
  if (!cell.with_baseline->counters.empty()) json["counters"] = cell.with_baseline->counters;
  return json;
}

Json exponent_json(const ExponentFinding& finding) {
  return {{"variant", finding.variant}, {"axis", finding.axis},         {"of", finding.of},
          {"where", finding.where},     {"exponent", finding.exponent}, {"sizes", finding.sizes},
          {"local", finding.local}};
}

Json claim_json(const Finding& finding) {
  const Claim& claim = finding.claim;
  Json json{{"id", claim.id},
            {"text", claim.text},
            {"quantity", word(claim.quantity)},
            {"of", claim.of},
            {"axis", claim.axis},
            {"variant", claim.variant},
            {"against", compares(claim.quantity) ? claim.against : ""},
            {"where", finding.at.empty() ? claim.where : finding.at},
            {"control", claim.control},
            {"origin", word(claim.origin)},
            {"figure_by", word(claim.figure_by)},
            {"expected", word(claim.expected)},
            {"source", claim.source},
            {"range_text", range_text(claim.range, claim.quantity)},
            {"seen", finding.interval},
            {"seen_text", interval_text(finding.interval, claim.quantity)},
            {"verdict", word(finding.verdict)},
            {"words", verdict_words(finding)},
            {"reason", finding.reason},
            {"measured", finding.measured()},
            {"by_machine", finding.by_machine},
            {"as_expected", finding.as_expected()}};
  json.update(Json(claim.range));
  return json;
}

/// The summary line, then one line for each set; a set's programs are neighbours in `all`.
std::string summary_lines(std::span<const Judged> all, const Summary& summary,
                          const std::set<std::string>& runs, std::span<const LeftOut> left_out) {
  std::set<std::string> machines;
  for (const Judged& judged : all) machines.insert(judged.set.machine);
  std::vector<size_t> left_out_lines;  // of rows.jsonl
  for (const LeftOut& one : left_out) left_out_lines.push_back(one.line);
  const Json first{{"kind", "summary"},
                   {"schema", kSchema},
                   {"runs", runs},
                   {"machines", machines},
                   {"claims", summary.claim_count()},
                   {"held", summary.count(Verdict::held)},
                   {"refuted", summary.count(Verdict::refuted)},
                   {"undecided", summary.count(Verdict::undecided)},
                   {"unproven", summary.count(Verdict::unproven)},
                   {"not_measured", summary.not_measured},
                   {"unexpected", summary.unexpected},
                   {"controls",
                    {{"within", summary.count(Steadiness::within)},
                     {"too_wide", summary.count(Steadiness::too_wide)},
                     {"moved", summary.count(Steadiness::moved)}}},
                   {"wrong_output", summary.wrong_output},
                   {"left_out", left_out_lines},
                   {"exit", summary.exit},
                   {"sentence", sentence(summary)}};
  std::string text = first.dump() + "\n";
  while (!all.empty()) {
    const Set& set = all.front().set;
    const auto other = std::find_if(all.begin(), all.end(),
                                    [&](const Judged& judged) { return judged.set != set; });
    const auto size = static_cast<size_t>(other - all.begin());
    const Summary of_set = summarise(all.first(size));
    Json json{{"kind", "set"},        {"machine", set.machine}, {"date", set.date},
              {"commit", set.commit}, {"exit", of_set.exit},    {"sentence", sentence(of_set)}};
    for (const Judged& one : all.first(size)) json["sessions"][one.program] = one.sessions;
    text += json.dump() + "\n";
    all = all.subspan(size);
  }
  return text;
}

/// "held: 44.1x [42.3, 46.3], claimed at least 40x: the patch makes it fast".
Said said_of(const Judged& judged, const Finding& finding) {
  const Claim& claim = finding.claim;
  const Result result = result_of(finding);
  const std::string words = verdict_words(finding);
  const std::string seen =
      finding.measured() ? interval_text(finding.interval, claim.quantity) : "-";
  const std::string claimed = range_text(claim.range, claim.quantity);
  const std::string at = finding.at.empty() ? "" : " at " + point_text(finding.at);
  const char* bold = result == Result::failed ? "**" : "";
  return {.result = result,
          .program = judged.program,
          .name = claim.id + at,
          .word = words,
          .line = fmt::format("{}: {}, claimed {}: {}{}{}", words, seen, claimed, claim.text,
                              finding.reason.empty() ? "" : "; ", finding.reason),
          .cells = {bold + words + bold, markdown_cell(seen), markdown_cell(claimed),
                    markdown_cell(claim.text), markdown_cell(judged.program)}};
}

/// The claims: what failed first, then what is open; else in the order of the cases.
std::vector<Said> said_of_claims(std::span<const Judged> all) {
  std::vector<Said> said;
  for (const Judged& judged : all) {
    for (const Finding& finding : judged.judgement.findings) {
      said.push_back(said_of(judged, finding));
    }
  }
  std::stable_sort(said.begin(), said.end(),
                   [](const Said& a, const Said& b) { return a.result < b.result; });
  return said;
}

/// Cells that crashed, were wrong or the like.
std::vector<Said> said_of_broken_cells(std::span<const Judged> all) {
  std::vector<Said> said;
  for (const Judged& judged : all) {
    for (const JudgedCell& cell : judged.judgement.cells) {
      if (!cell.is_broken()) continue;
      const std::string status = word_of_cell(cell.status);
      const std::string title = fmt::format("{} at {}", cell.variant, point_text(cell.params));
      said.push_back({.result = Result::failed,
                      .program = judged.program,
                      .name = title,
                      .word = status,
                      .line = status + ": " + cell.reason,
                      .cells = {markdown_cell(title), markdown_cell(judged.program), status,
                                markdown_cell(cell.reason)}});
    }
  }
  return said;
}

}  // namespace

std::string verdicts_markdown(std::span<const Judged> all, const Summary& summary) {
  constexpr size_t kRows = 20;
  std::string text = fmt::format("**cliffbench judge: {}**\n\n", markdown_cell(sentence(summary)));
  for (const Said& broken : said_of_broken_cells(all)) {
    const auto& cells = broken.cells;
    text += fmt::format("- {} of {}: {} {}\n", cells[0], cells[1], cells[2], cells[3]);
  }
  const std::vector<Said> claims = said_of_claims(all);
  text += '\n' + markdown_table({"verdict", "seen", "claimed", "claim", "program"}, claims, kRows);
  if (claims.size() <= kRows) return text;
  return text + fmt::format("\n{} more in verdicts.jsonl.\n", claims.size() - kRows);
}

std::string verdicts_junit(std::span<const Judged> all) {
  std::vector<Said> said = said_of_broken_cells(all);
  const std::vector<Said> claims = said_of_claims(all);
  said.insert(said.end(), claims.begin(), claims.end());
  return junit("cliffbench judge", said);
}

void write_verdicts(const std::filesystem::path& folder, std::span<const Judged> all,
                    const Summary& summary, const std::set<std::string>& runs,
                    std::span<const LeftOut> left_out) {
  std::string text = summary_lines(all, summary, runs, left_out);
  for (const Judged& judged : all) {
    const auto& [cells, exponents, findings] = judged.judgement;
    for (const auto& finding : findings) text += line_of(judged, "claim", claim_json(finding));
    for (const auto& cell : cells) text += line_of(judged, "cell", cell_json(cell));
    for (const auto& cell : cells) {
      if (cell.with_baseline) text += line_of(judged, "ratio", ratio_json(cell));
    }
    for (const auto& line : exponents) text += line_of(judged, "exponent", exponent_json(line));
  }
  write_file(folder / "verdicts.jsonl", text);
  write_file(folder / "verdicts.md", verdicts_markdown(all, summary));
  write_file(folder / "verdicts.xml", verdicts_junit(all));
}

}  // namespace cliffbench
