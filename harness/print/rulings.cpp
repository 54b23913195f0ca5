#include "harness/print/rulings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/host/say.hpp"
#include "harness/host/text.hpp"
#include "harness/judge/claim_text.hpp"
#include "harness/print/interval_json.hpp"
#include "harness/print/markup.hpp"
#include "harness/print/width.hpp"
#include "harness/program/program.hpp"
#include "harness/record/folder.hpp"

namespace cliffbench {
namespace {

using Json = nlohmann::json;

constexpr Ruling kWorstRulingFirst[] = {
    Ruling::not_measured, Ruling::wrong_output, Ruling::regression, Ruling::layout_suspect,
    Ruling::inconclusive, Ruling::improved,     Ruling::ok};

/// As people read it in a table; the machine-readable word is with an underscore.
std::string ruling_text(Ruling ruling) {
  switch (ruling) {
    case Ruling::regression:
      return "REGRESSION";
    case Ruling::layout_suspect:
      return "LAYOUT-SUSPECT";
    case Ruling::wrong_output:
      return "WRONG OUTPUT";
    case Ruling::not_measured:
      return "NOT MEASURED";
    default:
      return word(ruling);
  }
}

/// Nothing when there are no counts, or none that can be.
std::optional<double> counted_change(const GateFinding& finding) {
  return finding.instructions ? finding.instructions->change() : std::nullopt;
}

/// How much longer the head takes: "+10.4 %".
std::string change_text(const GateFinding& finding) {
  if (finding.metric == Metric::instructions) {
    const auto change = counted_change(finding);
    return change ? fmt::format("{:+.2f} % instructions", *change * 100) : "";
  }
  const Range& median = finding.ratio.median;
  if (!finding.ratio.rounds || !median.exact() || !positive(median.lo)) return "";
  return fmt::format("{:+.1f} %", (1 / median.lo - 1) * 100);
}

/// The ratio that the ruling rests on: times, or instruction counts.
std::string ratio_text(const GateFinding& finding) {
  if (finding.metric == Metric::instructions) {
    const auto change = counted_change(finding);
    return change ? three_digits(1 / (1 + *change)) + "x" : "-";
  }
  return interval_text(finding.ratio, Quantity::ratio);
}

/// What the line itself does not say; that of an ordinary ok is what each of them would say.
std::string notes_of(const GateFinding& finding) {
  const bool ordinary =
      finding.ruling == Ruling::ok && finding.reason == meaning(Ruling::ok, finding.rule);
  std::string text = ordinary ? "" : finding.reason;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  const auto change = counted_change(finding);
  if (change && finding.metric != Metric::instructions) {
    add(fmt::format("instructions {:+.2f} %", *change * 100));
  }
  if (finding.control_moved) {
    add("the control MOVED: the base differs from itself, " +
        interval_text(finding.control, Quantity::ratio));
  }
  return one_line(text);
}

std::string title_of(const GateFinding& finding) {
  std::string title = finding.name;
  if (finding.head != "head") title += " (" + finding.head + ")";
  return one_line(title);
}

/// By the metric that decided; how a list of regressions begins.
double slowdown(const GateFinding& finding) {
  if (finding.metric == Metric::instructions) return counted_change(finding).value_or(0);
  const auto ratio = positive(finding.ratio.median.hi);
  return ratio ? 1 / *ratio : INFINITY;
}

std::string command_for(const GateReport& report, const GateFinding& finding) {
  std::string command =
      fmt::format("cliffbench gate --base {} --head {} --filter {}", quoted(report.base),
                  quoted(report.head), quoted(exact_filter(finding.name)));
  if (!report.arguments.empty()) command += " --";
  for (const std::string& argument : report.arguments) command += " " + quoted(argument);
  return command;
}

std::vector<const GateFinding*> worst_first(const GateReport& report) {
  std::vector<const GateFinding*> sorted;
  for (const GateFinding& finding : report.findings) sorted.push_back(&finding);
  const auto place = [](const GateFinding* finding) {
    return std::find(std::begin(kWorstRulingFirst), std::end(kWorstRulingFirst), finding->ruling);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto* a, const auto* b) { return place(a) < place(b); });
  return sorted;
}

}  // namespace

