#include "harness/print/verdicts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/case/describe.hpp"
#include "harness/host/exit_code.hpp"
#include "harness/host/text.hpp"
#include "harness/judge/claim_text.hpp"
#include "harness/print/interval_json.hpp"

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

/// 13 > 14 > 11 > 0: what could not be measured says least.
int worse(int a, int b) {
  constexpr int kWorstFirst[] = {Exit::cannot_measure, Exit::control_moved, Exit::unexpected,
                                 Exit::fine};
  for (const int code : kWorstFirst) {
    if (a == code || b == code) return code;
  }
  return a;
}

int claim_count(const Summary& summary) {
  int count = 0;
  for (const auto& [verdict, number] : summary.claims) count += number;
  return count;
}

Json summary_line(const Summary& summary, const std::set<std::string>& runs,
                  const std::set<std::string>& machines) {
  const auto count = [&](Verdict verdict) { return summary.count(verdict); };
  const auto controls = [&](Steadiness state) { return summary.count(state); };
  return {{"kind", "summary"},
          {"schema", kSchema},
          {"runs", runs},
          {"machines", machines},
          {"claims", claim_count(summary)},
          {"held", count(Verdict::held)},
          {"refuted", count(Verdict::refuted)},
          {"undecided", count(Verdict::undecided)},
          {"unproven", count(Verdict::unproven)},
          {"not_measured", summary.not_measured},
          {"unexpected", summary.unexpected},
          {"controls",
           {{"quiet", controls(Steadiness::quiet)},
            {"too_wide", controls(Steadiness::too_wide)},
            {"moved", controls(Steadiness::moved)}}},
          {"wrong_output", summary.wrong_output},
          {"exit", summary.exit},
          {"sentence", sentence(summary)}};
}

/// What a case expects to be refuted is no surprise.
std::string as_expected_words(int refuted, const Summary& summary) {
  if (summary.refuted_as_expected == 0) return "";
  if (summary.refuted_as_expected == refuted) return " as expected";
  return fmt::format(" ({} as expected)", summary.refuted_as_expected);
}

/// The summary of each set: neighbours in `all`.
std::string set_lines(std::span<const Judged> all) {
  std::string text;
  while (!all.empty()) {
    const Set& set = all.front().set;
    size_t size = 0;
    while (size < all.size() && all[size].set == set) ++size;
    const Summary summary = summarise(all.first(size));
    text += Json{{"kind", "set"},        {"machine", set.machine}, {"date", set.date},
                 {"commit", set.commit}, {"exit", summary.exit},   {"sentence", sentence(summary)}}
                .dump() +
            "\n";
    all = all.subspan(size);
  }
  return text;
}

}  // namespace

int Summary::control_count() const {
  int all = 0;
  for (const auto& [state, number] : controls) all += number;
  return all;
}

bool Summary::mostly_too_wide() const { return 2 * count(Steadiness::too_wide) > control_count(); }

std::string controls_text(const Summary& summary) {
  if (summary.control_count() == 0) return "none was measured";
  std::string text = fmt::format("{} quiet", summary.count(Steadiness::quiet));
  if (const int wide = summary.count(Steadiness::too_wide)) {
    text += fmt::format(", {} too wide to say", wide);
  }
  if (const int moved = summary.count(Steadiness::moved)) text += fmt::format(", {} moved", moved);
  return text;
}

std::string verdict_words(const Finding& finding) {
  if (!finding.measured()) return "not measured here";
  if (!finding.claim.control) return word(finding.verdict);
  switch (steadiness(finding)) {
    case Steadiness::quiet:
      return "control quiet";
    case Steadiness::too_wide:
      return "control too wide";
    case Steadiness::moved:
      return "control MOVED";
    case Steadiness::unknown:
      break;
  }
  return "control, too few rounds";
}

Summary summarise(std::span<const Judged> all) {
  Summary summary;
  for (const Judged& judged : all) {
    for (const Finding& finding : judged.judgement.findings) {
      if (!finding.as_expected()) ++summary.unexpected;
      if (!finding.claim.control && !finding.measured()) {
        ++summary.not_measured;
      } else if (!finding.claim.control) {
        ++summary.claims[finding.verdict];
        if (finding.verdict == Verdict::refuted && finding.as_expected())
          ++summary.refuted_as_expected;
      } else if (const Steadiness state = steadiness(finding); state != Steadiness::unknown) {
        ++summary.controls[state];
        if (control_moved(finding) && summary.moved.empty()) summary.moved = finding.claim.id;
      }
    }
    for (const JudgedCell& cell : judged.judgement.cells) {
      if (cell.status == kWrongOutput) ++summary.wrong_output;
    }
    summary.exit = worse(summary.exit, exit_code(judged.judgement));
  }
  if (all.empty()) summary.exit = Exit::cannot_measure;
  return summary;
}

std::string sentence(const Summary& summary) {
  std::string text;
  const auto count = [&](Verdict verdict) { return summary.count(verdict); };
  if (!summary.moved.empty()) {
    text = fmt::format("UNPROVEN: the control {} moved, so no claim is decided", summary.moved);
  } else {
    const int claims = claim_count(summary);
    if (summary.mostly_too_wide()) {
      text = fmt::format("{} of {} controls are too wide to say: small differences prove nothing; ",
                         summary.count(Steadiness::too_wide), summary.control_count());
    }
    text += fmt::format("{} of {} claim{} hold{}", count(Verdict::held), claims,
                        claims == 1 ? "" : "s", count(Verdict::held) == 1 ? "s" : "");
    for (const Verdict verdict : {Verdict::refuted, Verdict::undecided}) {
      if (count(verdict)) text += fmt::format(", {} {}", count(verdict), word(verdict));
      if (verdict == Verdict::refuted) text += as_expected_words(count(verdict), summary);
    }
    if (summary.unexpected) {
      text += fmt::format("; {} verdict{} not as expected", summary.unexpected,
                          summary.unexpected == 1 ? "" : "s");
    }
    if (summary.not_measured) text += fmt::format("; {} not measured", summary.not_measured);
    if (summary.control_count() == 0) {
      text += "; no control was measured";
    } else if (!summary.mostly_too_wide()) {
      text += "; controls: " + controls_text(summary);
    } else if (const int quiet = summary.count(Steadiness::quiet)) {
      text += fmt::format("; {} control{} quiet", quiet, quiet == 1 ? "" : "s");
    }
  }
  if (summary.wrong_output)
    text += fmt::format("; {} cell{} with wrong output", summary.wrong_output,
                        summary.wrong_output == 1 ? "" : "s");
  if (summary.missing) {
    text += fmt::format("; {} of {} planned trials {} missing", summary.missing, summary.planned,
                        summary.missing == 1 ? "is" : "are");
  }
  if (summary.left_out) {
    text += fmt::format("; {} line{} left out", summary.left_out, summary.left_out == 1 ? "" : "s");
  }
  return text + ".";
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
}

}  // namespace cliffbench
