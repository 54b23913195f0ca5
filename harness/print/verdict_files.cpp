#include "harness/print/verdict_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/case/describe.hpp"
#include "harness/judge/claim_text.hpp"
#include "harness/plan/plan.hpp"
#include "harness/print/interval_json.hpp"
#include "harness/text/markup.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

using Json = nlohmann::json;

void add_interval(Json& json, const char* key, const Interval& seen) {
  if (seen.rounds) json[key] = interval_json(seen);
}

Json line_of(const Judged& judged, const char* kind) {
  return {{"kind", kind},
          {"machine", judged.set.machine},
          {"date", judged.set.date},
          {"commit", judged.set.commit},
          {"program", judged.program},
          {"case", judged.declared->name},
          {"subject", judged.declared->subject.name}};
}

Json cell_line(const Judged& judged, const JudgedCell& cell) {
  Json json = line_of(judged, "cell");
  json.update({{"variant", cell.variant},
               {"params", cell.params},
               {"status", cell.status},
               {"counts", cell.counts},
               {"checked", cell.checked},
               {"reason", cell.reason},
               {"limit_s", cell.limit_s}});
  add_interval(json, "wall_s", cell.wall_s);
  add_interval(json, "cpu_s", cell.cpu_s);
  add_interval(json, "rss_bytes", cell.rss_bytes);
  add_interval(json, "page_faults", cell.page_faults);
  json["stages"] = Json::object();
  for (const auto& [stage, seen] : cell.stages) add_interval(json["stages"], stage.c_str(), seen);
  return json;
}

Json ratio_line(const Judged& judged, const RatioFinding& found) {
  Json json = line_of(judged, "ratio");
  json.update({{"params", found.params},
               {"variant", found.variant},
               {"against", "baseline"},
               {"role", word(found.role)}});
  add_interval(json, "ratio", found.ratio);
  add_interval(json, "rss_ratio", found.rss_ratio);
  return json;
}

Json exponent_line(const Judged& judged, const ExponentFinding& found) {
  Json json = line_of(judged, "exponent");
  json.update({{"variant", found.variant},
               {"axis", found.axis},
               {"of", found.of},
               {"where", found.where},
               {"exponent", interval_json(found.exponent)},
               {"sizes", found.sizes}});
  json["local"] = Json::array();
  for (const Interval& local : found.local) json["local"].push_back(interval_json(local));
  return json;
}

Json claim_line(const Judged& judged, const Finding& finding) {
  const Claim& claim = finding.claim;
  Json json = line_of(judged, "claim");
  json.update({{"id", claim.id},
               {"text", claim.text},
               {"quantity", word(claim.quantity)},
               {"of", claim.of},
               {"axis", claim.axis},
               {"variant", claim.variant},
               {"against", compares(claim.quantity) ? claim.against : ""},
               {"where", finding.at.empty() ? claim.where : finding.at}});
  json.update(Json(claim.range));
  json.update({{"control", claim.control},
               {"origin", word(claim.origin)},
               {"expected", word(claim.expected)},
               {"source", claim.source},
               {"range_text", range_text(claim.range, claim.quantity)},
               {"seen", interval_json(finding.seen)},
               {"seen_text", interval_text(finding.seen, claim.quantity)},
               {"verdict", word(finding.verdict)},
               {"words", verdict_words(finding)},
               {"reason", finding.reason},
               {"measured", finding.measured()},
               {"as_expected", finding.as_expected()}});
  return json;
}

Json summary_line(const Summary& summary, const std::set<std::string>& runs,
                  const std::set<std::string>& machines) {
  return {{"kind", "summary"},
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
          {"exit", summary.exit},
          {"sentence", sentence(summary)}};
}

