#pragma once

/// The differences between two builds of a program, as far as a process can notice them. An
/// instruction is the same when its bytes are and the places that it names are partners. So two
/// processes that execute only the same instructions, and use no byte that differs or has no
/// partner, do the same.

#include <string>
#include <utility>
#include <vector>

#include "harness/impact/elf_file.hpp"

namespace cliffbench {

/// Data that can be compared: a named object, or what begins where an instruction or a word names
/// it (chunks.cpp).
struct Chunk : Span {
  std::string key;              ///< the same in chunks that are the same but for addresses in them
  bool is_table = false;        ///< of a switch: distances from its begin to places in the code
  std::size_t partner = kNone;  ///< number in the file that is compared with this one
};

/// In order. Zeros that only align what follows are in none. Reads the code of all functions.
[[nodiscard]] std::vector<Chunk> read_chunks(ElfFile& file);

/// The place that a word of 4 bytes in a switch's table means.
[[nodiscard]] std::uint64_t place_in_table(const ElfFile& file, std::uint64_t table,
                                           std::uint64_t entry);

/// Whether the loader fills in some of it.
[[nodiscard]] bool holds_word(const ElfFile& file, const Span& span);

/// A compiler numbers what has one name, and so the number says nothing.
[[nodiscard]] std::string without_number(const std::string& name);

inline constexpr std::uint64_t kEntry = 4;  ///< bytes of a switch's table

/// So many zeros between data only align it.
inline constexpr std::uint64_t kFiller = 64;

/// The differences of one file from the other.
struct Changes {
  std::vector<Span> code;  ///< instructions and functions that the other does not have
  std::vector<Span> data;  ///< bytes that the other does not have, or has otherwise
  /// Functions that both have: a number that is the same on both sides, by address.
  std::vector<std::pair<std::uint64_t, size_t>> entries;
};

struct BothChanges {
  Changes base, head;
};

/// Throws NotComparable where every process is touched, whatever it executes.
[[nodiscard]] BothChanges compare_builds(ElfFile& base, ElfFile& head);

}  // namespace cliffbench
