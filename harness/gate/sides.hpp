#pragma once

/// The two sides of a gate: the programs and the benchmarks that both have.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/program/name_filter.hpp"

namespace cliffbench {

/// One program, before and after, under paths of equal length: the length of argv[0] moves the
/// stack, and with it the time.
struct ProgramPair {
  std::string name;
  std::filesystem::path base, head;
};

/// Makes `sides`/base and `sides`/head, links to the two folders (or, where the file names differ,
/// to the two files under one name). What only one has is noted. Throws UserError for sides that
/// cannot be compared.
[[nodiscard]] std::vector<ProgramPair> pair_programs(const std::filesystem::path& base,
                                                     const std::filesystem::path& head,
                                                     const std::filesystem::path& sides,
                                                     std::vector<std::string>& notes);

struct CommonBenchmarks {
  std::vector<std::string> names;
  bool takes_counts = false;  ///< both programs take a count of iterations
  bool of_kit = false;        ///< both are programs of our kit
};
/// The benchmarks that both have and that are wanted: those that the filter finds or, without one,
/// of a program of our kit, those of its profile `gate`, else `verify`. What is left out for
/// another reason is noted.
[[nodiscard]] CommonBenchmarks common_benchmarks(const ProgramPair& pair,
                                                 const std::vector<std::string>& arguments,
                                                 const NameFilter& filter,
                                                 std::vector<std::string>& notes);

}  // namespace cliffbench
