#include "harness/gate/pairs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <tuple>

#include "harness/host/say.hpp"
#include "harness/host/shuffle.hpp"
#include "harness/host/stopping.hpp"
#include "harness/host/text.hpp"
#include "harness/program/calibration.hpp"

namespace cliffbench {
namespace {

using Clock = std::chrono::steady_clock;

/// One contest under way.
struct Bout {
  Contest* contest = nullptr;
  std::vector<GateFinding> findings;
  int rounds = 0;  ///< of this session
  double seconds = 0;

  void judge() { findings = contest->judge(); }
  [[nodiscard]] bool decided() const {
    return std::all_of(findings.begin(), findings.end(), [](const auto& f) { return f.decided; });
  }
  [[nodiscard]] int pairs() const {
    int fewest = kMostPairs;
    for (const auto& finding : findings) {
      if (!finding.decided) fewest = std::min(fewest, finding.pairs);
    }
    return fewest;
  }
  [[nodiscard]] bool begun() const { return !contest->rows.empty(); }
  /// `pace`: of rounds so far, over what was expected of them.
  [[nodiscard]] double round_s(double pace) const {
    return rounds ? seconds / rounds : contest->round_s * pace;
  }
  [[nodiscard]] double next_look_s(double pace) const {
    const auto* look = std::upper_bound(kLookPairs.begin(), kLookPairs.end(), pairs());
    return look == kLookPairs.end() ? 0 : (*look - pairs()) * round_s(pace);
  }
  /// How much slower a head looks, beyond the margin; 0 when none does.
  [[nodiscard]] double suspicion() const {
    constexpr int kTell = 3;  // pairs that say more than the pilots
    double worst = contest->lead;
    if (pairs() >= kTell) {
      worst = 0;
      for (const auto& finding : findings) {
        const double ratio = finding.ratio.median.hi;
        if (!finding.decided && positive(ratio)) worst = std::max(worst, -std::log(ratio));
      }
    }
    return worst > std::log1p(contest->rule.margin) ? worst : 0;
  }
};

double pace_of(const std::vector<Bout>& bouts) {
  double seen_s = 0;
  double expected_s = 0;
  for (const Bout& bout : bouts) {
    seen_s += bout.seconds;
    expected_s += bout.rounds * bout.contest->round_s;
  }
  return seen_s > 0 && expected_s > 0 ? seen_s / expected_s : 1;
}

Outlook outlook_of(const std::vector<Bout>& bouts) {
  Outlook seen;
  const double pace = pace_of(bouts);
  for (const Bout& bout : bouts) {
    if (bout.decided()) continue;
    ++seen.open;
    seen.next_s += bout.next_look_s(pace);
    seen.most_s += (kMostPairs - bout.pairs()) * bout.round_s(pace);
  }
  return seen;
}

/// Those of the next turn: all that are open or, where the time left does not reach their looks,
/// as many as it does: what is begun first, and what looks slowest.
std::vector<Bout*> due(std::vector<Bout>& bouts, double left_s) {
  std::vector<Bout*> open;
  for (Bout& bout : bouts) {
    if (!bout.decided()) open.push_back(&bout);
  }
  if (outlook_of(bouts).next_s <= left_s) return open;
  const double pace = pace_of(bouts);
  using Rank = std::tuple<bool, double, double, Bout*>;
  std::vector<Rank> ranked;
  for (Bout* bout : open) {
    ranked.emplace_back(!bout->begun(), -bout->suspicion(), bout->next_look_s(pace), bout);
  }
  std::sort(ranked.begin(), ranked.end());
  open.clear();
  for (const auto& [not_begun, suspicion, cost_s, bout] : ranked) {
    left_s -= cost_s;
    if (left_s < 0 && !open.empty()) break;
    open.push_back(bout);
  }
  return open;
}

/// On a terminal, how far it is: one line, overwritten by the next.
class StatusLine {
 public:
  void status(const std::vector<Bout>& bouts) const {
    if (!terminal_) return;
    const Outlook seen = outlook_of(bouts);
    clear();
    say("{} of {} decided; next decisions in about {}, all in at most {}", bouts.size() - seen.open,
        bouts.size(), clock_time(seen.next_s), clock_time(seen.most_s));
    std::fflush(stdout);
  }

