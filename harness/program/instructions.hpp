#pragma once

/// Instructions that a benchmark executes: the second signal of the gate, identical on repetition.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/program/budget.hpp"
#include "harness/program/program.hpp"

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

/// What one program executes for the benchmark `name`.
struct CountRequest {
  std::filesystem::path program;
  std::string name;
  std::int64_t iterations = 1;
  std::filesystem::path scratch;
  Budget budget;
};

/// Instructions of one iteration, Ir(2N) - Ir(N) over N, so that start-up drops out; N as
/// requested; counted twice. The program must take counts. Throws CannotMeasure with the reason (a
/// counter that cannot run the program, a program that ran another count, counts that differ).
[[nodiscard]] double count_instructions(const InstructionCounter& counter,
                                        const CountRequest& request);

/// Their mean, where two counts of one program agree within the margin: the control of counting.
/// Throws CannotMeasure when they differ by more, or when one is none.
[[nodiscard]] double agreed_count(double count, double again);

/// The count in valgrind's log ("I refs: 12,345"), or in perf's CSV ("12345,,instructions:u").
/// Throws CannotMeasure when there is none.
[[nodiscard]] double parse_valgrind_log(const std::string& text);
[[nodiscard]] double parse_perf_csv(const std::string& text);

}  // namespace cliffbench
