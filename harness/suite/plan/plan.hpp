#pragma once

/// Chooses the trials of a run and their order. Pure.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/program/identity.hpp"
#include "harness/core/record/session.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/case/describe.hpp"

namespace cliffbench {

/// One variant at one point of the axes, in one program.
struct Cell {
  std::string program;  ///< "<case>@<subject>"
  std::string case_name;
  std::string subject;
  std::string name;  ///< the benchmark's name in that program
  std::string variant;
  Params params;
  int rounds = 0;
  double limit_s = 0;
  bool every_round = false;  ///< measured even after a trial was stopped: a claim needs it
  size_t block = 0;          ///< cells of one block are measured on one machine
  friend bool operator==(const Cell&, const Cell&) = default;
};

struct Slot {
  size_t cell = 0;
  int round = 0;  ///< from 1
  int position = 0;
};

/// All trials of a run, and which of them are measured here.
struct Plan {
  std::string run;
  std::uint64_t seed = 0;
  std::string profile;
  std::vector<Cell> cells;
  std::map<std::string, Identity> programs;
  Shard shard;
  friend bool operator==(const Plan&, const Plan&) = default;
};

[[nodiscard]] std::int64_t trials_of(std::span<const Cell> cells);

/// The cells that the command line asks for. Empty: all.
struct CellFilter {
  std::string profile;
  std::map<std::string, std::vector<std::string>> axes;
  std::vector<std::string> variants;
  std::optional<int> rounds;
  std::optional<double> limit_s;
};

/// The cells of one program that a filter chooses: from the profile, or without one from all cells,
/// those that agree with the flags. A cell that several selections name is taken once, with the
/// most rounds. May be empty.
[[nodiscard]] std::vector<Cell> choose_cells(const std::string& program,
                                             const Description& description,
                                             const CellFilter& filter);

/// Throws UserError when no program knows a profile, an axis, a value or a variant of the filter.
void check_filter(const std::map<std::string, Description>& programs, const CellFilter& filter);

/// Every round runs each cell once, until the cell's rounds are used up: the points of the axes in
/// a seeded shuffle, and the variants of one point back to back in a seeded shuffle of their own.
/// The same seed gives the same order on every platform.
[[nodiscard]] std::vector<Slot> schedule(std::span<const Cell> cells, std::uint64_t seed);

/// The slots of a plan's shard, in their order.
[[nodiscard]] std::vector<Slot> slots_of(const Plan& plan);

/// Whether `a` is `b` at a larger size: some values differ, each of these is larger, and words
/// without a size are equal.
[[nodiscard]] bool is_larger(const Case& declared, const Cell& a, const Cell& b);

[[nodiscard]] std::string point_text(const Params& params);  ///< "buffers:1 size:3072x2048"

[[nodiscard]] nlohmann::json plan_json(const Plan& plan);
/// Throws nlohmann::json::exception on a wrong shape, std::runtime_error with one sentence on
/// another schema, on values that cannot be a plan, and on an unknown field.
[[nodiscard]] Plan parse_plan(const nlohmann::json& json);

}  // namespace cliffbench
