#pragma once

/// A program or a library as a file (ELF, x86-64): its functions, its named data, and the words in
/// it that the loader fills in. Addresses are relative to where the file is loaded.

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cliffbench {

/// Why two files, or one process, cannot be compared: a sentence.
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
};

/// Reaches up to the next one: with what pads it, and whatever its size leaves out.
struct Function : Span {
  std::uint64_t known_end = 0;     ///< by its symbol's size or its unwind table
  std::vector<std::string> names;  ///< in order; none in a stripped file
  // What follows is filled in later (code.hpp, pairing.hpp).
  std::vector<Instruction> instructions;  ///< without those that pad the end
  std::string skeleton;         ///< their bytes: the same in functions that differ in places alone
  bool is_whole = true;         ///< all of it could be decoded, and it reads no code as data
  Function* partner = nullptr;  ///< in the file that is compared with this one
};

inline constexpr std::uint64_t kWord = 8;

/// A word that the loader fills in: with the address of a symbol (which has its version behind an
/// @) or, where there is none, with the address `addend` of this file.
struct Relocation {
  std::uint32_t type = 0;
  std::string symbol;
  std::int64_t addend = 0;
  [[nodiscard]] bool relative() const;
  [[nodiscard]] bool copies() const;  ///< data of another file
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
  /// Throws NotComparable for what is no position-independent ELF file of x86-64 whose functions
  /// are known, CannotMeasure when it cannot be read.
  explicit ElfFile(const std::filesystem::path& file);
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  std::filesystem::path path;
  std::string bytes;  ///< as in the file,
  std::string image;  ///< and as in memory
  std::vector<Section> sections;
  std::vector<Function> functions;               ///< in order
  std::map<std::string, Span> objects;           ///< named data; local ones as "source:name:count"
  std::map<std::string, std::uint64_t> exports;  ///< what other files can use
  std::map<std::uint64_t, Relocation> words;

  [[nodiscard]] const Section* section(std::string_view name) const;
  [[nodiscard]] const Section* section_at(std::uint64_t address) const;
  [[nodiscard]] const Function* function_at(std::uint64_t address) const;
  /// Its function, for people.
  [[nodiscard]] std::string name_at(std::uint64_t address) const;
  [[nodiscard]] bool is_data(std::uint64_t address) const;
  /// The word of the linker's table (.got) that the address means, or that a stub there (.plt)
  /// jumps through; 0: none.
  [[nodiscard]] std::uint64_t linked_word(std::uint64_t address) const;
  /// What the loader writes there, if it is an address of this file.
  [[nodiscard]] std::optional<std::uint64_t> own_target(const Relocation& word) const;
};

}  // namespace cliffbench
