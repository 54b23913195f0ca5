#include "harness/core/host/libraries.hpp"

#ifdef __linux__

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "harness/core/host/process.hpp"

namespace cliffbench {

namespace fs = std::filesystem;

namespace {

/// The path of the program's dynamic loader; "" for a static program; nothing for a file that is no
/// ELF program of this kind of machine.
std::optional<std::string> loader_of(const fs::path& program) {
  std::ifstream file(program, std::ios::binary);
  ElfW(Ehdr) header{};
  const auto read = [&](void* into, std::size_t size, std::size_t at) {
    file.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(
        file.read(static_cast<char*>(into), static_cast<std::streamsize>(size)));
  };
  constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  const bool is_elf = read(&header, sizeof header, 0) &&
                      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                      header.e_ident[EI_CLASS] == kClass;
  if (!is_elf || (header.e_type != ET_EXEC && header.e_type != ET_DYN)) return std::nullopt;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part{};
    if (!read(&part, sizeof part, header.e_phoff + i * sizeof part)) return std::nullopt;
    if (part.p_type != PT_INTERP) continue;
    constexpr std::size_t kLongest = 4096;
    std::string loader(std::min<std::size_t>(part.p_filesz, kLongest), '\0');
    if (!read(loader.data(), loader.size(), part.p_offset)) return std::nullopt;
    return loader.substr(0, loader.find('\0'));
  }
  return "";
}

}  // namespace

std::optional<std::vector<fs::path>> linked_libraries(const fs::path& program) {
  constexpr double kLimit_s = 10;
  const auto loader = loader_of(program);
  if (!loader) return std::nullopt;
  std::vector<fs::path> libraries;
  if (loader->empty()) return libraries;
  std::error_code error;
  const fs::path file = fs::canonical(program, error);  // where the kernel begins $ORIGIN
  const Process answer = read_output({*loader, "--list", file.string()}, kLimit_s);
  if (error || answer.exit_code != 0) return std::nullopt;
  std::istringstream lines(answer.output);  // "libm.so.6 => /lib/libm.so.6 (0x7f...)"
  for (std::string line; std::getline(lines, line);) {
    const std::size_t arrow = line.find(" => ");
    const std::size_t start = arrow == std::string::npos ? 1 : arrow + 4;
    const std::size_t end = line.rfind(" (0x");
    if (end == std::string::npos || end <= start) continue;
    const std::string path = line.substr(start, end - start);
    if (path.find('/') != std::string::npos) libraries.emplace_back(path);  // not the kernel's own
  }
  return libraries.empty() ? std::nullopt : std::optional(libraries);
}

}  // namespace cliffbench

#else

namespace cliffbench {

std::optional<std::vector<std::filesystem::path>> linked_libraries(const std::filesystem::path&) {
  return std::nullopt;
}

}  // namespace cliffbench

#endif
