#include "harness/gate/pairs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "harness/host/process.hpp"
#include "harness/host/text.hpp"
#include "harness/print/colour.hpp"
#include "harness/print/rulings.hpp"

namespace cliffbench {
namespace {

using Clock = std::chrono::steady_clock;

/// The same on every platform, as in plan.cpp.
template <typename T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

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
  [[nodiscard]] double round_s() const { return rounds ? seconds / rounds : contest->round_s; }
};

/// What a person sees: a line for each decision, and on a terminal how far it is.
class Display {
 public:
  void decided(const Bout& bout) {
    clear();
    for (const GateFinding& finding : bout.findings) {
      fmt::print("{}\n", coloured(finding_line(finding)));
    }
    std::fflush(stdout);
  }

  void status(const std::vector<Bout>& bouts) {
    if (!terminal_) return;
    size_t open = 0;
    double soon_s = 0;
    double most_s = 0;
    for (const Bout& bout : bouts) {
      if (bout.decided()) continue;
      ++open;
      const int pairs = bout.pairs();
      const auto look = std::upper_bound(kLookPairs.begin(), kLookPairs.end(), pairs);
      if (look != kLookPairs.end()) soon_s += (*look - pairs) * bout.round_s();
      most_s += (kMostPairs - pairs) * bout.round_s();
    }
    clear();
    fmt::print("{} of {} decided; the next looks in about {}, all in at most {}",
               bouts.size() - open, bouts.size(), clock_time(soon_s), clock_time(most_s));
    std::fflush(stdout);
  }

  void clear() const {
    if (terminal_) fmt::print("\r\x1b[K");
  }

 private:
  bool terminal_ = isatty(STDOUT_FILENO) == 1;
};

/// Who runs in this round, in its order; -1 is the base once more.
std::vector<int> order_of_round(const Contest& contest, int round, std::mt19937_64& random) {
  std::vector<int> order;
  for (size_t side = 0; side < contest.sides.size(); ++side)
    order.push_back(static_cast<int>(side));
  if (round <= kControlPairs) order.push_back(-1);
  shuffle(order, random);
  return order;
}

bool one_round(const PairLoop& loop, Bout& bout, std::mt19937_64& random) {
  Contest& contest = *bout.contest;
  const auto start = Clock::now();
  int round = 1;
  for (const Row& row : contest.rows) round = std::max(round, row.round + 1);
  for (const int index : order_of_round(contest, round, random)) {
    const Side& side = contest.sides[static_cast<size_t>(std::max(index, 0))];
    Row row;
    row.run = loop.run;
    row.session = loop.session;
    row.program = contest.program;
    row.name = contest.name;
    row.variant = index < 0 ? "control" : side.variant;
    row.round = round;
    row.position = contest.rows.empty() ? 0 : contest.rows.back().position + 1;
    if (!side.observe(row)) return false;
    loop.keep(row);
    contest.rows.push_back(std::move(row));
  }
  ++bout.rounds;
  bout.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  bout.judge();
  return true;
}

}  // namespace

std::vector<GateFinding> Contest::judge() const {
  std::vector<GateFinding> findings;
  for (size_t side = 1; side < sides.size(); ++side) {
    findings.push_back(judge_pairs(rows, sides[side].variant, metric, digests));
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

bool PairLoop::measure(std::vector<Contest>& contests) const {
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(session));
  std::vector<Bout> bouts;
  for (Contest& contest : contests) {
    bouts.push_back({&contest});
    bouts.back().judge();
  }
  Display display;
  for (const Bout& bout : bouts) {
    if (bout.decided()) display.decided(bout);
  }
  for (;;) {
    std::vector<Bout*> open;
    for (Bout& bout : bouts) {
      if (!bout.decided()) open.push_back(&bout);
    }
    if (open.empty()) break;
    shuffle(open, random);
    for (Bout* bout : open) {
      if (budget.over()) break;
      display.status(bouts);
      if (!one_round(*this, *bout, random)) break;
      if (bout->decided()) display.decided(*bout);
    }
    if (budget.over() || stop_requested()) break;
  }
  display.clear();
  return !stop_requested();
}

}  // namespace cliffbench