std::string sentence_of(const GateReport& report) {
  std::map<Ruling, size_t> counts;
  std::string moved;
  for (const GateFinding& finding : report.findings) {
    ++counts[finding.ruling];
    if (finding.control_moved && moved.empty()) moved = finding.name;
  }
  std::string text;
  for (const Ruling ruling : kWorstRulingFirst) {
    if (counts[ruling]) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[ruling], ruling_text(ruling));
    }
  }
  if (!moved.empty()) {
    text = fmt::format("UNPROVEN: the base differs from itself at {} ({})", moved, text);
  }
  return text + ".";
}

std::string finding_line(const GateFinding& finding) {
  std::string line =
      fmt::format("{:<14}  {:<24}  {:>8}  {:>2} pairs  {:<4}  {}", ruling_text(finding.ruling),
                  ratio_text(finding), change_text(finding), finding.pairs, word(finding.metric),
                  title_of(finding));
  const std::string notes = notes_of(finding);
  return notes.empty() ? line : line + "\n    " + notes;
}

Json ruling_json(const GateFinding& finding) {
  Json json{{"program", finding.program},
            {"name", finding.name},
            {"head", finding.head},
            {"ruling", word(finding.ruling)},
            {"reason", finding.reason},
            {"metric", word(finding.metric)},
            {"pairs", finding.pairs},
            {"ratio", interval_json(finding.ratio)},
            {"wall_ratio", interval_json(finding.wall)},
            {"cpu_ratio", interval_json(finding.cpu)},
            {"control_ratio", interval_json(finding.control)},
            {"control_moved", finding.control_moved},
            {"base_s", interval_json(finding.base_s)},
            {"head_s", interval_json(finding.head_s)},
            {"iteration_counts_differ", finding.counts_differ}};
  if (finding.instructions) {
    const auto number = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
    json["instructions"] = {{"base", number(known(finding.instructions->base))},
                            {"head", number(known(finding.instructions->head))},
                            {"change", number(finding.instructions->change())}};
  }
  return json;
}

std::string rulings_jsonl(const GateReport& report) {
  const auto dump = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  };
  std::string text = dump({{"kind", "gate"},
                           {"schema", kSchema},
                           {"base", report.base},
                           {"head", report.head},
                           {"machine", report.machine},
                           {"unfit", report.unfit},
                           {"notes", report.notes},
                           {"seconds", report.seconds},
                           {"measured_s", report.measured_s},
                           {"control_s", report.control_s},
                           {"exit", report.exit()},
                           {"margin", report.rule.margin},
                           {"must_find", report.rule.must_find},
                           {"decisions", report.rule.decisions},
                           {"suite_alarm", kSuiteAlarm},
                           {"open", report.open},
                           {"sentence", sentence_of(report)}});
  for (const GateFinding& finding : report.findings) {
    Json line = ruling_json(finding);
    line["kind"] = "ruling";
    text += dump(line);
  }
  return text;
}

std::string rulings_markdown(const GateReport& report) {
  constexpr size_t kRows = 8;
  std::string text = fmt::format("**cliffbench gate: {}**\n\n", markdown_cell(sentence_of(report)));
  text += "| ruling | base / head | time | pairs | benchmark |\n|---|---|---|---|---|\n";
  const auto sorted = worst_first(report);
  for (size_t i = 0; i < std::min(kRows, sorted.size()); ++i) {
    const GateFinding& finding = *sorted[i];
    text += fmt::format("| {} | {} | {} | {} | {} |\n", ruling_text(finding.ruling),
                        markdown_cell(ratio_text(finding)), markdown_cell(change_text(finding)),
                        finding.pairs, markdown_cell(title_of(finding)));
  }
  text += "\n";
  if (sorted.size() > kRows)
    text += fmt::format("{} more in rulings.jsonl. ", sorted.size() - kRows);
  text += markdown_cell(report.machine);
  if (!report.unfit.empty()) text += ". " + markdown_cell(report.unfit);
  return text + "\n";
}

