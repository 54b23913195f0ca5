#pragma once

/// Finds the loaded object around an address, a library or the program, and whether Halide is in
/// it.

#include <elf.h>
#include <link.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

/// The library or program that is loaded around an address.
struct Loaded {
  uintptr_t address = 0;
  std::string path = {};
  std::string build_id = {};
};

inline std::string build_id_in(const char* note, size_t size) {
  const auto padded = [](size_t bytes) { return (bytes + 3) & ~size_t{3}; };
  for (const char* end = note + size; note + sizeof(ElfW(Nhdr)) <= end;) {
    ElfW(Nhdr) header;
    std::memcpy(&header, note, sizeof header);
    const char* name = note + sizeof header;
    const char* bytes = name + padded(header.n_namesz);
    note = bytes + padded(header.n_descsz);
    if (header.n_type != NT_GNU_BUILD_ID || std::string_view(name, 3) != "GNU") continue;
    std::string id;
    for (size_t i = 0; i < header.n_descsz; ++i) {
      std::array<char, 3> digits{};
      std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(bytes[i]));
      id += digits.data();
    }
    return id;
  }
  return "";
}

/// For dl_iterate_phdr: fills `wanted` (a Loaded) when the object spans its address.
inline int find_address(dl_phdr_info* object, size_t, void* wanted) {
  auto& loaded = *static_cast<Loaded*>(wanted);
  bool here = false;
  std::string build_id;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + segment.p_vaddr;
    here |= segment.p_type == PT_LOAD && loaded.address >= start &&
            loaded.address < start + segment.p_memsz;
    if (segment.p_type == PT_NOTE && build_id.empty()) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader says addresses as numbers
      build_id = build_id_in(reinterpret_cast<const char*>(start), segment.p_memsz);
    }
  }
  if (!here) return 0;
  loaded.path = object->dlpi_name;
  loaded.build_id = build_id;
  return 1;
}

inline Loaded around(const void* address) {
  Loaded loaded{reinterpret_cast<uintptr_t>(address)};
  dl_iterate_phdr(find_address, &loaded);
  return loaded;
}

/// Whether an address lies in a library or program that contains Halide's viewer.
inline bool in_halide(const void* address) {
  static constexpr std::string_view kOfThePage = "host-assembly-pane";
  struct Search {
    uintptr_t address;
    bool found;
  } search{reinterpret_cast<uintptr_t>(address), false};
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* wanted) {
        auto& [sought, found] = *static_cast<Search*>(wanted);
        bool here = false, page = false;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_R)) continue;
          const uintptr_t start = object->dlpi_addr + segment.p_vaddr;
          here |= sought >= start && sought < start + segment.p_memsz;
        }
        for (int i = 0; here && i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_R)) continue;
          // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader says addresses as numbers
          const auto* start = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
          page |= std::string_view(start, segment.p_filesz).find(kOfThePage) != std::string::npos;
        }
        found = here && page;
        return here ? 1 : 0;
      },
      &search);
  return search.found;
}
