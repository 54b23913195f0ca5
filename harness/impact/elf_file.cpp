#include "harness/impact/elf_file.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "harness/host/file.hpp"

namespace cliffbench {
namespace {

std::string string_at(std::string_view bytes, std::uint64_t offset) {
  (void)read_at<char>(bytes, offset);
  return std::string(bytes.substr(offset, bytes.find('\0', offset) - offset));
}

template <typename... Words>
bool starts_with_any(std::string_view name, Words... words) {
  return (name.starts_with(words) || ...);
}

/// Not what only the loader reads, nor the linker's table (.got), whose words instructions name.
bool is_data_section(const Elf64_Shdr& section, std::string_view name) {
  return section.sh_flags & SHF_ALLOC && !(section.sh_flags & (SHF_EXECINSTR | SHF_TLS)) &&
         (section.sh_type == SHT_PROGBITS || section.sh_type == SHT_NOBITS ||
          section.sh_type == SHT_INIT_ARRAY || section.sh_type == SHT_FINI_ARRAY) &&
         !starts_with_any(name, ".got", ".interp");
}

/// The parts of a file in the order in which each needs those before.
class Reader {
 public:
  explicit Reader(ElfFile& file) : file_(file) {}

  void read() {
    header_ = read_at<Elf64_Ehdr>(file_.bytes, 0);
    if (!file_.bytes.starts_with(ELFMAG) || header_.e_ident[EI_CLASS] != ELFCLASS64 ||
        header_.e_machine != EM_X86_64 || header_.e_type != ET_DYN)
      throw NotComparable("it is no position-independent program of x86-64 (link with -pie)");
    file_.entry = header_.e_entry;
    read_sections();
    if (!file_.section(".interp") || !file_.section(".symtab") || file_.section(".relr.dyn"))
      throw NotComparable("it is linked statically, stripped, or packs its relocations");
    read_versions();
    read_symbols(".dynsym", ".dynstr");
    for (const Section& section : file_.sections) {
      if (section.name.starts_with(".rela.")) read_relocations(section);
    }
    read_symbols(".symtab", ".strtab");
    order_functions();
  }

 private:
  void read_sections() {
    const auto header = [&](unsigned index) {
      return read_at<Elf64_Shdr>(file_.bytes, header_.e_shoff + index * sizeof(Elf64_Shdr));
    };
    const Elf64_Shdr names = header(header_.e_shstrndx);
    for (unsigned i = 0; i < header_.e_shnum; ++i) {
      const Elf64_Shdr one = header(i);
      const bool stored = one.sh_type != SHT_NOBITS && one.sh_type != SHT_NULL;
      const bool loaded = one.sh_flags & SHF_ALLOC && (stored || !(one.sh_flags & SHF_TLS));
      Section section;
      section.name = string_at(file_.bytes, names.sh_offset + one.sh_name);
      section.is_code = one.sh_flags & SHF_EXECINSTR;
      const bool unwinds = starts_with_any(section.name, ".eh_frame", ".gcc_except_table");
      section.is_data = !unwinds && is_data_section(one, section.name);
      if (stored) section.bytes = std::string_view(file_.bytes).substr(one.sh_offset, one.sh_size);
      if (loaded) {
        section.start = one.sh_addr;
        section.end = one.sh_addr + one.sh_size;
        constexpr std::uint64_t kMost = std::uint64_t{1} << 30;  // .bss may be any size
        if (section.end > kMost) throw NotComparable("it is larger than 1 GB");
        file_.image.resize(std::max(file_.image.size(), section.end));
        section.bytes.copy(&file_.image[section.start], section.bytes.size());
      }
      file_.sections.push_back(section);
    }
  }

  /// Entries of both kinds have 16 bytes, and begin with a count or a hash; the linker counts them.
  void read_versions() {
    const Section* table = file_.section(".gnu.version_r");
    for (std::uint64_t at = 0; table && at < table->bytes.size(); at += sizeof(Elf64_Vernaux))
      file_.versions.push_back(read_at<std::uint32_t>(table->bytes, at));
  }

