#pragma once

/// `cliffbench gate` and `cliffbench compare`: measure pairs until every benchmark is decided.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/pair_rule.hpp"

namespace cliffbench {

/// What both verbs take.
struct GateOptions {
  std::filesystem::path folder;  ///< of the gate's files; must not hold another one
  bool own_folder = false;       ///< nobody chose it
  bool resume = false;
  std::uint64_t seed = 0;
  std::optional<double> budget_s;       ///< of the whole gate; nothing: until all is decided
  double limit_s = 600;                 ///< of one process
  std::int64_t memory_limit_bytes = 0;  ///< of each; 0: nine tenths of what is free at the start
  double margin = PairRule().margin;
  double must_find = PairRule().must_find;
  std::string metric;  ///< "cpu", "wall", "instructions", or "" for the program's kind
  bool strict = false;
  bool trust_times = false;  ///< even where the machine is found unfit
  std::string command;       ///< as it was called, for the record
};

struct GateRequest : GateOptions {
  std::filesystem::path base, head;     ///< programs, or build folders of this project
  std::vector<std::string> arguments;   ///< of both, none of them --benchmark_*
  std::string filter;                   ///< regular expression on names; "" is all
  double batch_s = 0.05;                ///< of the timed region of one process
  std::string instructions = "needed";  ///< or "always", "never"
  bool new_output = false;              ///< digests may differ
};

struct CompareRequest : GateOptions {
  std::vector<std::string> commands;  ///< the first is the base
  std::string setup;                  ///< run before each measured command, not measured
  bool ignore_failure = false;
};

/// Both return the exit code (gate.hpp), or 130 when the user stopped it. They throw UserError for
/// sides that cannot be compared, CannotMeasure when nothing can be measured.
int run_gate(const GateRequest& request);
int run_compare(const CompareRequest& request);

}  // namespace cliffbench
