#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/case/describe.hpp"
#include "harness/judge/interval.hpp"
#include "harness/plan/plan.hpp"
#include "harness/print/verdicts.hpp"

namespace cliffbench {
namespace {

using Json = nlohmann::json;

/// Adds the intervals that exist.
void add_intervals(Json& json, const std::map<std::string, Interval>& intervals) {
  for (const auto& [key, interval] : intervals) {
    if (interval.rounds) json[key] = interval;
  }
}

/// One line of JSON about a program in a set.
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
            {"expected", word(claim.expected)},
            {"source", claim.source},
            {"range_text", range_text(claim.range, claim.quantity)},
            {"seen", finding.interval},
            {"seen_text", interval_text(finding.interval, claim.quantity)},
            {"verdict", word(finding.verdict)},
            {"words", verdict_words(finding)},
            {"reason", finding.reason},
            {"measured", finding.measured()},
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
                    {{"quiet", summary.count(Steadiness::quiet)},
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

/// A claim of one program, as both markups list it.
struct Listed {
  const Judged* judged = nullptr;
  const Finding* finding = nullptr;
  JUnit::Result result = JUnit::Result::passed;
};

/// Failed claims first, then open ones; otherwise in the order of the cases.
std::vector<Listed> worst_first(std::span<const Judged> all) {
  std::vector<Listed> lines;
  for (const Judged& judged : all) {
    for (const Finding& finding : judged.judgement.findings) {
      lines.push_back({&judged, &finding, result_of(finding)});
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Listed& a, const Listed& b) { return a.result < b.result; });
  return lines;
}

std::string seen_text(const Finding& finding) {
  return finding.measured() ? interval_text(finding.interval, finding.claim.quantity) : "-";
}

/// "held: 44.1x [42.3, 46.3], claimed at least 40x: the patch makes it fast".
std::string finding_text(const Finding& finding) {
  const Claim& claim = finding.claim;
  return fmt::format("{}: {}, claimed {}: {}{}{}", verdict_words(finding), seen_text(finding),
                     range_text(claim.range, claim.quantity), claim.text,
                     finding.reason.empty() ? "" : "; ", finding.reason);
}

std::string title_of(const JudgedCell& cell) {
  return fmt::format("{} at {}", cell.variant, point_text(cell.params));
}

}  // namespace

std::string verdicts_markdown(std::span<const Judged> all, const Summary& summary) {
  constexpr size_t kRows = 20;
  std::string text = fmt::format("**cliffbench judge: {}**\n\n", markdown_cell(sentence(summary)));
  for (const auto& [judged, cell] : broken_cells(all)) {
    text += fmt::format("- {} of {}: {} {}\n", markdown_cell(title_of(*cell)),
                        markdown_cell(judged->program), word_of_cell(cell->status),
                        markdown_cell(cell->reason));
  }
  text += "\n| verdict | seen | claimed | claim | program |\n|---|---|---|---|---|\n";
  const std::vector<Listed> sorted = worst_first(all);
  for (size_t i = 0; i < std::min(kRows, sorted.size()); ++i) {
    const auto& [judged, finding, result] = sorted[i];
    const Claim& claim = finding->claim;
    const char* bold = result == JUnit::Result::failed ? "**" : "";
    text += fmt::format("| {0}{1}{0} | {2} | {3} | {4} | {5} |\n", bold, verdict_words(*finding),
                        markdown_cell(seen_text(*finding)),
                        markdown_cell(range_text(claim.range, claim.quantity)),
                        markdown_cell(claim.text), markdown_cell(judged->program));
  }
  if (sorted.size() <= kRows) return text;
  return text + fmt::format("\n{} more in verdicts.jsonl.\n", sorted.size() - kRows);
}

std::string verdicts_junit(std::span<const Judged> all) {
  JUnit junit;
  for (const auto& [judged, cell] : broken_cells(all)) {
    const std::string status = word_of_cell(cell->status);
    junit.add(judged->program, title_of(*cell), JUnit::Result::failed, status,
              status + ": " + cell->reason);
  }
  for (const auto& [judged, finding, result] : worst_first(all)) {
    const std::string at = finding->at.empty() ? "" : " at " + point_text(finding->at);
    junit.add(judged->program, finding->claim.id + at, result, verdict_words(*finding),
              finding_text(*finding));
  }
  return junit.text("cliffbench judge");
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
