#include "harness/suite/words/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/core/host/exact.hpp"
#include "harness/core/host/exit_code.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/plan/plan.hpp"

namespace cliffbench {

template <>
inline constexpr auto kWords<Steadiness> =
    std::to_array<Word<Steadiness>>({{Steadiness::unknown, "control, too few rounds"},
                                     {Steadiness::within, "control within range"},
                                     {Steadiness::too_wide, "control too wide"},
                                     {Steadiness::moved, "control MOVED"}});

namespace {

template <typename Kind>
size_t total(const std::map<Kind, size_t>& counts) {
  size_t sum = 0;
  for (const auto& [kind, count] : counts) sum += count;
  return sum;
}

void add_finding(const Finding& finding, Summary& summary) {
  if (!finding.claim.control && !finding.as_expected()) ++summary.unexpected;
  if (finding.claim.control) {
    const Steadiness state = steadiness(finding);
    if (state != Steadiness::unknown) ++summary.controls[state];
  } else if (!finding.measured()) {
    ++summary.not_measured;
  } else {
    ++summary.claims[finding.verdict];
    if (finding.verdict != Verdict::refuted) return;
    summary.refuted_as_expected += finding.claim.expected == Verdict::refuted;
    summary.refuted_of_open += finding.claim.expected == Verdict::undecided;
  }
}

/// 13 > 14 > 11 > 0: a run that could not be measured proves least.
int worst_exit(std::span<const Judged> all) {
  std::set<int> exits;
  for (const Judged& judged : all) exits.insert(claims_exit_code(judged.judgement));
  for (const int code : {Exit::cannot_measure, Exit::control_moved, Exit::unexpected, Exit::fine}) {
    if (exits.contains(code)) return code;
  }
  return Exit::cannot_measure;
}

/// A refutation is no surprise if the case expects it, or expects no outcome.
std::string as_expected_words(const Summary& summary) {
  if (summary.refuted_as_expected == summary.count(Verdict::refuted)) return " as expected";
  std::vector<std::string> parts;
  if (summary.refuted_as_expected) {
    parts.push_back(fmt::format("{} as expected", summary.refuted_as_expected));
  }
  if (summary.refuted_of_open) {
    parts.push_back(fmt::format("{} with no outcome expected", summary.refuted_of_open));
  }
  return parts.empty() ? "" : " (" + joined(parts, ", ") + ")";
}

/// The axes of a point that are not at their first value.
Params unusual(const Case& declared, const Params& point) {
  Params axes;
  for (const Axis& axis : declared.axes) {
    const auto value = point.find(axis.name);
    if (value != point.end() && value->second != axis.values.front()) axes.insert(*value);
  }
  return axes;
}

std::optional<MovedControl> moved_control(std::span<const Judged> all, const Judged& judged) {
  const auto is_same_case = [&](const Judged& other) {
    return other.declared->name == judged.declared->name;
  };
  const bool is_alone = std::ranges::count_if(all, is_same_case) == 1;
  MovedControl moved{is_alone ? judged.declared->name : judged.program, {}};
  for (const Finding& finding : judged.judgement.findings) {
    moved.undecided += finding.verdict == Verdict::unproven;
    if (!control_moved(finding)) continue;
    const std::string point = point_text(unusual(*judged.declared, finding.at));
    const std::string where = point.empty() ? "the usual point" : point;
    if (!contains(moved.points, where)) moved.points.push_back(where);
  }
  return moved.points.empty() ? std::nullopt : std::optional(moved);
}

/// "mul_line: its control moved at dims:64x64, so 3 of its claims are not decided"
std::string moved_text(const MovedControl& moved) {
  constexpr size_t kMost = 3;
  const auto shown = std::span(moved.points).first(std::min(kMost, moved.points.size()));
  std::string text =
      fmt::format("{}: its control moved at {}", moved.program, joined(shown, " and at "));
  if (moved.points.size() > kMost) {
    text += fmt::format(" and at {}", counted(moved.points.size() - kMost, "more point"));
  }
  if (moved.undecided == 0) return text + ", which decides none of its claims";
  return text + fmt::format(", so {} of its claims {} unproven", moved.undecided,
                            moved.undecided == 1 ? "is" : "are");
}

std::string claims_sentence(const Summary& summary) {
  const size_t held = summary.count(Verdict::held);
  const size_t refuted = summary.count(Verdict::refuted);
  const size_t undecided = summary.count(Verdict::undecided);
  const size_t within = summary.count(Steadiness::within);
  const size_t too_wide = summary.count(Steadiness::too_wide);
  const size_t controls = summary.control_count();
  const bool mostly_too_wide = 2 * too_wide > controls;  // too few show whether it is steady
  std::string text;
  for (const MovedControl& moved : summary.moved) text += moved_text(moved) + "; ";
  if (!summary.moved.empty()) text += "of the others, ";
  if (mostly_too_wide) {
    text += fmt::format("{} of {} controls are too wide to tell: small differences prove nothing; ",
                        too_wide, controls);
  }
  text += fmt::format("{} of {} hold{}", held,
                      counted(summary.claim_count() - summary.count(Verdict::unproven), "claim"),
                      held == 1 ? "s" : "");
  if (refuted) text += fmt::format(", {} refuted{}", refuted, as_expected_words(summary));
  if (undecided) text += fmt::format(", {} undecided", undecided);
  if (summary.unexpected) {
    text += "; " + counted(summary.unexpected, "verdict") + " not as expected";
  }
  if (summary.not_measured) text += fmt::format("; {} not measured", summary.not_measured);
  if (controls == 0) return text + "; no control was measured";
  if (!mostly_too_wide) return text + "; controls: " + controls_text(summary);
  return text + (within ? "; " + counted(within, "control") + " within range" : "");
}

}  // namespace

size_t Summary::claim_count() const { return total(claims); }

size_t Summary::control_count() const { return total(controls); }

std::string controls_text(const Summary& summary) {
  if (summary.control_count() == 0) return "none was measured";
  const size_t too_wide = summary.count(Steadiness::too_wide);
  const size_t moved = summary.count(Steadiness::moved);
  return fmt::format("{} within range", summary.count(Steadiness::within)) +
         (too_wide ? fmt::format(", {} too wide to tell", too_wide) : "") +
         (moved ? fmt::format(", {} moved", moved) : "");
}

std::string verdict_words(const Finding& finding) {
  if (!finding.measured()) return "not measured here";
  if (!finding.claim.control) return word(finding.verdict);
  return word_of(steadiness(finding));
}

Summary summarise(std::span<const Judged> all) {
  Summary summary{.exit = worst_exit(all)};
  for (const Judged& judged : all) {
    for (const Finding& finding : judged.judgement.findings) add_finding(finding, summary);
    if (const auto moved = moved_control(all, judged)) summary.moved.push_back(*moved);
    for (const JudgedCell& cell : judged.judgement.cells) {
      summary.wrong_output += cell.status == Status::wrong;
    }
  }
  return summary;
}

std::string sentence(const Summary& summary) {
  std::string text = claims_sentence(summary);
  if (summary.wrong_output) {
    text += "; " + counted(summary.wrong_output, "cell") + " with wrong output";
  }
  if (summary.missing) {
    text += fmt::format("; {} of {} planned trials {} missing", summary.missing, summary.planned,
                        summary.missing == 1 ? "is" : "are");
  }
  if (summary.left_out) text += "; " + counted(summary.left_out, "line") + " left out";
  return text + ".";
}

}  // namespace cliffbench
