#pragma once

/// Finds the loaded object around an address, a library or the program, and whether Halide is in
/// it. Without the C++ library: see preload.cpp.

#include <elf.h>
#include <limits.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

/// The library or program that is loaded around an address.
struct Loaded {
  uintptr_t address = 0, start = 0, end = 0;
  char path[PATH_MAX] = "";        ///< "": the program
  char build_id[2 * 32 + 1] = "";  ///< in hexadecimal; "": none
};

inline size_t padded(size_t bytes) { return (bytes + 3) & ~size_t{3}; }

inline void find_build_id(const char* note, size_t size, Loaded& loaded) {
  for (const char* end = note + size; note + sizeof(ElfW(Nhdr)) <= end;) {
    ElfW(Nhdr) header;
    memcpy(&header, note, sizeof header);
    const char* name = note + sizeof header;
    const char* bytes = name + padded(header.n_namesz);
    note = bytes + padded(header.n_descsz);
    if (header.n_type != NT_GNU_BUILD_ID || header.n_namesz != 4 || strcmp(name, "GNU") != 0 ||
        2 * header.n_descsz >= sizeof loaded.build_id)
      continue;
    for (size_t i = 0; i < header.n_descsz; ++i) {
      snprintf(loaded.build_id + 2 * i, 3, "%02x", static_cast<unsigned char>(bytes[i]));
    }
    return;
  }
}

inline bool spans(const dl_phdr_info& object, uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const uintptr_t start = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start && address < start + segment.p_memsz)
      return true;
  }
  return false;
}

inline const char* content(const dl_phdr_info& object, const ElfW(Phdr) & segment) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader says addresses as numbers
  return reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);
}

/// For dl_iterate_phdr: fills `wanted` (a Loaded) when the object spans its address.
inline int find_address(dl_phdr_info* object, size_t, void* wanted) {
  auto& loaded = *static_cast<Loaded*>(wanted);
  if (!spans(*object, loaded.address)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + segment.p_vaddr, end = start + segment.p_memsz;
    if (segment.p_type == PT_NOTE && !*loaded.build_id)
      find_build_id(content(*object, segment), segment.p_memsz, loaded);
    if (segment.p_type != PT_LOAD) continue;
    if (!loaded.end || start < loaded.start) loaded.start = start;
    if (end > loaded.end) loaded.end = end;
  }
  snprintf(loaded.path, sizeof loaded.path, "%s", object->dlpi_name);
  return 1;
}

inline Loaded around(const void* address) {
  Loaded loaded{reinterpret_cast<uintptr_t>(address)};
  dl_iterate_phdr(find_address, &loaded);
  return loaded;
}

/// Whether a loaded object contains Halide's viewer, by a message of it that is in no page.
inline bool holds_viewer(const dl_phdr_info& object) {
  static constexpr char kMessage[] = "StmtToHTML does not support submodules";
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_R) &&
        memmem(content(object, segment), segment.p_filesz, kMessage, strlen(kMessage)))
      return true;
  }
  return false;
}
