#include "harness/print/headline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "harness/judge/claim_text.hpp"
#include "harness/plan/plan.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

/// The finding of a variant at a point, of those that are in the order of their keys; nullptr.
template <typename Found>
const Found* at_key(const std::vector<Found>& all, const Params& point,
                    const std::string& variant) {
  const auto key = std::tie(point, variant);
  const auto found =
      std::lower_bound(all.begin(), all.end(), key, [](const Found& one, const auto& wanted) {
        return std::tie(one.params, one.variant) < wanted;
      });
  const bool there = found != all.end() && std::tie(found->params, found->variant) == key;
  return there ? &*found : nullptr;
}

const RatioFinding* ratio_at(const Judged& judged, const Params& point,
                             const std::string& variant) {
  const RatioFinding* found = at_key(judged.judgement.ratios, point, variant);
  return found && found->ratio.rounds ? found : nullptr;
}

const JudgedCell* cell_at(const Judged& judged, const Params& point, const std::string& variant) {
  return at_key(judged.judgement.cells, point, variant);
}

double baseline_s(const Judged& judged, const Params& point) {
  const JudgedCell* baseline = cell_at(judged, point, "baseline");
  return baseline ? baseline->wall_s.median.lo : 0;
}

/// "8.12 s"; ">= 600 s" of one that was stopped.
std::string time_text(const JudgedCell* cell) {
  if (!cell || cell->wall_s.rounds == 0) return "?";
  const Range& median = cell->wall_s.median;
  return (std::isinf(median.hi) ? ">= " : "") + duration(median.lo);
}

std::string ratio_text(const Interval& ratio) {
  const std::string text = interval_text(ratio, Quantity::ratio);
  if (ratio.at || ratio.stopped) return text;
  return text + ", " + counted(static_cast<size_t>(ratio.rounds), "round") + ", no interval";
}

/// The ratio to the answer's variant whose baseline takes longest; one with an interval first.
const RatioFinding* chosen(const Judged& judged, const Headline& headline) {
  const RatioFinding* best = nullptr;
  double longest = 0;
  for (const RatioFinding& found : judged.judgement.ratios) {
    if (found.variant != headline.answers.front().variant || !found.ratio.rounds) continue;
    if (!agrees(headline.where, found.params)) continue;
    const double time = baseline_s(judged, found.params);
    const auto rank = [](const RatioFinding& one, double took) {
      return std::tuple(one.ratio.at.has_value(), took);
    };
    if (!best || rank(found, time) > rank(*best, longest)) {
      best = &found;
      longest = time;
    }
  }
  return best;
}

