#include "harness/gate/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/core/host/exit_code.hpp"
#include "harness/core/program/program.hpp"
#include "harness/core/stats/interval.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

/// Nothing when there are no counts, or impossible ones.
std::optional<double> counted_change(const GateFinding& finding) {
  return finding.instructions ? finding.instructions->change() : std::nullopt;
}

/// Reason, counts and a moved control; without the usual reason of ok and UNCHANGED.
std::string notes_of(const GateFinding& finding) {
  const bool ordinary =
      finding.ruling == Ruling::unchanged ||
      (finding.ruling == Ruling::ok && finding.reason == meaning(Ruling::ok, finding.rule));
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

struct RulingWords {
  Ruling ruling;
  const char* text;
  Style style;
};
constexpr RulingWords kWorstFirst[] = {{Ruling::regression, "REGRESSION", Style::bad},
                                       {Ruling::wrong_output, "WRONG OUTPUT", Style::bad},
                                       {Ruling::not_measured, "NOT MEASURED", Style::plain},
                                       {Ruling::inconclusive, "inconclusive", Style::doubt},
                                       {Ruling::improved, "improved", Style::good},
                                       {Ruling::ok, "ok", Style::good},
                                       {Ruling::skipped, "skipped", Style::plain},
                                       {Ruling::unchanged, "UNCHANGED", Style::good}};

/// A ruling's line before the benchmark's name.
std::string columns(const std::string& ruling, const std::string& ratio, const std::string& change,
                    const std::string& pairs, const std::string& by) {
  return fmt::format("{:<14}  {:<24}  {:>8}  {:>8}  {:<4}", ruling, ratio, change, pairs, by);
}

const RulingWords* place_of(Ruling ruling) {
  return std::find_if(std::begin(kWorstFirst), std::end(kWorstFirst),
                      [&](const auto& known) { return known.ruling == ruling; });
}

double slowdown(const GateFinding& finding) {
  if (finding.metric == Metric::instructions) return counted_change(finding).value_or(0);
  const auto ratio = positive(finding.ratio.median.hi);
  return ratio ? 1 / *ratio : INFINITY;
}

std::string command_for(const GateReport& report, const GateFinding& finding) {
  const std::string& base = finding.base_name.empty() ? finding.name : finding.base_name;
  const std::string& head = finding.head_name.empty() ? finding.name : finding.head_name;
  const bool has_paths = base != head && finding.name.find(" -> ") == std::string::npos;
  std::string filter = exact_filter(has_paths ? finding.name : base);
  if (has_paths) {  // the * stands for the folder of a side
    const std::string any = "\\*";
    for (size_t at; (at = filter.find(any)) != std::string::npos;) filter.replace(at, 2, ".*");
  }
  std::string command =
      fmt::format("cliffbench gate --base {} --head {} --filter {}", quoted(report.base),
                  quoted(report.head), cliffbench::quoted(filter));
  if (base != head && !has_paths) command += " --head-filter " + quoted(exact_filter(head));
  if (!finding.counter.empty()) command += " --metric " + quoted(metric_text(finding));
  if (!report.arguments.empty()) command += " --";
  for (const std::string& argument : report.arguments) command += " " + quoted(argument);
  return command;
}

std::string margins_text(const GateReport& report) {
  const PairRule& rule = report.rule;
  std::string text = fmt::format("fails above {:.3g} %; ok rules out {:.3g} %", rule.margin * 100,
                                 rule.must_find * 100);
  if (std::ranges::any_of(report.findings, [](const auto& one) { return one.mean_ratio.rounds; })) {
    text += fmt::format(" ({:.3g} % for intermittent work)", kMeanFind * rule.must_find * 100);
  }
  const auto own = std::ranges::count_if(report.findings, [&](const GateFinding& finding) {
    return finding.rule.margin != rule.margin || finding.rule.must_find != rule.must_find;
  });
  return text + (own ? fmt::format("; {} with their own margins", own) : "");
}

std::string alarms_sentence(const GateReport& report) {
  const size_t decisions = report.rule.decisions;
  if (decisions == 0) return "";
  const auto is_counted = [](const auto& one) { return one.metric == Metric::instructions; };
  if (std::ranges::all_of(report.findings, is_counted)) {
    return fmt::format("fails above {:.3g} % more instructions\n", report.rule.margin * 100);
  }
  return fmt::format("{}; {}: the chance of any false REGRESSION is at most {:g} %{}\n",
                     margins_text(report), counted(decisions, "decision"), kSuiteAlarm * 100,
                     report.gates > 1 ? fmt::format(" in each of {} gates", report.gates) : "");
}

}  // namespace

