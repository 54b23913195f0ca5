#include "harness/print/verdicts.hpp"

#include <fmt/format.h>

#include "harness/host/exit_code.hpp"
#include "harness/text/text.hpp"

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
std::string as_expected_words(size_t refuted, const Summary& summary) {
  if (summary.refuted_as_expected == 0) return "";
  if (summary.refuted_as_expected == refuted) return " as expected";
  return fmt::format(" ({} as expected)", summary.refuted_as_expected);
}

template <typename Key>
size_t number_of(const std::map<Key, size_t>& counts, Key key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

template <typename Key>
size_t total(const std::map<Key, size_t>& counts) {
  size_t all = 0;
  for (const auto& [key, number] : counts) all += number;
  return all;
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

size_t Summary::count(Verdict verdict) const { return number_of(claims, verdict); }

size_t Summary::count(Steadiness state) const { return number_of(controls, state); }

size_t Summary::claim_count() const { return total(claims); }

size_t Summary::control_count() const { return total(controls); }

bool Summary::mostly_too_wide() const { return 2 * count(Steadiness::too_wide) > control_count(); }

std::string controls_text(const Summary& summary) {
  if (summary.control_count() == 0) return "none was measured";
  std::string text = fmt::format("{} quiet", summary.count(Steadiness::quiet));
  if (const size_t wide = summary.count(Steadiness::too_wide)) {
    text += fmt::format(", {} too wide to say", wide);
  }
  if (const size_t moved = summary.count(Steadiness::moved))
    text += fmt::format(", {} moved", moved);
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
    const size_t claims = summary.claim_count();
    if (summary.mostly_too_wide()) {
      text = fmt::format("{} of {} controls are too wide to say: small differences prove nothing; ",
                         summary.count(Steadiness::too_wide), summary.control_count());
    }
    text += fmt::format("{} of {} hold{}", count(Verdict::held), counted(claims, "claim"),
                        count(Verdict::held) == 1 ? "s" : "");
    for (const Verdict verdict : {Verdict::refuted, Verdict::undecided}) {
      if (count(verdict)) text += fmt::format(", {} {}", count(verdict), word(verdict));
      if (verdict == Verdict::refuted) text += as_expected_words(count(verdict), summary);
    }
    if (summary.unexpected) {
      text += "; " + counted(summary.unexpected, "verdict") + " not as expected";
    }
    if (summary.not_measured) text += fmt::format("; {} not measured", summary.not_measured);
    if (summary.control_count() == 0) {
      text += "; no control was measured";
    } else if (!summary.mostly_too_wide()) {
      text += "; controls: " + controls_text(summary);
    } else if (const size_t quiet = summary.count(Steadiness::quiet)) {
      text += "; " + counted(quiet, "control") + " quiet";
    }
  }
  if (summary.wrong_output)
    text += "; " + counted(summary.wrong_output, "cell") + " with wrong output";
  if (summary.missing) {
    text += fmt::format("; {} of {} planned trials {} missing", summary.missing, summary.planned,
                        summary.missing == 1 ? "is" : "are");
  }
  if (summary.left_out) text += "; " + counted(summary.left_out, "line") + " left out";
  return text + ".";
}

}  // namespace cliffbench
