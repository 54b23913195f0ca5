#pragma once

/// What differs between two builds of one file, as far as a process can notice it.
/// An instruction is the same when its bytes are and the places that it names are partners
/// (pairing.hpp). So two processes that execute only the same instructions, and use no byte that
/// differs or has no partner, do the same.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/impact/elf_file.hpp"

namespace cliffbench {

/// Of one of the two files.
struct Changes {
  std::vector<Span> code;  ///< instructions and functions that the other does not have
  std::vector<Span> data;  ///< bytes that the other does not have, or has otherwise; in order
  /// Functions that both have: a number that is the same on both sides, by address.
  std::vector<std::pair<std::uint64_t, size_t>> entries;
};

struct Comparison {
  /// Why every benchmark is touched, whatever it executes; "" when that is not so.
  std::string everything;
  Changes base, head;
  std::set<std::string> bindings;  ///< names that only one of them offers to other files
  std::set<std::string> exports;   ///< data for other files that are not the same
};

[[nodiscard]] Comparison compare_files(ElfFile& base, ElfFile& head);

}  // namespace cliffbench
