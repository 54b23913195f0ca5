#pragma once

/// A program as a file (ELF, x86-64): its functions, its named data, and the words in it that the
/// loader fills in. Addresses are relative to where the file is loaded.

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cliffbench {

inline constexpr size_t kNone = ~size_t{0};

/// Why two files, or one process, cannot be compared.
struct NotComparable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Span {
  std::uint64_t start = 0, end = 0;
  [[nodiscard]] bool holds(std::uint64_t at) const { return start <= at && at < end; }
};

struct Section : Span {
  std::string name;
  bool is_code = false;
  bool is_data = false;    ///< read or written while the program runs, and not by the loader
  std::string_view bytes;  ///< in the file; none where all is zero (.bss)
};

struct Instruction {
  std::uint64_t at = 0;
  std::string bytes;         ///< with zeros for the distance to the place that it names
  std::uint64_t target = 0;  ///< that place; 0: none
  bool is_address = false;   ///< it only computes the address (lea)
  bool jumps = false;        ///< there
};

/// Reaches up to the next one: with what pads it, and whatever its size leaves out.
struct Function : Span {
  std::uint64_t known_end = 0;  ///< by its symbol's size
  std::set<std::string> names;
  // Filled in later (code.cpp, compare.cpp):
  std::vector<Instruction> instructions;  ///< without those that pad the end
  bool is_whole = true;    ///< all can be decoded, it reads no code as data, and does not run on
  bool has_table = false;  ///< what lies behind its known end is read as data (hand-written code)
  bool differs = false;    ///< as a whole
  std::size_t partner = kNone;  ///< number in the file that is compared with this one
  [[nodiscard]] bool lies_behind(std::uint64_t at) const {
    return known_end > start && at >= known_end;
  }
};

/// Named data.
struct Object {
  std::uint64_t end = 0;
  std::set<std::string> names;
};

inline constexpr std::uint64_t kWord = 8;

/// A word that the loader fills in: with the address of a symbol ("name@number of its version") or,
/// where there is none, with the address `addend` of this file.
struct Relocation {
  std::uint32_t type = 0;
  std::string symbol;
  std::uint64_t addend = 0;
  [[nodiscard]] bool relative() const { return type == R_X86_64_RELATIVE; }
};

/// A copy of what stands at an offset; throws NotComparable beyond the end.
template <typename T>
T read_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    throw NotComparable("an ELF file ends early");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

struct ElfFile {
  /// Throws NotComparable for what is no position-independent, dynamic program of x86-64 with a
  /// symbol table, CannotMeasure when it cannot be read.
  explicit ElfFile(const std::filesystem::path& file);
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  std::filesystem::path path;
  std::string bytes;        ///< as in the file,
  std::string image;        ///< and as in memory
  std::uint64_t entry = 0;  ///< where the program begins
  std::vector<Section> sections;
  std::vector<Function> functions;          ///< in order
  std::map<std::uint64_t, Object> objects;  ///< by their begin
  std::set<std::string> exports;            ///< what other files can use
  std::map<std::uint64_t, Relocation> words;
  std::vector<std::uint32_t> versions;  ///< hashes of those of what libraries offer, as numbered

  [[nodiscard]] const Section* section(std::string_view name) const;
  [[nodiscard]] const Section* section_at(std::uint64_t address) const;
  [[nodiscard]] const Function* function_at(std::uint64_t address) const;
  /// Its function, for people.
  [[nodiscard]] std::string name_at(std::uint64_t address) const;
  /// The word of the linker's table (.got) that the address means, or that a stub there (.plt)
  /// jumps through; 0: none.
  [[nodiscard]] std::uint64_t linked_word(std::uint64_t address) const;
};

/// Decodes the function: fills in its instructions, is_whole (code.cpp).
void read_code(const ElfFile& file, Function& function);

/// How many bytes of memory the instruction reads or writes; 0 when they lie in several places (a
/// copy, a gather), or it is unknown (code.cpp).
[[nodiscard]] unsigned bytes_accessed(std::string_view instruction);

}  // namespace cliffbench