  void read_symbols(const char* table, const char* strings) {
    const Section *entries = file_.section(table), *names = file_.section(strings);
    if (!entries || !names) return;
    const bool dynamic = entries->name == ".dynsym";
    const Section* versions = dynamic ? file_.section(".gnu.version") : nullptr;
    for (std::uint64_t i = 0; i < entries->bytes.size() / sizeof(Elf64_Sym); ++i) {
      const auto symbol = read_at<Elf64_Sym>(entries->bytes, i * sizeof(Elf64_Sym));
      std::string name = string_at(names->bytes, symbol.st_name);
      const unsigned version = versions ? read_at<std::uint16_t>(versions->bytes, 2 * i) : 0;
      if (dynamic) symbols_.push_back(fmt::format("{}@{}", name, version));
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      if (type == STT_GNU_IFUNC) throw NotComparable("it chooses functions at its start (ifunc)");
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE || name.empty())
        continue;
      if (dynamic && type != STT_TLS) file_.exports.insert(name);
      name = name.substr(0, name.find('@'));
      const std::uint64_t start = symbol.st_value, end = start + symbol.st_size;
      const Section* home = file_.section_at(start);
      if (type == STT_FUNC && is_own_code(start)) {
        functions_[start].known_end = std::max(functions_[start].known_end, end);
        functions_[start].names.insert(name);
      } else if (type == STT_OBJECT && home && home->is_data && end > start) {
        file_.objects[start].end = std::max(file_.objects[start].end, end);
        file_.objects[start].names.insert(name);
      }
    }
  }

  void read_relocations(const Section& table) {
    for (std::uint64_t at = 0; at < table.bytes.size(); at += sizeof(Elf64_Rela)) {
      const auto entry = read_at<Elf64_Rela>(table.bytes, at);
      const Relocation word{static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info)),
                            symbols_.at(ELF64_R_SYM(entry.r_info)),
                            static_cast<std::uint64_t>(entry.r_addend)};
      if (is_own_code(entry.r_offset)) throw NotComparable("its code is relocated");
      file_.words[entry.r_offset] = word;
    }
  }

  [[nodiscard]] bool is_own_code(std::uint64_t address) const {
    const Section* home = file_.section_at(address);
    return home && home->is_code && !home->name.starts_with(".plt");
  }

  /// All code belongs to a function: what comes before the first of a section is one without name.
  void order_functions() {
    for (const Section& section : file_.sections) {
      if (is_own_code(section.start)) functions_[section.start];
    }
    for (auto& [start, function] : functions_) {
      if (!file_.functions.empty())
        file_.functions.back().end = std::min(start, file_.functions.back().end);
      function.start = start;
      function.end = file_.section_at(start)->end;
      file_.functions.push_back(std::move(function));
    }
  }

  ElfFile& file_;
  Elf64_Ehdr header_{};
  std::map<std::uint64_t, Function> functions_;  ///< by start
  std::vector<std::string> symbols_;             ///< the dynamic ones
};

}  // namespace

ElfFile::ElfFile(const std::filesystem::path& file)
    : path(file), bytes(read_file(file, Links::followed)) {
  Reader(*this).read();
}

const Section* ElfFile::section(std::string_view name) const {
  const auto found = std::ranges::find(sections, name, &Section::name);
  return found == sections.end() ? nullptr : &*found;
}

const Section* ElfFile::section_at(std::uint64_t address) const {
  const auto holds = [&](const Section& section) { return section.holds(address); };
  const auto found = std::ranges::find_if(sections, holds);
  return found == sections.end() ? nullptr : &*found;
}

const Function* ElfFile::function_at(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(functions, address, {}, &Function::start);
  const bool found = after != functions.begin() && std::prev(after)->holds(address);
  return found ? &*std::prev(after) : nullptr;
}

std::string ElfFile::name_at(std::uint64_t address) const {
  const Function* function = function_at(address);
  if (!function || function->names.empty()) return "code without a name";
  const std::string& name = *function->names.begin();
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr), &std::free);
  return plain ? plain.get() : name;
}

std::uint64_t ElfFile::linked_word(std::uint64_t address) const {
  const Section* home = section_at(address);
  if (home && home->name.starts_with(".got")) return address;
  if (!home || !home->name.starts_with(".plt")) return 0;
  constexpr std::uint64_t kStub = 16;
  Function stub{{address, std::min(address + kStub, home->end)}};
  read_code(*this, stub);
  const auto jump = std::ranges::find_if(stub.instructions, [&](const Instruction& one) {
    const Section* table = section_at(one.target);
    return table && table->name.starts_with(".got");
  });
  return jump == stub.instructions.end() ? 0 : jump->target;
}

}  // namespace cliffbench
