#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/core/stats/interval.hpp"
#include "harness/suite/case/describe.hpp"
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
            {"open", word(finding.open)},
            {"by_machine", finding.by_machine()},
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

}  // namespace

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
}

}  // namespace cliffbench