std::string filled_in(std::string text, const Params& point) {
  for (const auto& [axis, value] : point) {
    const std::string place = "{" + axis + "}";
    for (size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += value.size()) {
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

/// Why nothing was found of the first answer: what ended otherwise, or that it was not chosen.
std::string why_none(const Judged& judged, const Headline& headline) {
  const std::string& variant = headline.answers.front().variant;
  for (const JudgedCell& cell : judged.judgement.cells) {
    if (cell.variant != "baseline" && cell.variant != variant) continue;
    if (cell.status == "ok" || !agrees(headline.where, cell.params)) continue;
    return fmt::format("{} at {}: {}", cell.variant, point_text(cell.params), status_text(cell));
  }
  return fmt::format("this run did not measure {} together with the baseline{}", variant,
                     headline.where.empty() ? "" : " at " + point_text(headline.where));
}

/// The baseline here / the variant of the same case with another subject, in the same set. No round
/// pairs them: the ends of both intervals give an interval that holds with 90 % at least.
std::optional<Interval> against_subject(std::span<const Judged> all, const Judged& judged,
                                        const Params& point, const Answer& answer) {
  const JudgedCell* here = cell_at(judged, point, "baseline");
  for (const Judged& other : all) {
    if (other.set != judged.set || other.declared->name != judged.declared->name ||
        other.declared->subject.name != answer.subject) {
      continue;
    }
    const JudgedCell* there = cell_at(other, point, answer.variant);
    if (!here || !there || !here->wall_s.rounds || !there->wall_s.rounds) continue;
    const Interval& one = here->wall_s;
    const Interval& two = there->wall_s;
    if (one.stopped || two.stopped || two.median.lo <= 0) continue;
    const double ratio = one.median.lo / two.median.lo;
    Interval found{{ratio, ratio}, std::nullopt, std::min(one.rounds, two.rounds), 0};
    if (one.at && two.at && two.at->lo > 0) {
      found.at = Range{one.at->lo / two.at->hi, one.at->hi / two.at->lo};
    }
    return found;
  }
  return std::nullopt;
}

/// What one of the later answers adds: "; ImageParam instead gives 4.40x [4.20, 4.61]", or nothing.
std::string further(std::span<const Judged> all, const Judged& judged, const Params& point,
                    const Answer& answer) {
  if (!answer.subject.empty()) {
    const auto found = against_subject(all, judged, point, answer);
    if (!found) return "";
    return fmt::format("; {} {} (not paired)", answer.text, ratio_text(*found));
  }
  if (const RatioFinding* found = ratio_at(judged, point, answer.variant)) {
    return fmt::format("; {} {}", answer.text, ratio_text(found->ratio));
  }
  const JudgedCell* cell = cell_at(judged, point, answer.variant);
  if (!cell) return "";
  return fmt::format("; {} no figure ({})", answer.text, status_text(*cell));
}

AnswerText answer_text(std::span<const Judged> all, const Judged& judged,
                       const Headline& headline) {
  const RatioFinding* found = chosen(judged, headline);
  if (!found) {
    return {fmt::format("{}: no answer: {}", judged.program, why_none(judged, headline)), ""};
  }
  const Params& point = found->params;
  const Answer& first = headline.answers.front();
  AnswerText text{fmt::format("{}: {} -> {} {} ({})", filled_in(headline.about, point),
                              time_text(cell_at(judged, point, "baseline")),
                              time_text(cell_at(judged, point, first.variant)), first.text,
                              ratio_text(found->ratio)),
                  ""};
  for (size_t i = 1; i < headline.answers.size(); ++i) {
    text.further += further(all, judged, point, headline.answers[i]);
  }
  return text;
}

/// Of the variants that have a ratio; nullptr without one.
const Variant* with_most_patches(const Judged& judged) {
  const Variant* most = nullptr;
  for (const RatioFinding& found : judged.judgement.ratios) {
    if (found.role != Role::patch || !found.ratio.rounds) continue;
    const Variant* variant = variant_of(*judged.declared, found.variant);
    if (!most || variant->patches.size() > most->patches.size()) most = variant;
  }
  return most;
}

/// Of each case its program with the slowest baseline, the slowest first.
std::vector<Answered> made_answers(std::span<const Judged> all) {
  std::map<std::string, std::pair<double, AnswerText>> by_case;
  for (const Judged& judged : all) {
    const Variant* variant = with_most_patches(judged);
    if (!variant) continue;
    const Headline headline{"", judged.program, {}, {{"with " + variant->name, variant->name}}};
    const Params& point = chosen(judged, headline)->params;
    const double time = baseline_s(judged, point);
    const auto [slowest, is_first] = by_case.try_emplace(judged.declared->name);
    if (!is_first && slowest->second.first >= time) continue;
    slowest->second = {time, answer_text(all, judged, headline)};
    slowest->second.second.further = " at " + point_text(point);
  }
  if (by_case.empty()) return {};
  std::vector<std::pair<double, AnswerText>> lines;
  for (auto& [name, line] : by_case) lines.push_back(std::move(line));
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& one, const auto& two) { return one.first > two.first; });
  Answered answered{"What do the patches give, where the baseline is slowest?", {}};
  for (auto& [time, line] : lines) answered.answers.push_back(std::move(line));
  return {answered};
}

}  // namespace

std::vector<Answered> answered(std::span<const Judged> all) {
  std::vector<Answered> found;
  const bool one_set = std::all_of(
      all.begin(), all.end(), [&](const Judged& judged) { return judged.set == all.front().set; });
  for (const Judged& judged : all) {
    const auto& headline = judged.declared->headline;
    if (!headline || headline->answers.empty()) continue;
    auto same = std::find_if(found.begin(), found.end(), [&](const Answered& one) {
      return one.question == headline->question;
    });
    if (same == found.end()) same = found.insert(found.end(), {headline->question, {}});
    const std::string set =
        one_set ? "" : fmt::format("{} on {}, ", judged.set.date, judged.set.machine);
    same->answers.push_back(answer_text(all, judged, *headline));
    same->answers.back().core.insert(0, set);
  }
  return found.empty() ? made_answers(all) : found;
}

}  // namespace cliffbench
