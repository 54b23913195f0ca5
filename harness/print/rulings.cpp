#include "harness/print/rulings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/judge/interval.hpp"
#include "harness/program/program.hpp"
#include "harness/text/terminal.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

/// Nothing when there are no counts, or none that can be.
std::optional<double> counted_change(const GateFinding& finding) {
  return finding.instructions ? finding.instructions->change() : std::nullopt;
}

/// Reason, counts and a moved control; not the reason of an ordinary ok, which each has.
std::string notes_of(const GateFinding& finding) {
  const bool ordinary =
      finding.ruling == Ruling::ok && finding.reason == meaning(Ruling::ok, finding.rule);
  std::vector<std::string> notes;
  if (!ordinary && !finding.reason.empty()) notes.push_back(finding.reason);
  const auto change = counted_change(finding);
  if (change && finding.metric != Metric::instructions) {
    notes.push_back(fmt::format("instructions {:+.2f} %", *change * 100));
  }
  if (finding.control_moved) {
    notes.push_back("the control MOVED: the base differs from itself, " +
                    interval_text(finding.control, Quantity::ratio));
  }
  return one_line(joined(notes, "; "));
}

constexpr std::pair<Ruling, const char*> kWorstFirst[] = {
    {Ruling::not_measured, "NOT MEASURED"},
    {Ruling::wrong_output, "WRONG OUTPUT"},
    {Ruling::regression, "REGRESSION"},
    {Ruling::layout_suspect, "LAYOUT-SUSPECT"},
    {Ruling::inconclusive, "inconclusive"},
    {Ruling::improved, "improved"},
    {Ruling::ok, "ok"}};

const auto* place_of(Ruling ruling) {
  return std::find_if(std::begin(kWorstFirst), std::end(kWorstFirst),
                      [&](const auto& known) { return known.first == ruling; });
}

/// By the metric that decided.
double slowdown(const GateFinding& finding) {
  if (finding.metric == Metric::instructions) return counted_change(finding).value_or(0);
  const auto ratio = positive(finding.ratio.median.hi);
  return ratio ? 1 / *ratio : INFINITY;
}

/// The command that measures one benchmark alone; where it is too long for a line, on lines of
/// its own that a shell takes as one.
std::string command_for(const GateReport& report, const GateFinding& finding, std::size_t width) {
  std::vector<std::string> parts = {"cliffbench gate", "--base " + quoted(report.base),
                                    "--head " + quoted(report.head),
                                    "--filter " + quoted(exact_filter(finding.name))};
  if (!report.arguments.empty()) parts.emplace_back("--");
  for (const std::string& argument : report.arguments) parts.push_back(quoted(argument));
  const std::string title = "measure the first alone:";
  const std::string whole = title + " " + joined(parts, " ");
  if (width == 0 || display_width(whole) <= width) return whole + "\n";
  std::string text = title + "\n", line = "   ";
  for (const std::string& part : parts) {
    if (line.size() > 6 && display_width(line + part) + 3 > width) {
      text += line + " \\\n";
      line = "     ";
    }
    line += " " + part;
  }
  return text + line + "\n";
}

std::string alarms_sentence(const GateReport& report) {
  const size_t decisions = report.rule.decisions;
  return fmt::format(
      "{}: the chance of a false REGRESSION {} is at most {:g} % (margin {:.3g} %, {:.3g} % would "
      "have shown)",
      counted(decisions, "decision"), decisions == 1 ? "in it" : "anywhere among them",
      kSuiteAlarm * 100, report.rule.margin * 100, report.rule.must_find * 100);
}

}  // namespace

std::string ruling_text(Ruling ruling) { return place_of(ruling)->second; }

std::string change_text(const GateFinding& finding) {
  if (finding.metric == Metric::instructions) {
    const auto change = counted_change(finding);
    return change ? fmt::format("{:+.2f} % instructions", *change * 100) : "";
  }
  const Range& median = finding.ratio.median;
  if (!finding.ratio.rounds || !median.exact() || !positive(median.lo)) return "";
  return fmt::format("{:+.1f} %", (1 / median.lo - 1) * 100);
}

