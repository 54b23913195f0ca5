#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "harness/core/stats/interval.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/case/describe.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/words/verdicts.hpp"

namespace cliffbench {
namespace {

/// '!' not as expected or a control that moved; '?' open; '+' any other.
char symbol(const Finding& finding) {
  if (control_moved(finding) || !finding.as_expected()) return '!';
  const bool steady = steadiness(finding) == Steadiness::within;
  return (finding.claim.control ? steady : finding.decided()) ? '+' : '?';
}

/// By the verdict alone: refuted is bad even where the case expects it.
Style style_of(const Finding& finding) {
  const Steadiness state = steadiness(finding);
  const Verdict verdict = finding.verdict;
  if (finding.claim.control && state == Steadiness::unknown) return Style::plain;
  if (state == Steadiness::too_wide) return Style::doubt;
  if (state != Steadiness::unknown) return state == Steadiness::within ? Style::good : Style::bad;
  if (verdict == Verdict::undecided) return Style::doubt;
  return verdict == Verdict::held ? Style::good : Style::bad;
}

/// Claims that the machine could not measure have its reason; of the others no cell was chosen.
std::string not_measured_text(const std::vector<const Finding*>& findings, const Screen& screen) {
  std::map<std::string, std::set<std::string>> by_reason;
  for (const Finding* finding : findings) {
    by_reason[finding->by_machine() ? finding->reason : ""].insert(finding->claim.id);
  }
  std::string text;
  for (const auto& [reason, ids] : by_reason) {
    const std::string line =
        fmt::format("{}: {}{}", reason.empty() ? "not in this run" : "not measured here",
                    joined(ids), reason.empty() ? "" : ": " + reason);
    text += wrapped("  " + one_line(line), screen.width) + '\n';
  }
  return text;
}

/// The values that two points or more share, so that each row says only what is its own.
Params common_of(const std::vector<const Params*>& points) {
  if (points.size() < 2) return {};
  Params common = *points.front();
  for (const Params* point : points) {
    std::erase_if(common, [&](const auto& value) {
      const auto own = point->find(value.first);
      return own == point->end() || own->second != value.second;
    });
  }
  return common;
}

Params without(Params point, const Params& common) {
  std::erase_if(point, [&](const auto& value) { return common.contains(value.first); });
  return point;
}

/// Claims of one text are told apart by where they were measured.
std::vector<std::string> titles_of(const std::vector<const Finding*>& findings) {
  std::map<std::string, std::vector<const Params*>> points;
  for (const Finding* finding : findings) points[finding->claim.text].push_back(&finding->at);
  std::vector<std::string> titles;
  for (const Finding* finding : findings) {
    const std::string& text = finding->claim.text;
    const std::string own = point_text(without(finding->at, common_of(points[text])));
    const bool alone = points[text].size() < 2 || own.empty();
    titles.push_back(fmt::format("{} {}{}", symbol(*finding), text, alone ? "" : " (" + own + ")"));
  }
  return titles;
}

/// Notes to read with a ratio.
std::vector<std::string> notes_on(const JudgedCell& cell) {
  std::vector<std::string> notes;
  if (cell.with_baseline->control_moved) notes.emplace_back("no verdict: its control moved");
  if (!cell.with_baseline->counters.empty()) notes.push_back(cell.with_baseline->counters);
  return notes;
}

std::string findings_text(const Judged& judged, const Screen& screen) {
  std::vector<const Finding*> measured, not_measured;
  for (const Finding& finding : judged.judgement.findings) {
    (finding.measured() ? measured : not_measured).push_back(&finding);
  }
  if (judged.judgement.findings.empty()) return "";
  Table table(screen, {3});
  table.row({"  claim", "range", "seen", "n", "verdict"});
  const std::vector<std::string> titles = titles_of(measured);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const Finding& finding = *measured[i];
    const Claim& claim = finding.claim;
    table.row({titles[i], range_text(claim.range, claim.quantity),
               interval_text(finding.interval, claim.quantity),
               std::to_string(finding.interval.rounds), verdict_words(finding)},
              style_of(finding));
    if (claim.control) {
      const JudgedCell* cell = cell_at(judged.judgement.cells, finding.at, claim.variant);
      if (control_moved(finding)) table.line("    " + finding.reason);
      if (cell && cell->with_baseline && !cell->with_baseline->counters.empty()) {
        table.line("    " + cell->with_baseline->counters);
      }
      continue;
    }
    if (!finding.as_expected()) {
      table.line(fmt::format("    expected: {}; {}", word(claim.expected), finding.reason));
    } else if (finding.verdict == Verdict::undecided) {
      table.line("    " + finding.reason);
    }
  }
  return "\n" + (measured.empty() ? "" : table.text()) + not_measured_text(not_measured, screen);
}

std::string ratios_text(const Judged& judged, const Screen& screen) {
  std::vector<const JudgedCell*> compared;
  std::vector<const Params*> points;
  for (const JudgedCell& cell : judged.judgement.cells) {
    if (!cell.is_compared() || cell.with_baseline->role == Role::control) continue;
    compared.push_back(&cell);
    points.push_back(&cell.params);
  }
  if (compared.empty()) return "";
  const Params common = common_of(points);
  Table table(screen);
  std::string last;
  for (const JudgedCell* cell : compared) {
    const std::string own = point_text(without(cell->params, common));
    if (own != last) table.line("  " + own);
    last = own;
    // The baseline of these patches never finished, so no output was compared with it.
    const bool noted = cell->with_baseline->role == Role::patch && cell->checked == "oracle only";
    table.row({"    " + cell->variant, interval_text(cell->with_baseline->time, Quantity::ratio),
               noted ? "(no digest; only the case's own check)" : ""},
              cell->with_baseline->control_moved ? Style::doubt : Style::plain);
    for (const std::string& note : notes_on(*cell)) table.line("      " + note);
  }
  return fmt::format("\n  baseline / variant, > 1 is faster{}\n{}",
                     common.empty() ? "" : "; all at " + one_line(point_text(common)),
                     table.text());
}

std::string failures_text(const Judged& judged, const Screen& screen) {
  Table table(screen);
  for (const JudgedCell& cell : judged.judgement.cells) {
    if (cell.status == Status::ok) continue;
    table.line(
        fmt::format("! {} at {}: {}", cell.variant, point_text(cell.params), status_text(cell)));
  }
  return table.text();
}

}  // namespace

std::string table_text(std::span<const Judged> all, const Screen& screen) {
  std::string text;
  for (const Judged& judged : all) {
    const std::string heading =
        fmt::format("{} on machine {}, {}", judged.program, judged.set.machine, judged.set.date);
    text += "\n" + styled(heading, Style::bold, screen.colours) + "\n";
    text += ratios_text(judged, screen) + findings_text(judged, screen);
    text += failures_text(judged, screen);
  }
  return text;
}

}  // namespace cliffbench
