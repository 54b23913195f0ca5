#pragma once

/// For tests: what a program of one case declares, and what a run keeps of it.

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/core/record/measured_row_test.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/record/session.hpp"
#include "harness/suite/case/describe.hpp"

namespace cliffbench {

/// Two variants at the sizes 1 and 2.
inline Description made_case() {
  Description description;
  description.declared = {
      .name = "made",
      .subject = {"it", "1", ""},
      .axes = {{"n", "", {"1", "2"}}},
      .variants = {{"baseline", Role::baseline, ""}, {"fast", Role::patch, ""}}};
  return description;
}

/// A row of it.
inline Row made_row(const std::string& run, int session, const std::string& variant, int round,
                    double time_s, const std::string& n = "1") {
  Row row = measured_row(variant, round, time_s);
  row.run = run;
  row.session = session;
  row.program = "made@it";
  row.case_name = "made";
  row.subject = "it";
  row.params = {{"n", n}};
  row.name = fmt::format("made/n:{}/variant:{}", n, variant);
  return row;
}

inline void write_session(const std::filesystem::path& folder, const SessionRecord& session) {
  std::filesystem::create_directories(folder / "sessions");
  write_record(folder / fmt::format("sessions/{}.{}.json", session.run, session.number),
               session_json(session));
}

}  // namespace cliffbench