std::string ruling_text(Ruling ruling) { return place_of(ruling)->text; }

std::string change_text(const GateFinding& finding) {
  if (finding.metric == Metric::instructions) {
    const auto change = counted_change(finding);
    return change ? fmt::format("{:+.2f} % instructions", *change * 100) : "";
  }
  const Range& median = finding.ratio.median;
  if (!finding.ratio.rounds || !median.exact() || !positive(median.lo)) return "";
  const double head_of_base = finding.larger_is_better ? median.lo : 1 / median.lo;
  return fmt::format("{:+.1f} %", (head_of_base - 1) * 100);
}

std::string metric_text(const GateFinding& finding) {
  return finding.counter.empty() ? word(finding.metric) : "counter:" + finding.counter;
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
  for (const auto& [ruling, text, style] : kWorstFirst) {
    if (counts[ruling]) parts.push_back(fmt::format("{} {}", counts[ruling], text));
  }
  std::string text = joined(parts);
  if (report.one_sided) text += fmt::format(", {} on one side only", report.one_sided);
  if (moved.empty()) return text + ".";
  return fmt::format("UNPROVEN: the base differs from itself at {} ({}).", moved, text);
}

std::string ruling_head() {
  return columns("ruling", "base / head [95 %]", "time", "pairs", "by") + "  benchmark\n";
}

std::string ruling_line(const GateFinding& finding, const Screen& screen) {
  const std::string ruling = ruling_text(finding.ruling), notes = notes_of(finding);
  const std::string ratio = ratio_text(finding);
  std::string by = finding.counter.empty() ? word(finding.metric) : finding.counter;
  if (ratio == "-") by = "-";  // nothing was compared
  std::string line =
      columns(ruling, ratio, change_text(finding), fmt::format("{} pairs", finding.pairs), by);
  const std::string label = finding.label.empty() ? "" : "  (" + finding.label + ")";
  const std::string title = one_line(finding.name + label);
  const bool below = screen.width && display_width(line + "  " + title) > screen.width;
  if (below) line.erase(line.find_last_not_of(' ') + 1);
  line += (below ? "\n    " : "  ") + title;
  if (!notes.empty()) line += (below ? "\n        " : "\n    ") + notes;
  return styled(ruling, place_of(finding.ruling)->style, screen.colours) +
         wrapped(line, screen.width).substr(ruling.size());
}

std::string how_to_continue(const std::filesystem::path& folder) {
  return fmt::format(
      "to continue, repeat the command with --resume {}, without --out, --seed, --margin and "
      "--must-find",
      folder.string());
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
  const char* title = "slower: ";
  std::string command;
  for (const GateFinding* finding : worst_rulings_first(report)) {
    if (finding->ruling != Ruling::regression) continue;
    if (slower.empty() && report.gates == 1) {
      command =
          "measure the first alone (add your other flags): " + command_for(report, *finding) + "\n";
    }
    if (!finding->counter.empty()) title = "worse: ";
    slower.push_back(fmt::format("{} {}{}", change_text(*finding), one_line(finding->name),
                                 finding->counter.empty() ? "" : ", " + finding->counter));
  }
  std::string last = list("note: ", report.notes);
  if (!report.unfit.empty()) last += "unfit: " + report.unfit + "\n";
  if (nothing_is_decided(report.findings)) {
    constexpr double kStep_s = 10;
    if (report.needed_s > 0) {
      last +=
          fmt::format("no benchmark was decided; a first decision needs about --budget {:.0f}s\n",
                      kStep_s * (1 + std::floor(report.needed_s / kStep_s)));
    } else if (report.open > 0) {
      last +=
          "no benchmark was decided: the budget ended before the first pilot run; raise --budget\n";
    } else if (gate_exit_code(report.findings, report.strict) == Exit::cannot_measure) {
      last += "nothing was compared: exit code 13\n";
    }
  }
  return wrapped("\n" + gate_sentence(report) + "\n" + list(title, slower), width) + command +
         wrapped(last + alarms_sentence(report), width);
}

}  // namespace cliffbench
