#include "harness/print/verdicts.hpp"

#include <fmt/format.h>

#include "harness/host/exit_code.hpp"

namespace cliffbench {
namespace {

/// 13 > 14 > 11 > 0: what could not be measured says least.
int worse(int a, int b) {
  constexpr int kWorstFirst[] = {Exit::cannot_measure, Exit::control_moved, Exit::unexpected,
                                 Exit::fine};
  for (const int code : kWorstFirst) {
    if (a == code || b == code) return code;
  }
  return a;
}

/// What a case expects to be refuted is no surprise.
std::string as_expected_words(int refuted, const Summary& summary) {
  if (summary.refuted_as_expected == 0) return "";
  if (summary.refuted_as_expected == refuted) return " as expected";
  return fmt::format(" ({} as expected)", summary.refuted_as_expected);
}

}  // namespace

std::vector<BrokenCell> broken_cells(std::span<const Judged> all) {
  std::vector<BrokenCell> found;
  for (const Judged& judged : all) {
    for (const JudgedCell& cell : judged.judgement.cells) {
      if (broken(cell)) found.push_back({&judged, &cell});
    }
  }
  return found;
}

int Summary::claim_count() const {
  int all = 0;
  for (const auto& [verdict, number] : claims) all += number;
  return all;
}

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
    const int claims = summary.claim_count();
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

}  // namespace cliffbench
