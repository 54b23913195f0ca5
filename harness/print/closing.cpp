#include "harness/print/closing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "harness/case/describe.hpp"
#include "harness/judge/claim_text.hpp"
#include "harness/plan/plan.hpp"
#include "harness/print/headline.hpp"
#include "harness/text/terminal.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kWidest = 120;  // longer lines are hard to read
constexpr std::size_t kNoTerminal = 100;
constexpr std::size_t kNarrowLines = 20;  // a terminal of 80 columns has 24

void append(Texts& lines, const Texts& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

/// "Wrong or broken: 2 cells, as all at n:1: crash: ended by signal 11"; "" when nothing is.
std::string broken_text(std::span<const Judged> all) {
  const auto broken = broken_cells(all);
  if (broken.empty()) return "";
  const auto& [judged, cell] = broken.front();
  return fmt::format("Wrong or broken: {}, first {} of {} at {}: {}",
                     counted(broken.size(), "cell"), cell->variant, judged->program,
                     point_text(cell->params), status_text(*cell));
}

/// As many texts as fit into two lines, at least one; the others are counted.
std::string listed(const std::string& title, const Texts& texts, std::size_t width) {
  constexpr size_t kMost = 2;
  std::string text;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string more =
        i + 1 < texts.size() ? fmt::format("; {} more in the table", texts.size() - i - 1) : "";
    const std::string longer = text.empty() ? title + texts[i] : text + "; " + texts[i];
    if (i > 0 && wrapped(longer + more, width, "", "  ").size() > kMost) {
      return text + fmt::format("; {} more in the table", texts.size() - i);
    }
    text = longer;
  }
  return text;
}

/// Verdicts that differ from what their case expects, with what was seen.
std::string unexpected_text(std::span<const Judged> all, std::size_t width) {
  Texts texts;
  for (const Judged& judged : all) {
    for (const Finding& finding : judged.judgement.findings) {
      const Claim& claim = finding.claim;
      if (finding.as_expected() || claim.control) continue;
      texts.push_back(fmt::format("{} ({}, claimed {}): {}", word(finding.verdict),
                                  interval_text(finding.seen, claim.quantity),
                                  range_text(claim.range, claim.quantity), claim.text));
    }
  }
  return listed("Not as expected: ", texts, width);
}

/// Undecided is measured, with an interval across the bound or too few rounds for one; or on a
/// machine that does not decide it.
std::string undecided_text(std::span<const Judged> all) {
  size_t across = 0;
  size_t few = 0;
  std::map<std::string, size_t> by_reason;
  for (const Judged& judged : all) {
    for (const Finding& finding : judged.judgement.findings) {
      if (finding.claim.control || finding.verdict != Verdict::undecided) continue;
      const bool here = decide(finding.seen, finding.claim.range) == Verdict::undecided;
      ++(!finding.seen.at ? few : here ? across : by_reason[finding.reason]);
    }
  }
  Texts texts;
  if (across) texts.push_back(fmt::format("{} with an interval across the claimed bound", across));
  if (few) texts.push_back(fmt::format("{} with too few rounds for an interval", few));
  for (const auto& [reason, count] : by_reason) {
    texts.push_back(fmt::format("{} as {}", count, reason));
  }
  return texts.empty() ? "" : "Undecided: " + joined(texts, ", ");
}

std::string not_measured_text(std::span<const Judged> all) {
  std::map<std::string, size_t> by_reason;
  size_t not_chosen = 0;
  for (const Judged& judged : all) {
    for (const Finding& finding : judged.judgement.findings) {
      if (finding.claim.control || finding.measured()) continue;
      ++(finding.by_machine ? by_reason[finding.reason] : not_chosen);
    }
  }
  Texts texts;
  for (const auto& [reason, count] : by_reason) {
    texts.push_back(fmt::format("{}, as {}", counted(count, "claim"), reason));
  }
  if (not_chosen) {
    texts.push_back(fmt::format("{} about sizes or variants that this run left out",
                                counted(not_chosen, "claim")));
  }
  return texts.empty() ? "" : "Not measured here: " + joined(texts, "; ");
}

