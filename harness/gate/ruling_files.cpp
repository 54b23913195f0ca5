#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/core/record/folder.hpp"
#include "harness/core/stats/interval.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"
#include "harness/gate/markup.hpp"
#include "harness/gate/words.hpp"

namespace cliffbench {
namespace {

using Json = nlohmann::json;

Result result_of(const GateFinding& finding) {
  const auto is = [&](auto... rulings) { return ((finding.ruling == rulings) || ...); };
  if (finding.control_moved) return Result::failed;
  if (is(Ruling::regression, Ruling::wrong_output, Ruling::not_measured)) return Result::failed;
  return is(Ruling::inconclusive, Ruling::skipped) ? Result::skipped : Result::passed;
}

Entry entry_of(const GateFinding& finding) {
  const std::string title = finding.name + (finding.counter.empty() ? "" : ", " + finding.counter) +
                            (finding.label.empty() ? "" : " (" + finding.label + ")");
  return {.result = result_of(finding),
          .program = finding.program,
          .name = one_line(finding.name + (finding.counter.empty() ? "" : ", " + finding.counter)),
          .word = finding.control_moved ? "unproven" : word(finding.ruling),
          .line = ruling_line(finding),
          .cells = {ruling_text(finding.ruling), markdown_cell(ratio_text(finding)),
                    markdown_cell(change_text(finding)), std::to_string(finding.pairs),
                    markdown_cell(title)},
          .seconds = finding.head_s.rounds ? finding.head_s.median.lo : 0};
}

}  // namespace

Json ruling_json(const GateFinding& finding) {
  Json json{{"program", finding.program},
            {"name", finding.name},
            {"head", "head"},  // the variant of its rows
            {"ruling", finding.ruling},
            {"reason", finding.reason},
            {"metric", metric_text(finding)},
            {"by_mean", finding.by_mean},
            {"label", finding.label},
            {"pairs", finding.pairs},
            {"ratio", finding.ratio},
            {"mean_ratio", finding.mean_ratio},
            {"wall_ratio", finding.wall},
            {"cpu_ratio", finding.cpu},
            {"control_ratio", finding.control},
            {"control_moved", finding.control_moved},
            {"base_s", finding.base_s},
            {"head_s", finding.head_s},
            {"iteration_counts_differ", finding.counts_differ}};
  if (finding.instructions) {
    const auto change = finding.instructions->change();
    json["instructions"] = {{"base", finding.instructions->base},
                            {"head", finding.instructions->head},
                            {"change", change ? Json(*change) : Json()}};
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
                           {"sentence", gate_sentence(report)}});
  for (const GateFinding& finding : report.findings) {
    Json line = ruling_json(finding);
    line["kind"] = "ruling";
    text += dump(line);
  }
  return text;
}

std::string rulings_markdown(const GateReport& report) {
  constexpr size_t kRows = 8;
  std::vector<Entry> entries;
  for (const GateFinding* finding : worst_rulings_first(report))
    entries.push_back(entry_of(*finding));
  std::string text =
      fmt::format("**cliffbench gate: {}**\n\n", markdown_cell(gate_sentence(report))) +
      markdown_table({"ruling", "base / head", "time", "pairs", "benchmark"}, entries, kRows) +
      "\n";
  if (entries.size() > kRows)
    text += fmt::format("{} more in rulings.jsonl. ", entries.size() - kRows);
  text += markdown_cell(report.machine);
  if (!report.unfit.empty()) text += ". " + markdown_cell(report.unfit);
  return text + "\n";
}

std::string rulings_junit(const GateReport& report) {
  std::vector<Entry> entries;
  for (const GateFinding& finding : report.findings) entries.push_back(entry_of(finding));
  return junit("cliffbench gate", entries, report.seconds);
}

int publish_rulings(const GateReport& report, const std::filesystem::path& folder) {
  const std::size_t width = screen().width;
  std::string text = duration(report.seconds) + " in all";
  if (report.measured_s > 0) {
    text += fmt::format(", {} of it in measured processes ({} for the control)",
                        duration(report.measured_s), duration(report.control_s));
  }
  text += fmt::format("; {}\n", (folder / "rulings.jsonl").string());
  if (report.open) {
    text += fmt::format("{} undecided; {}\n", counted(report.open, "benchmark"),
                        how_to_continue(folder));
  }
  say("{}", gate_end_text(report, width) + wrapped(text, width));
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
