#pragma once

/// Where a process's stack and heap begin follows from the length of its words and of its
/// environment, and a program can be several times slower at one place than at another (Mytkowicz
/// et al., "Producing wrong data without doing anything obviously wrong!", 2009). One layout is one
/// sample, however often it is measured; so each process gets one of its own, drawn alike for all
/// variants, and the effect becomes noise that an interval shows.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cliffbench {

/// Differences from process to process that mean nothing.
struct Layout {
  std::string result = "result.json";  ///< the name of the file behind --benchmark_out
  int parentheses = 0;                 ///< pairs around the name in --benchmark_filter
  std::string environment;             ///< the value of kLayoutVariable; "" for none
};

inline constexpr const char* kLayoutVariable = "CLIFFBENCH_LAYOUT";

/// The layout that belongs to a seed; that of 0 is the shortest. Up to 128 bytes of a path, 32 of a
/// filter, and a page of environment.
[[nodiscard]] Layout draw_layout(std::uint64_t seed);

/// A seed for one process, from the run's and the process's number. Never 0.
[[nodiscard]] std::uint64_t layout_seed(std::uint64_t run, std::uint64_t process);

/// Up to 64 blocks of memory, of up to a kilobyte, that belong to the value of kLayoutVariable:
/// they move what is allocated later. None for a null pointer, or a value that is not ours.
[[nodiscard]] std::vector<std::unique_ptr<char[]>> blocks_of_layout(const char* value);

}  // namespace cliffbench