/// Its controls are in the sentence.
std::string machine_text(const std::map<std::string, SessionRecord>& sessions) {
  std::map<std::string, Machine> machines;
  std::optional<double> highest;
  for (const auto& [key, session] : sessions) {
    machines[session.machine_id] = session.machine;
    highest = std::max(highest, session.load);
  }
  std::string text = fmt::format("{} of them", machines.size());
  if (machines.size() == 1) {
    const Machine& machine = machines.begin()->second;
    text = machine.cpu;
    if (machine.cores > 0) text += fmt::format(", {} cores", machine.cores);
    if (machine.virtualised) text += ", virtualised";
    if (highest) text += fmt::format("; load {:.2f} at the start", *highest);
    if (highest > machine.cores / 2.0) text += " (busy: times are noisy)";
  }
  return "Machine: " + text;
}

/// How much of each answer is said.
enum class Said { nothing, core, all };

Texts lines_of(const std::vector<Answered>& all, const std::vector<std::vector<Said>>& said,
               std::size_t width) {
  Texts lines;
  for (size_t i = 0; i < said.size(); ++i) {
    append(lines, wrapped(all[i].question, width, "", "  "));
    for (size_t j = 0; j < all[i].answers.size(); ++j) {
      const AnswerText& answer = all[i].answers[j];
      if (said[i][j] == Said::nothing) continue;
      const bool whole = said[i][j] == Said::all;
      append(lines,
             wrapped(whole ? answer.core + answer.further : answer.core, width, "  ", "    "));
    }
  }
  return lines;
}

/// Of each question the first answer's core; then what else there is room for: all of the first
/// answers, the others' cores, all of the others. Where even the cores do not fit, the questions
/// that do, at least one, and the number of the others.
Texts answer_lines(const std::vector<Answered>& all, std::size_t width, std::size_t room) {
  if (all.empty()) return {"No answer: this run measured no patch together with its baseline."};
  std::vector<std::vector<Said>> said;
  for (const Answered& one : all) {
    said.emplace_back(one.answers.size(), Said::nothing);
    said.back().front() = Said::core;
  }
  const auto say = [&](bool first, Said what) {
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = first ? 0 : 1; j < (first ? 1 : said[i].size()); ++j) {
        const Said before = std::exchange(said[i][j], what);
        if (lines_of(all, said, width).size() > room) said[i][j] = before;
      }
    }
  };
  say(true, Said::all);
  say(false, Said::core);
  say(false, Said::all);
  while (said.size() > 1 && lines_of(all, said, width).size() > room) said.pop_back();
  Texts lines = lines_of(all, said, width);
  if (const size_t left = all.size() - said.size()) {
    lines.push_back(fmt::format("... and {} in the table", counted(left, "more question")));
  }
  return lines;
}

Texts trouble_lines(std::span<const Judged> all, std::size_t width) {
  Texts lines;
  for (const std::string& text : {broken_text(all), unexpected_text(all, width),
                                  undecided_text(all), not_measured_text(all)}) {
    append(lines, wrapped(text, width, "", "  "));
  }
  return lines;
}

}  // namespace

std::string closing_text(std::span<const Judged> all, const Summary& summary,
                         const std::map<std::string, SessionRecord>& sessions,
                         const std::string& where, std::size_t terminal) {
  const std::size_t width = terminal ? std::min(terminal, kWidest) : kNoTerminal;
  Texts lines = wrapped(sentence(summary), width, "", "  ");
  Texts last = trouble_lines(all, width);
  append(last, wrapped(machine_text(sessions), width, "", "  "));
  if (!where.empty()) append(last, wrapped(where, width, "", "  "));
  const size_t most = width < kNoTerminal ? kNarrowLines : kClosingLines;
  const size_t taken = std::min(lines.size() + last.size(), most);
  append(lines, answer_lines(answered(all), width, most - taken));
  append(lines, last);
  return joined(lines, "\n") + "\n";
}

}  // namespace cliffbench
