#pragma once

/// For tests: a declaration with two claims, rows of it, and what the judge finds.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record/measured_row_test.hpp"
#include "harness/suite/judge/claim.hpp"

namespace cliffbench {

inline Case declared_claims() {
  Case made{.name = "made",
            .axes = {{"size", "", {"1", "2", "4", "8"}}},
            .variants = {{"baseline", Role::baseline, ""},
                         {"control", Role::control, ""},
                         {"patched", Role::patch, ""}}};
  made.claims = {{.id = "twice", .text = "twice as fast", .variant = "patched", .range = {2}},
                 {.id = "same",
                  .text = "the same",
                  .variant = "control",
                  .range = {0.9, 1.1},
                  .control = true}};
  return made;
}

inline Row claim_row(const std::string& variant, int round, double wall_s,
                     const std::string& size = "1") {
  Row row = measured_row(variant, round, wall_s);
  row.cpu_s = 3 * wall_s;  // no claim is about it
  row.run = "run";
  row.params = {{"size", size}};
  row.rss_bytes = 1000;
  row.digest = "d";
  return row;
}

/// Six rounds; the baseline drifts, its neighbours with it.
inline std::vector<Row> claim_rounds(double patched, double control) {
  std::vector<Row> rows;
  for (int round = 1; round <= 6; ++round) {
    const double drift = 1 + round;
    rows.push_back(claim_row("baseline", round, drift));
    rows.push_back(claim_row("control", round, drift * control));
    rows.push_back(claim_row("patched", round, drift * patched * (1 + 0.01 * round)));
  }
  return rows;
}

/// The trial was stopped at its limit.
inline void mark_stopped(Row& row) {
  row.status = Status::timeout;
  row.wall_s.reset();
}

inline const Finding& finding_of(const Judgement& judgement, std::string_view id) {
  for (const Finding& found : judgement.findings) {
    if (found.claim.id == id) return found;
  }
  throw std::runtime_error("no finding " + std::string(id));
}

}  // namespace cliffbench