std::string rulings_junit(const GateReport& report) {
  size_t failures = 0;
  size_t skipped = 0;
  std::string cases;
  for (const GateFinding& finding : report.findings) {
    const std::string what = xml_text(finding_line(finding));
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">",
                         xml_text(finding.program), xml_text(title_of(finding)),
                         finding.head_s.rounds ? finding.head_s.median.lo : 0.0);
    if (finding.ruling == Ruling::regression || finding.ruling == Ruling::wrong_output ||
        finding.ruling == Ruling::not_measured || finding.control_moved) {
      ++failures;
      cases += fmt::format("<failure message=\"{}\">{}</failure>",
                           finding.control_moved ? "unproven" : word(finding.ruling), what);
    } else if (finding.ruling == Ruling::inconclusive || finding.ruling == Ruling::layout_suspect) {
      ++skipped;
      cases += fmt::format("<skipped message=\"{}\"/>", what);
    } else {
      cases += fmt::format("<system-out>{}</system-out>", what);
    }
    cases += "</testcase>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"cliffbench gate\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\">\n{}</testsuite>\n",
      report.findings.size(), failures, skipped, report.seconds, cases);
}

std::string alarms_sentence(const GateReport& report) {
  const size_t decisions = report.rule.decisions;
  return fmt::format(
      "{}: the chance of a false REGRESSION {} is at most {:g} % (margin {:.3g} %, {:.3g} % would "
      "have shown)",
      decisions == 1 ? "1 decision" : fmt::format("{} decisions", decisions),
      decisions == 1 ? "in it" : "anywhere among them", kSuiteAlarm * 100, report.rule.margin * 100,
      report.rule.must_find * 100);
}

std::string closing_text(const GateReport& report) {
  constexpr size_t kMost = 8;  // of each list: the end fits on a screen
  std::string text;
  const auto list = [&](const std::string& title, const std::vector<std::string>& lines) {
    for (size_t i = 0; i < std::min(kMost, lines.size()); ++i) text += title + lines[i] + "\n";
    if (lines.size() > kMost) {
      text += fmt::format("{}{} more in rulings.jsonl\n", title, lines.size() - kMost);
    }
  };
  std::vector<const GateFinding*> slower;
  for (const GateFinding& finding : report.findings) {
    if (finding.ruling == Ruling::regression) slower.push_back(&finding);
  }
  std::stable_sort(slower.begin(), slower.end(),
                   [](const auto* a, const auto* b) { return slowdown(*a) > slowdown(*b); });
  text += "\n" + sentence_of(report) + "\n";
  std::vector<std::string> lines;
  for (const GateFinding* finding : slower) {
    lines.push_back(fmt::format("{} {}", change_text(*finding), title_of(*finding)));
  }
  list("slower: ", lines);
  if (!slower.empty() && report.has_filter) {
    text += "measure the first alone: " + command_for(report, *slower.front()) + "\n";
  }
  list("note: ", report.notes);
  if (!report.unfit.empty()) text += "unfit: " + report.unfit + "\n";
  return text + alarms_sentence(report) + "\n";
}

int publish_rulings(const GateReport& given, const std::filesystem::path& folder) {
  GateReport report = given;
  const auto differ =
      std::count_if(report.findings.begin(), report.findings.end(),
                    [](const GateFinding& finding) { return finding.counts_differ; });
  if (differ) {
    report.notes.push_back(
        fmt::format("iteration counts differ between the sides in {} of {} benchmarks", differ,
                    report.findings.size()));
  }
  say("{}{} in all", closing_text(report), duration(report.seconds));
  if (report.measured_s > 0) {
    say(", {} of it in measured processes ({} for the control)", duration(report.measured_s),
        duration(report.control_s));
  }
  say("; {}\n", (folder / "rulings.jsonl").string());
  if (report.open) {
    say("{} of {} are open; the same command with --resume {} in place of --out goes on, "
        "about {} to their next looks\n",
        report.open, report.findings.size(), folder.string(), clock_time(report.open_s));
  }
  const std::string markdown = rulings_markdown(report);
  write_file(folder / "rulings.jsonl", rulings_jsonl(report));
  write_file(folder / "rulings.md", markdown);
  write_file(folder / "rulings.xml", rulings_junit(report));
  if (const char* summary = std::getenv("GITHUB_STEP_SUMMARY"); summary && *summary) {
    std::ofstream file(summary, std::ios::app);
    file << markdown;
    if (!file.flush()) say(stderr, "cliffbench: cannot append to {}\n", summary);
  }
  return report.exit();
}

}  // namespace cliffbench
