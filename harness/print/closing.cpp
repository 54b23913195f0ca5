#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "harness/judge/interval.hpp"
#include "harness/plan/plan.hpp"
#include "harness/print/verdicts.hpp"
#include "harness/text/terminal.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kWidest = 120;  // longer lines are hard to read
constexpr std::size_t kNoTerminal = 100;
constexpr std::size_t kMostLines = 14;    // 15 with the line that scripts/bench adds
constexpr std::size_t kNarrowLines = 20;  // a terminal of 80 columns has 24

void append(Texts& lines, const std::string& text, std::size_t width, const char* first = "",
            const char* indent = "  ") {
  const Texts more = wrapped(text, width, first, indent);
  lines.insert(lines.end(), more.begin(), more.end());
}

/// No controls.
std::vector<const Finding*> claims_of(std::span<const Judged> all) {
  std::vector<const Finding*> claims;
  for (const Judged& judged : all) {
    for (const Finding& finding : judged.judgement.findings) {
      if (!finding.claim.control) claims.push_back(&finding);
    }
  }
  return claims;
}

/// "Wrong or broken: 2 cells, first all at n:1: crash: ended by signal 11"; "" when nothing is.
std::string broken_text(std::span<const Judged> all) {
  const auto broken = broken_cells(all);
  if (broken.empty()) return "";
  const auto& [judged, cell] = broken.front();
  return fmt::format("Wrong or broken: {}, first {} of {} at {}: {}",
                     counted(broken.size(), "cell"), cell->variant, judged->program,
                     point_text(cell->params), status_text(*cell));
}

/// Verdicts that differ from what their case expects, with what was seen: as many as fit into two
/// lines, at least one; the others are counted.
std::string unexpected_text(const std::vector<const Finding*>& claims, std::size_t width) {
  Texts texts;
  for (const Finding* finding : claims) {
    if (finding->as_expected()) continue;
    const Claim& claim = finding->claim;
    texts.push_back(fmt::format("{} ({}, claimed {}): {}", word(finding->verdict),
                                interval_text(finding->interval, claim.quantity),
                                range_text(claim.range, claim.quantity), claim.text));
  }
  const auto with_rest = [&](const std::string& text, size_t listed) {
    const size_t rest = texts.size() - listed;
    return text + (rest ? fmt::format("; {} more in the table", rest) : "");
  };
  std::string text;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string longer = (i ? text + "; " : "Not as expected: ") + texts[i];
    const bool fits = wrapped(with_rest(longer, i + 1), width, "", "  ").size() <= 2;
    if (i > 0 && !fits) return with_rest(text, i);
    text = longer;
  }
  return text;
}

/// How many claims there are of each kind, in the order of the kinds' numbers.
using Kinds = std::map<std::pair<int, std::string>, size_t>;

/// Undecided is measured, with an interval across the bound or too few rounds for one; or on a
/// machine that does not decide it.
std::string undecided_text(const std::vector<const Finding*>& claims) {
  Kinds kinds;
  for (const Finding* finding : claims) {
    if (finding->verdict != Verdict::undecided) continue;
    if (!finding->interval.at) {
      ++kinds[{2, "with too few rounds for an interval"}];
    } else if (decide(finding->interval, finding->claim.range) == Verdict::undecided) {
      ++kinds[{1, "with an interval across the claimed bound"}];
    } else {
      ++kinds[{3, "as " + finding->reason}];
    }
  }
  Texts texts;
  for (const auto& [kind, count] : kinds) texts.push_back(fmt::format("{} {}", count, kind.second));
  return texts.empty() ? "" : "Undecided: " + joined(texts, ", ");
}

std::string not_measured_text(const std::vector<const Finding*>& claims) {
  Kinds kinds;
  for (const Finding* finding : claims) {
    if (finding->measured()) continue;
    if (finding->by_machine) {
      ++kinds[{1, ", as " + finding->reason}];
    } else {
      ++kinds[{2, " about sizes or variants that this run left out"}];
    }
  }
  Texts texts;
  for (const auto& [kind, count] : kinds) texts.push_back(counted(count, "claim") + kind.second);
  return texts.empty() ? "" : "Not measured here: " + joined(texts, "; ");
}

/// Its controls are in the sentence.
std::string machines_text(const std::map<std::string, SessionRecord>& sessions) {
  std::map<std::string, Machine> machines;
  std::optional<double> highest;
  for (const auto& [key, session] : sessions) {
    machines[session.machine_id] = session.machine;
    highest = std::max(highest, session.load);
  }
  std::string text = fmt::format("{} of them", machines.size());
  if (machines.size() == 1) {
    const Machine& machine = machines.begin()->second;
    text = machine_text(machine);
    if (highest) text += fmt::format("; load {:.2f} at the start", *highest);
    if (highest > machine.cores / 2.0) text += " (busy: times are noisy)";
  }
  return "Machine: " + text;
}

/// Each question, and of each of its answers the text that is said, if any.
Texts lines_of(const std::vector<AnswerText>& answers, const Texts& said, std::size_t width) {
  Texts lines;
  for (size_t i = 0; i < said.size(); ++i) {
    if (answers[i].is_first) append(lines, answers[i].question, width);
    append(lines, said[i], width, "  ", "    ");
  }
  return lines;
}

/// Of each question the first answer's core; then what else there is room for: all of the first
/// answers, the others' cores, all of the others. Where even the cores do not fit, the questions
/// that do, at least one, and the number of the others.
Texts answer_lines(const std::vector<AnswerText>& answers, std::size_t width, std::size_t room) {
  if (answers.empty()) {
    return {"No answer: this run measured no patch together with its baseline."};
  }
  Texts said;
  for (const AnswerText& answer : answers) said.push_back(answer.is_first ? answer.core : "");
  const auto fits = [&] { return lines_of(answers, said, width).size() <= room; };
  const auto say = [&](bool first, bool all) {
    for (size_t i = 0; i < said.size(); ++i) {
      if (answers[i].is_first != first) continue;
      std::string text = answers[i].core + (all ? answers[i].further : "");
      said[i].swap(text);
      if (!fits()) said[i].swap(text);
    }
  };
  say(true, true);
  say(false, false);
  say(false, true);
  size_t left = 0;
  for (; said.size() > 1 && !fits(); said.pop_back()) left += answers[said.size() - 1].is_first;
  Texts lines = lines_of(answers, said, width);
  if (left) lines.push_back(fmt::format("... and {} in the table", counted(left, "more question")));
  return lines;
}

}  // namespace

std::string closing_text(std::span<const Judged> all, const Summary& summary,
                         const std::map<std::string, SessionRecord>& sessions,
                         const std::string& where, std::size_t terminal) {
  const std::size_t width = terminal ? std::min(terminal, kWidest) : kNoTerminal;
  const auto claims = claims_of(all);
  Texts lines;
  append(lines, sentence(summary), width);
  Texts last;
  for (const std::string& text :
       {broken_text(all), unexpected_text(claims, width), undecided_text(claims),
        not_measured_text(claims), machines_text(sessions), where}) {
    append(last, text, width);
  }
  const size_t most = width < kNoTerminal ? kNarrowLines : kMostLines;
  const size_t taken = std::min(lines.size() + last.size(), most);
  for (const Texts& more : {answer_lines(answers_of(all), width, most - taken), last}) {
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return joined(lines, "\n") + "\n";
}

}  // namespace cliffbench
