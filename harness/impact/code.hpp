#pragma once

/// Machine code as instructions, their distances to other places taken out.

#include <string_view>

#include "harness/impact/elf_file.hpp"

namespace cliffbench {

/// Fills in the function's instructions, skeleton, is_whole.
void read_code(const ElfFile& file, Function& function);

/// The address of the word through which a stub of the linkage table (.plt) jumps; 0 when it is
/// none.
[[nodiscard]] std::uint64_t word_of_stub(const ElfFile& file, std::uint64_t address);

/// How many bytes of memory the instruction reads or writes; 0 when they lie in several places (a
/// copy, a gather), or it is unknown.
[[nodiscard]] unsigned bytes_accessed(std::string_view instruction);

}  // namespace cliffbench