/// The summary of each set: neighbours in `all`.
std::string set_lines(std::span<const Judged> all) {
  std::string text;
  while (!all.empty()) {
    const Set& set = all.front().set;
    const auto size = static_cast<size_t>(std::ranges::count(all, set, &Judged::set));
    const Summary summary = summarise(all.first(size));
    Json line{{"kind", "set"},        {"machine", set.machine}, {"date", set.date},
              {"commit", set.commit}, {"exit", summary.exit},   {"sentence", sentence(summary)}};
    for (const Judged& one : all.first(size)) line["sessions"][one.program] = one.sessions;
    text += line.dump() + "\n";
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

JUnit::Result result_of(const Finding& finding) {
  if (control_moved(finding) || !finding.as_expected()) return JUnit::Result::failed;
  const bool steady = steadiness(finding) == Steadiness::quiet;
  const bool decided = finding.measured() && finding.verdict != Verdict::undecided;
  return (finding.claim.control ? steady : decided) ? JUnit::Result::passed
                                                    : JUnit::Result::skipped;
}

/// What failed first, then what is open; else in the order of the cases.
std::vector<Listed> listed(std::span<const Judged> all) {
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
  return finding.measured() ? interval_text(finding.seen, finding.claim.quantity) : "-";
}

/// "held: 44.1x [42.3, 46.3], claimed at least 40x: the patch makes it fast".
std::string line_text(const Finding& finding) {
  const Claim& claim = finding.claim;
  return fmt::format("{}: {}, claimed {}: {}{}{}", verdict_words(finding), seen_text(finding),
                     range_text(claim.range, claim.quantity), claim.text,
                     finding.reason.empty() ? "" : "; ", finding.reason);
}

std::string cell_title(const JudgedCell& cell) {
  return fmt::format("{} at {}", cell.variant, point_text(cell.params));
}

}  // namespace

std::string verdicts_markdown(std::span<const Judged> all, const Summary& summary) {
  constexpr size_t kRows = 20;
  std::string text = fmt::format("**cliffbench judge: {}**\n\n", markdown_cell(sentence(summary)));
  for (const auto& [judged, cell] : broken_cells(all)) {
    text += fmt::format("- {} of {}: {} {}\n", markdown_cell(cell_title(*cell)),
                        markdown_cell(judged->program), cell->status, markdown_cell(cell->reason));
  }
  text += "\n| verdict | seen | claimed | claim | program |\n|---|---|---|---|---|\n";
  const std::vector<Listed> lines = listed(all);
  for (const Listed& line : std::span(lines).first(std::min(kRows, lines.size()))) {
    const Claim& claim = line.finding->claim;
    const std::string verdict = verdict_words(*line.finding);
    text += fmt::format("| {} | {} | {} | {} | {} |\n",
                        line.result == JUnit::Result::failed ? "**" + verdict + "**" : verdict,
                        markdown_cell(seen_text(*line.finding)),
                        markdown_cell(range_text(claim.range, claim.quantity)),
                        markdown_cell(claim.text), markdown_cell(line.judged->program));
  }
  if (lines.size() > kRows) {
    text += fmt::format("\n{} more in verdicts.jsonl.\n", lines.size() - kRows);
  }
  return text;
}

std::string verdicts_junit(std::span<const Judged> all) {
  JUnit junit;
  for (const auto& [judged, cell] : broken_cells(all)) {
    junit.add(judged->program, cell_title(*cell), JUnit::Result::failed, cell->status,
              fmt::format("{}: {}", cell->status, cell->reason));
  }
  for (const Listed& line : listed(all)) {
    const Finding& finding = *line.finding;
    const std::string at = finding.at.empty() ? "" : " at " + point_text(finding.at);
    junit.add(line.judged->program, finding.claim.id + at, line.result, verdict_words(finding),
              line_text(finding));
  }
  return junit.text("cliffbench judge");
}

void write_verdicts(const std::filesystem::path& folder, std::span<const Judged> all,
                    const Summary& summary, const std::set<std::string>& runs,
                    std::span<const LeftOut> left_out) {
  std::set<std::string> machines;
  for (const Judged& judged : all) machines.insert(judged.set.machine);
  Json first = summary_line(summary, runs, machines);
  first["left_out"] = Json::array();  // lines of rows.jsonl
  for (const LeftOut& one : left_out) first["left_out"].push_back(one.line);
  std::string text = first.dump() + "\n" + set_lines(all);
  for (const Judged& judged : all) {
    const Judgement& found = judged.judgement;
    for (const auto& finding : found.findings) text += claim_line(judged, finding).dump() + "\n";
    for (const auto& cell : found.cells) text += cell_line(judged, cell).dump() + "\n";
    for (const auto& ratio : found.ratios) text += ratio_line(judged, ratio).dump() + "\n";
    for (const auto& line : found.exponents) text += exponent_line(judged, line).dump() + "\n";
  }
  write_file(folder / "verdicts.jsonl", text);
  write_file(folder / "verdicts.md", verdicts_markdown(all, summary));
  write_file(folder / "verdicts.xml", verdicts_junit(all));
}

}  // namespace cliffbench
