#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "harness/judge/interval.hpp"
#include "harness/plan/plan.hpp"
#include "harness/print/verdicts.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

const JudgedCell* cell_of(const Judged& judged, const Params& point, const std::string& variant) {
  return cell_at(judged.judgement.cells, point, variant);
}

/// At the point of a cell that is compared with it.
const JudgedCell& baseline_of(const Judged& judged, const JudgedCell& compared) {
  return *cell_of(judged, compared.params, "baseline");
}

/// "8.12 s"; ">= 600 s" of one that was stopped.
std::string time_text(const JudgedCell& cell) {
  const Range& median = cell.wall_s.median;
  return (std::isinf(median.hi) ? ">= " : "") + duration(median.lo);
}

std::string ratio_text(const Interval& ratio) {
  const std::string text = interval_text(ratio, Quantity::ratio);
  if (ratio.at || ratio.stopped) return text;
  return text + ", " + counted(static_cast<size_t>(ratio.rounds), "round") + ", no interval";
}

/// Of a variant the cell whose baseline takes longest; one whose ratio has an interval first.
const JudgedCell* slowest(const Judged& judged, const std::string& variant, const Params& where) {
  const JudgedCell* best = nullptr;
  const auto rank = [&](const JudgedCell& cell) {
    return std::pair(cell.with_baseline->time.at.has_value(),
                     baseline_of(judged, cell).wall_s.median.lo);
  };
  for (const JudgedCell& cell : judged.judgement.cells) {
    if (cell.variant != variant || !cell.is_compared() || !agrees(where, cell.params)) continue;
    if (!best || rank(cell) > rank(*best)) best = &cell;
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

/// Why there is no ratio of the first answer: what ended otherwise, or that it was not chosen.
std::string why_none(const Judged& judged, const Headline& headline) {
  const std::string& variant = headline.answers.front().variant;
  for (const JudgedCell& cell : judged.judgement.cells) {
    if (cell.variant != "baseline" && cell.variant != variant) continue;
    if (cell.status == Status::ok || !agrees(headline.where, cell.params)) continue;
    return fmt::format("{} at {}: {}", cell.variant, point_text(cell.params), status_text(cell));
  }
  return fmt::format("this run did not measure {} together with the baseline{}", variant,
                     headline.where.empty() ? "" : " at " + point_text(headline.where));
}

/// Of two times that no round pairs: the ends of both intervals give an interval that holds with
/// 90 % at least.
std::optional<Interval> unpaired_ratio(const JudgedCell* slow, const JudgedCell* fast) {
  if (!slow || !fast || !slow->wall_s.rounds || !fast->wall_s.rounds) return std::nullopt;
  const Interval& above = slow->wall_s;
  const Interval& below = fast->wall_s;
  if (above.stopped || below.stopped || below.median.lo <= 0) return std::nullopt;
  Interval ratio{exactly(above.median.lo / below.median.lo), std::nullopt,
                 std::min(above.rounds, below.rounds), 0};
  if (above.at && below.at && below.at->lo > 0) {
    ratio.at = Range{above.at->lo / below.at->hi, above.at->hi / below.at->lo};
  }
  return ratio;
}

/// The baseline here / the variant of the same case with another subject, in the same set.
std::optional<Interval> ratio_to_subject(std::span<const Judged> all, const Judged& judged,
                                         const Params& point, const Answer& answer) {
  for (const Judged& other : all) {
    if (other.set != judged.set || other.declared->name != judged.declared->name ||
        other.declared->subject.name != answer.subject) {
      continue;
    }
    const auto ratio =
        unpaired_ratio(cell_of(judged, point, "baseline"), cell_of(other, point, answer.variant));
    if (ratio) return ratio;
  }
  return std::nullopt;
}

/// What one of the later answers adds: "; ImageParam instead gives 4.40x [4.20, 4.61]", or nothing.
std::string further(std::span<const Judged> all, const Judged& judged, const Params& point,
                    const Answer& answer) {
  if (!answer.subject.empty()) {
    const auto ratio = ratio_to_subject(all, judged, point, answer);
    return ratio ? fmt::format("; {} {} (not paired)", answer.text, ratio_text(*ratio)) : "";
  }
  const JudgedCell* cell = cell_of(judged, point, answer.variant);
  if (!cell) return "";
  if (!cell->is_compared()) {
    return fmt::format("; {} no figure ({})", answer.text, status_text(*cell));
  }
  return fmt::format("; {} {}", answer.text, ratio_text(cell->with_baseline->time));
}

AnswerText answer_text(std::span<const Judged> all, const Judged& judged,
                       const Headline& headline) {
  const Answer& first = headline.answers.front();
  AnswerText text{headline.question};
  const JudgedCell* cell = slowest(judged, first.variant, headline.where);
  if (!cell) {
    text.core = fmt::format("{}: no answer: {}", judged.program, why_none(judged, headline));
    return text;
  }
  text.core = fmt::format("{}: {} -> {} {} ({})", filled_in(headline.about, cell->params),
                          time_text(baseline_of(judged, *cell)), time_text(*cell), first.text,
                          ratio_text(cell->with_baseline->time));
  for (size_t i = 1; i < headline.answers.size(); ++i) {
    text.further += further(all, judged, cell->params, headline.answers[i]);
  }
  return text;
}

/// Of the variants that have a ratio; "" without one.
std::string with_most_patches(const Judged& judged) {
  std::string variant;
  size_t most = 0;
  for (const JudgedCell& cell : judged.judgement.cells) {
    if (!cell.is_compared() || cell.with_baseline->role != Role::patch) continue;
    const size_t patches = named(judged.declared->variants, cell.variant)->patches.size();
    if (!variant.empty() && patches <= most) continue;
    variant = cell.variant;
    most = patches;
  }
  return variant;
}

/// Of each case its program with the slowest baseline, the slowest first.
std::vector<AnswerText> made_answers(std::span<const Judged> all) {
  std::vector<std::tuple<double, std::string, AnswerText>> slowest_first;  // baseline_s, case
  for (const Judged& judged : all) {
    const std::string variant = with_most_patches(judged);
    if (variant.empty()) continue;
    const JudgedCell& cell = *slowest(judged, variant, {});
    AnswerText text =
        answer_text(all, judged,
                    {.question = "What do the patches give, where the baseline is slowest?",
                     .about = judged.program,
                     .answers = {{"with " + variant, variant}}});
    text.further = " at " + point_text(cell.params);
    slowest_first.emplace_back(baseline_of(judged, cell).wall_s.median.lo, judged.declared->name,
                               text);
  }
  std::stable_sort(
      slowest_first.begin(), slowest_first.end(),
      [](const auto& one, const auto& other) { return std::get<0>(one) > std::get<0>(other); });
  std::vector<AnswerText> answers;
  std::set<std::string> cases;
  for (auto& [time, name, text] : slowest_first) {
    if (!cases.insert(name).second) continue;
    text.is_first = answers.empty();
    answers.push_back(text);
  }
  return answers;
}

}  // namespace

std::vector<AnswerText> answers_of(std::span<const Judged> all) {
  std::vector<AnswerText> answers;
  const bool one_set = std::all_of(
      all.begin(), all.end(), [&](const Judged& judged) { return judged.set == all.front().set; });
  for (const Judged& judged : all) {
    const auto& headline = judged.declared->headline;
    if (!headline || headline->answers.empty()) continue;
    AnswerText text = answer_text(all, judged, *headline);
    if (!one_set) {
      text.core.insert(0, fmt::format("{} on {}, ", judged.set.date, judged.set.machine));
    }
    const auto same = std::find_if(answers.rbegin(), answers.rend(), [&](const AnswerText& other) {
      return other.question == text.question;
    });
    text.is_first = same == answers.rend();
    answers.insert(text.is_first ? answers.end() : same.base(), text);
  }
  return answers.empty() ? made_answers(all) : answers;
}

}  // namespace cliffbench