std::string ratio_text(const GateFinding& finding) {
  if (finding.metric == Metric::instructions) {
    const auto change = counted_change(finding);
    return change ? three_digits(1 / (1 + *change)) + "x" : "-";
  }
  return interval_text(finding.ratio, Quantity::ratio);
}

std::vector<const GateFinding*> worst_rulings_first(const GateReport& report) {
  std::vector<const GateFinding*> sorted;
  for (const GateFinding& finding : report.findings) sorted.push_back(&finding);
  const auto rank = [](const GateFinding* finding) {
    return std::pair(place_of(finding->ruling), -slowdown(*finding));
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return sorted;
}

std::string gate_sentence(const GateReport& report) {
  std::map<Ruling, size_t> counts;
  std::string moved;
  for (const GateFinding& finding : report.findings) {
    ++counts[finding.ruling];
    if (finding.control_moved && moved.empty()) moved = finding.name;
  }
  std::vector<std::string> parts;
  for (const auto& [ruling, text] : kWorstFirst) {
    if (counts[ruling]) parts.push_back(fmt::format("{} {}", counts[ruling], text));
  }
  const std::string text = joined(parts);
  if (moved.empty()) return text + ".";
  return fmt::format("UNPROVEN: the base differs from itself at {} ({}).", moved, text);
}

std::string ruling_line(const GateFinding& finding, std::size_t width) {
  const std::string title = one_line(finding.name);
  std::string line =
      fmt::format("{:<14}  {:<24}  {:>8}  {:>2} pairs  {:<4}", ruling_text(finding.ruling),
                  ratio_text(finding), change_text(finding), finding.pairs, word(finding.metric));
  const bool below = width && display_width(line) + 2 + display_width(title) > width;
  if (below && display_width(line) > width) {
    line = fmt::format("{}  {}  {}  {} pairs  {}", ruling_text(finding.ruling), ratio_text(finding),
                       change_text(finding), finding.pairs, word(finding.metric));
  }
  std::vector<std::string> lines = {below ? line.substr(0, line.find_last_not_of(' ') + 1)
                                          : line + "  " + title};
  const auto add = [&](const std::string& text, const std::string& first,
                       const std::string& indent) {
    for (const std::string& part : wrapped(text, width, first, indent)) lines.push_back(part);
  };
  if (below) add(title, "    ", "      ");
  const std::string before_notes(below ? 8 : 4, ' ');
  add(notes_of(finding), before_notes, before_notes);
  return joined(lines, "\n");
}

std::string gate_end_text(const GateReport& report, std::size_t width) {
  constexpr size_t kMost = 8;  // of each list: the end fits on a screen
  const auto list = [&](const std::string& title, const std::vector<std::string>& lines) {
    std::string text;
    for (size_t i = 0; i < std::min(kMost, lines.size()); ++i) text += title + lines[i] + "\n";
    if (lines.size() <= kMost) return text;
    return text + fmt::format("{}{} more in rulings.jsonl\n", title, lines.size() - kMost);
  };
  std::vector<std::string> slower;
  std::string command;
  for (const GateFinding* finding : worst_rulings_first(report)) {
    if (finding->ruling != Ruling::regression) continue;
    if (slower.empty()) command = command_for(report, *finding, width);
    slower.push_back(fmt::format("{} {}", change_text(*finding), one_line(finding->name)));
  }
  std::string last = list("note: ", report.notes);
  if (!report.unfit.empty()) last += "unfit: " + report.unfit + "\n";
  return folded("\n" + gate_sentence(report) + "\n" + list("slower: ", slower), width) + command +
         folded(last + alarms_sentence(report) + "\n", width);
}

}  // namespace cliffbench
