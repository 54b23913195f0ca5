#pragma once

/// `cliffbench gate`: measures pairs of two programs until every benchmark is decided, and rules.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/counters.hpp"
#include "harness/gate/pair_rule.hpp"

namespace cliffbench {

/// A margin of the benchmarks whose names an extended POSIX expression finds.
struct OwnShare {
  std::string expression;
  double share = 0;
};

/// Where instructions are counted: where they explain or change a ruling, everywhere, nowhere.
enum class CountWhen { needed, always, never };
template <>
inline constexpr auto kWords<CountWhen> = std::to_array<Word<CountWhen>>(
    {{CountWhen::needed, "needed"}, {CountWhen::always, "always"}, {CountWhen::never, "never"}});

struct GateRequest {
  std::filesystem::path base, head;    ///< programs, or build folders of this project
  std::vector<std::string> arguments;  ///< of both, none of them --benchmark_*
  std::string filter;                  ///< for --benchmark_filter of both; "" is all
  std::string head_filter;             ///< another one for the head; "" is the same
  std::filesystem::path folder;        ///< of the gate's files; must not hold another one
  bool own_folder = false;             ///< the default, as no folder was given
  bool resume = false;
  std::uint64_t seed = 0;
  std::optional<double> budget_s;       ///< of the whole gate; nothing: until all is decided
  double limit_s = 600;                 ///< of one process
  std::int64_t memory_limit_bytes = 0;  ///< of each; 0: nine tenths of what is free at the start
  double batch_s = 0.05;                ///< of the timed region of one process
  double margin = PairRule().margin;
  double must_find = PairRule().must_find;
  std::vector<OwnShare> own_margins, own_must_find;
  std::optional<Metric> metric;         ///< nothing: by the program's kind
  std::vector<WantedCounter> counters;  ///< which decide beside it
  CountWhen count = CountWhen::needed;  ///< instructions
  bool strict = false;
  bool new_output = false;      ///< digests may differ
  bool time_unchanged = false;  ///< also what is the same on both sides
  std::string command;          ///< as it was called, for the record
};

/// Measures. Returns the exit code (ruling.hpp), or 130 when the user stopped it. Throws
/// UserError for sides that cannot be compared, CannotMeasure when nothing can be measured.
int run_gate(const GateRequest& request);

}  // namespace cliffbench