  void clear() const {
    if (terminal_) fmt::print("\r\x1b[K");
  }

 private:
  bool terminal_ = isatty(STDOUT_FILENO) == 1;
};

/// Who runs in a round, in its order; -1 is the base once more.
std::vector<int> order_of_round(const Contest& contest, std::mt19937_64& random) {
  std::vector<int> order;
  for (size_t side = 0; side < contest.sides.size(); ++side)
    order.push_back(static_cast<int>(side));
  order.push_back(-1);
  shuffle(order, random);
  return order;
}

/// False: it ended in the middle. What it measured until then is kept, and counts.
bool one_round(const PairLoop& loop, Bout& bout, std::mt19937_64& random) {
  Contest& contest = *bout.contest;
  bool whole = true;
  const auto start = Clock::now();
  int round = 1;
  for (const Row& row : contest.rows) round = std::max(round, row.round + 1);
  for (const int index : order_of_round(contest, random)) {
    const Side& side = contest.sides[static_cast<size_t>(std::max(index, 0))];
    Row row;
    row.run = loop.run;
    row.session = loop.session;
    row.program = contest.program;
    row.name = contest.name;
    row.variant = index < 0 ? "control" : side.variant;
    row.round = round;
    row.position = contest.rows.empty() ? 0 : contest.rows.back().position + 1;
    whole = side.observe(row);
    if (!whole) break;
    loop.keep(row);
    contest.rows.push_back(std::move(row));
  }
  if (whole) {
    ++bout.rounds;
    bout.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  }
  contest.settle_metric();
  bout.judge();
  return whole;
}

}  // namespace

void Contest::settle_metric() {
  if (!metric_is_open || rows.size() <= sides.size()) return;
  metric_is_open = false;
  const auto first = rows.begin();
  const auto last = first + static_cast<std::ptrdiff_t>(sides.size()) + 1;
  if (std::any_of(first, last, several_processors)) metric = Metric::wall;
}

std::vector<GateFinding> Contest::judge() const {
  std::vector<GateFinding> findings;
  for (size_t side = 1; side < sides.size(); ++side) {
    findings.push_back(judge_pairs(rows, sides[side].variant, metric, digests, rule));
    findings.back().program = program;
    findings.back().name = name;
    if (trouble.empty()) continue;
    const bool wrong = trouble.find(": wrong: ") != std::string::npos;
    findings.back().ruling = wrong ? Ruling::wrong_output : Ruling::not_measured;
    findings.back().reason = trouble;
    findings.back().decided = true;
  }
  return findings;
}

std::optional<Outlook> PairLoop::measure(std::vector<Contest>& contests) const {
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(session));
  const StatusLine line;
  std::vector<Bout> bouts;
  const auto end_if_decided = [&](Bout& bout) {
    if (!bout.decided()) return;
    line.clear();
    settle(static_cast<size_t>(bout.contest - contests.data()), bout.findings);
  };
  for (Contest& contest : contests) {
    bouts.push_back({&contest});
    bouts.back().judge();
    end_if_decided(bouts.back());
  }
  while (!budget.over() && !stop_requested()) {
    std::vector<Bout*> turn = due(bouts, budget.left_s());
    if (turn.empty()) break;
    shuffle(turn, random);
    const bool all = outlook_of(bouts).next_s <= budget.left_s();
    for (Bout* bout : turn) {
      if (all && outlook_of(bouts).next_s > budget.left_s()) break;  // slower than was thought
      line.status(bouts);
      if (budget.over()) break;
      const bool whole = one_round(*this, *bout, random);
      if (stop_requested()) break;
      end_if_decided(*bout);
      if (!whole) break;
    }
  }
  line.clear();
  return stop_requested() ? std::nullopt : std::optional(outlook_of(bouts));
}

}  // namespace cliffbench
