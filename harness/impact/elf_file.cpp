#include "harness/impact/elf_file.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "harness/host/file.hpp"
#include "harness/impact/code.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

std::string string_at(std::string_view bytes, std::uint64_t offset) {
  (void)read_at<char>(bytes, offset);
  const std::string_view rest = bytes.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

/// Not what only the loader and the unwinder read, and not the linker's table (.got), each word of
/// which an instruction names.
bool is_data_section(const Elf64_Shdr& section, std::string_view name) {
  const auto starts = [&](auto... words) { return (name.starts_with(words) || ...); };
  return section.sh_flags & SHF_ALLOC && !(section.sh_flags & (SHF_EXECINSTR | SHF_TLS)) &&
         (section.sh_type == SHT_PROGBITS || section.sh_type == SHT_NOBITS) &&
         !starts(".got", ".interp", ".eh_frame", ".gcc_except_table");
}

/// The parts of a file in the order in which each needs those before.
class Reader {
 public:
  explicit Reader(ElfFile& file) : file_(file) {}

  void read() {
    const auto fail = [&](const std::string& what) {
      return NotComparable(file_.path.filename().string() + " " + what);
    };
    if (!file_.bytes.starts_with(ELFMAG)) throw fail("is no ELF file");
    header_ = read_at<Elf64_Ehdr>(file_.bytes, 0);
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_machine != EM_X86_64)
      throw fail("is not for x86-64");
    if (header_.e_type != ET_DYN) throw fail("is not position-independent (link with -pie)");
    read_sections();
    if (!file_.section(".dynamic")) throw fail("is linked statically");
    read_versions();
    read_symbols(".dynsym", ".dynstr");
    for (const Section& section : file_.sections) {
      if (section.name.starts_with(".rela.")) read_relocations(section);
    }
    read_symbols(".symtab", ".strtab");
    read_unwind_tables();
    if (functions_.empty()) throw fail("is stripped and has no unwind tables");
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
      section.is_data = is_data_section(one, section.name);
      if (stored &&
          (one.sh_offset > file_.bytes.size() || one.sh_size > file_.bytes.size() - one.sh_offset))
        throw NotComparable("an ELF file ends early");
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

  /// Of the entries that it needs, by number.
  void read_versions() {
    const Section *table = file_.section(".gnu.version_r"), *names = file_.section(".dynstr");
    for (std::uint64_t at = 0; table && names;) {
      const auto library = read_at<Elf64_Verneed>(table->bytes, at);
      std::uint64_t next = at + library.vn_aux;
      for (unsigned i = 0; i < library.vn_cnt; ++i) {
        const auto version = read_at<Elf64_Vernaux>(table->bytes, next);
        versions_[version.vna_other] = "@" + string_at(names->bytes, version.vna_name);
        next += version.vna_next;
      }
      if (library.vn_next == 0) return;
      at += library.vn_next;
    }
  }

  void read_symbols(const char* table, const char* strings) {
    const Section *entries = file_.section(table), *names = file_.section(strings);
    if (!entries || !names) return;
    const bool dynamic = entries->name == ".dynsym";
    const Section* versions = dynamic ? file_.section(".gnu.version") : nullptr;
    std::string source;  // of the local entries that follow
    std::map<std::string, int> seen;
    for (std::uint64_t i = 0; i < entries->bytes.size() / sizeof(Elf64_Sym); ++i) {
      const auto symbol = read_at<Elf64_Sym>(entries->bytes, i * sizeof(Elf64_Sym));
      std::string name = string_at(names->bytes, symbol.st_name);
      const unsigned version = versions ? read_at<std::uint16_t>(versions->bytes, 2 * i) : 0;
      if (dynamic) symbols_.push_back(name + versions_[version & 0x7fff]);
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      if (type == STT_FILE) source = name;
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE || name.empty())
        continue;
      if (dynamic && type != STT_TLS) file_.exports.emplace(name, symbol.st_value);
      name = name.substr(0, name.find('@'));
      if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL)
        name = fmt::format("{}:{}:{}", source, name, seen[source + ":" + name]++);
      const Span span{symbol.st_value, symbol.st_value + symbol.st_size};
      if ((type == STT_FUNC || type == STT_GNU_IFUNC) && is_own_code(span.start)) {
        Function& function = functions_[span.start];
        function.known_end = std::max(function.known_end, span.end);
        if (!contains(function.names, name)) function.names.push_back(name);
      } else if (type == STT_OBJECT && file_.is_data(span.start) && symbol.st_size > 0) {
        file_.objects.emplace(name, span);
      }
    }
  }

  void read_relocations(const Section& table) {
    for (std::uint64_t at = 0; at < table.bytes.size(); at += sizeof(Elf64_Rela)) {
      const auto entry = read_at<Elf64_Rela>(table.bytes, at);
      const auto symbol = ELF64_R_SYM(entry.r_info);
      if (symbol >= std::max<size_t>(symbols_.size(), 1))
        throw NotComparable("a relocation without symbol");
      const Relocation word{static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info)),
                            symbol > 0 ? symbols_[symbol] : "", entry.r_addend};
      const auto target = static_cast<std::uint64_t>(word.addend);
      if (word.relative() && is_own_code(target)) functions_[target];
      file_.words[entry.r_offset] = word;
    }
  }

  /// .eh_frame names the range of each function, also where entries were stripped (Linux Standard
  /// Base, "Exception Frames"), as a rule by a distance from here.
  void read_unwind_tables() {
    const Section* table = file_.section(".eh_frame");
    const std::string_view bytes = table ? table->bytes : std::string_view();
    for (std::uint64_t at = 0; at + 8 <= bytes.size();) {
      const auto length = read_at<std::uint32_t>(bytes, at);
      if (length == 0 || length == 0xffffffff) return;
      if (read_at<std::uint32_t>(bytes, at + 4) != 0) {  // else what several have in common
        const std::uint64_t start =
            table->start + at + 8 +
            static_cast<std::uint64_t>(read_at<std::int32_t>(bytes, at + 8));
        const std::uint64_t end = start + read_at<std::uint32_t>(bytes, at + 12);
        const Section* home = file_.section_at(start);
        if (!home || !home->is_code || end > home->end)
          throw NotComparable("its unwind tables are of another kind");
        if (is_own_code(start))
          functions_[start].known_end = std::max(functions_[start].known_end, end);
      }
      at += 4 + length;
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
      std::ranges::sort(function.names);
      file_.functions.push_back(std::move(function));
    }
  }

  ElfFile& file_;
  Elf64_Ehdr header_{};
  std::map<std::uint64_t, Function> functions_;  ///< by start
  std::vector<std::string> symbols_;             ///< the dynamic ones
  std::map<unsigned, std::string> versions_;
};

}  // namespace

bool Relocation::relative() const {
  return type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE;
}

bool Relocation::copies() const { return type == R_X86_64_COPY; }

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
  if (!function || function->names.empty()) return fmt::format("the function at {:#x}", address);
  std::string name = function->names.front();
  if (const size_t colon = name.find(':'); colon != std::string::npos)  // source:name:count
    name = name.substr(colon + 1, name.rfind(':') - colon - 1);
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr), &std::free);
  return plain ? plain.get() : name;
}

bool ElfFile::is_data(std::uint64_t address) const {
  const Section* home = section_at(address);
  return home && home->is_data;
}

std::uint64_t ElfFile::linked_word(std::uint64_t address) const {
  const Section* home = section_at(address);
  if (home && home->name.starts_with(".got")) return address;
  return home && home->name.starts_with(".plt") ? word_of_stub(*this, address) : 0;
}

std::optional<std::uint64_t> ElfFile::own_target(const Relocation& word) const {
  if (word.relative()) return static_cast<std::uint64_t>(word.addend);
  const auto own = exports.find(word.symbol.substr(0, word.symbol.find('@')));
  return own == exports.end() ? std::nullopt : std::optional(own->second);
}

}  // namespace cliffbench
