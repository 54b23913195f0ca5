#pragma once

/// Instructions that a benchmark executes: the second signal of the gate, identical on repetition.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/program/program.hpp"

namespace cliffbench {

/// How instructions can be counted on this machine.
struct InstructionCounter {
  enum class Tool { none, perf, cachegrind };
  Tool tool = Tool::none;
  std::string why_not;  ///< of `none`
};
/// The processor's own counter through `perf` where the machine allows it, else valgrind where it
/// is installed: its cachegrind without a cache counts what callgrind counts, in less of the time.
[[nodiscard]] InstructionCounter find_instruction_counter();

/// One program and the benchmark whose instructions are counted.
struct CountRequest {
  std::filesystem::path program;
  std::vector<std::string> arguments;  ///< of the program
  std::string name;
  Batches batches;
  std::filesystem::path scratch;
  Budget budget;
};

/// Instructions of one iteration, counted twice: the difference in instructions of two runs over
/// their difference in iterations, so that start-up drops out. A program that takes counts runs N
/// and 2N iterations: exact but for what the program itself varies. One that takes none (libraries
/// before 1.8) runs for a short and a long minimum time, with all iterations of all batches, as the
/// library logs them (--v=2); the cost of a batch beside its iterations stays in, so the count may
/// be off by up to kCountsAgree. Throws CannotMeasure with the reason (a counter that cannot run
/// the program, a program that ran another count, counts that differ).
[[nodiscard]] double count_instructions(const InstructionCounter& counter,
                                        const CountRequest& request);

/// The minimum times of the two runs of a program that takes no counts. The counter slows the
/// program down to `each_s` an iteration; the longer run must have so many more iterations that a
/// batch's own cost does not matter.
inline constexpr double kShortMinTime_s = 0.05;
[[nodiscard]] double long_min_time_s(double each_s);

/// How far two counts of one program may differ.
inline constexpr double kCountsAgree = 0.02;
/// Their mean, where they agree: the control of counting. Throws CannotMeasure when they differ by
/// more, or when one is not above 0.
[[nodiscard]] double agreed_count(double count, double again);

/// All iterations in the library's log, a batch "Running NAME for N" each. Throws CannotMeasure
/// when there is none.
[[nodiscard]] std::int64_t logged_iterations(const std::string& log);

/// The count in valgrind's log ("I refs: 12,345"), or in perf's CSV ("12345,,instructions:u").
/// Throws CannotMeasure when there is none.
[[nodiscard]] double parse_valgrind_log(const std::string& text);
[[nodiscard]] double parse_perf_csv(const std::string& text);

}  // namespace cliffbench
