#include "harness/gate/trials.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "harness/core/host/layout.hpp"
#include "harness/core/host/stopping.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

void note_late_end(const Remarks& remarks, const std::string& program, bool is_head,
                   GateSession& session) {
  const std::string note = late_end_note(program, is_head ? "head" : "base", remarks.late_end);
  if (remarks.late_end.empty() || std::ranges::count(session.notes, note)) return;
  session.notes.push_back(note);
}

bool measure_trial(Row& row, const ComparedBenchmark& benchmark, const ProgramPair& pair,
                   GateSession& session, std::uint64_t seed) {
  const Timing& timing = benchmark.timing;
  const Batches& batches = timing.batches;
  const bool is_head = row.variant == "head";
  TrialLimits limits = session.limits();
  limits.timed_s =
      std::min(limits.timed_s, process_limit_s(timing.shared_start_s() + timing.process_s()));
  limits.layout = layout_seed(seed, static_cast<std::uint64_t>(row.position));
  row.name = is_head ? benchmark.id.head_name : benchmark.id.base_name;
  Remarks remarks;
  const bool measured = !stop_requested() &&
                        run_trial(is_head ? pair.head : pair.base, limits, row, batches, &remarks);
  row.name = benchmark.id.name;
  if (!measured) return false;
  note_late_end(remarks, pair.name, is_head, session);
  if (row.status == Status::timeout) row.iterations = batches.iterations * batches.count;
  session.place.keep(row);
  return true;
}

/// One process of several benchmarks; the rows of those that gave a result are kept, in the folder
/// and in `rows`.
bool measure_suite(std::vector<Row>& rows, std::span<ComparedBenchmark*> suite,
                   const ProgramPair& pair, GateSession& session, std::uint64_t seed) {
  const bool is_head = rows.front().variant == "head";
  TrialLimits limits = session.limits();
  limits.layout = layout_seed(seed, static_cast<std::uint64_t>(rows.front().position));
  double expected_s = suite.front()->timing.shared_start_s();
  std::vector<std::string> names;
  for (const ComparedBenchmark* benchmark : suite) {
    names.push_back(is_head ? benchmark->id.head_name : benchmark->id.base_name);
    expected_s += benchmark->timing.process_s();
  }
  limits.timed_s = std::min(limits.timed_s, process_limit_s(expected_s));
  Batches batches = suite.front()->timing.batches;
  batches.shuffled = session.shuffles;
  std::map<std::string, Row> found;
  std::map<std::string, Remarks> remarks;
  const fs::path& program = is_head ? pair.head : pair.base;
  bool measured = !stop_requested() && run_trials(program, limits, names, batches, found, &remarks);
  if (measured && found.empty() && session.shuffles) {  // a library that cannot may be at fault
    session.shuffles = batches.shuffled = false;
    measured = run_trials(program, limits, names, batches, found, &remarks);
  }
  if (!measured) return false;
  for (const auto& [name, remark] : remarks) note_late_end(remark, pair.name, is_head, session);
  std::vector<Row> kept;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = found.find(names[i]);
    if (row == found.end()) continue;
    kept.push_back(with_result(rows[i], row->second));
    session.place.keep(kept.back());
  }
  rows = std::move(kept);
  return true;
}

}  // namespace

bool measure_once(std::vector<ComparedBenchmark*>& suite, const ProgramPair& pair,
                  GateSession& session, std::mt19937_64& random, std::uint64_t seed) {
  Round round(suite, random);
  bool whole = true;
  for (const std::string& variant : round.variants()) {
    std::vector<Row> rows = round.slots(variant);
    whole = suite.size() == 1 ? measure_trial(rows.front(), *suite.front(), pair, session, seed)
                              : measure_suite(rows, suite, pair, session, seed);
    if (!whole) break;
    round.keep(std::move(rows));
  }
  round.end(whole);
  return whole;
}

}  // namespace cliffbench
