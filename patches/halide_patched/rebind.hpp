#pragma once

/// For a process that runs already: libHalide calls its own functions through slots that the loader
/// has filled; here they are filled anew. What is linked with libHalide keeps slots of its own.

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "patches/halide_patched/loaded_object.hpp"

/// The slots for calls in one loaded object.
struct Slots {
  uintptr_t address = 0;  ///< any address in the object
  uintptr_t base = 0, locked = 0, locked_end = 0;
  const ElfW(Dyn) * dynamic = nullptr;
};

template <typename Pointer>
Pointer pointer_to(uintptr_t address) {
  return reinterpret_cast<Pointer>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// For dl_iterate_phdr: fills `wanted` (Slots) when the object spans its address.
inline int find_slots(dl_phdr_info* object, size_t, void* wanted) {
  Slots slots{static_cast<Slots*>(wanted)->address, object->dlpi_addr};
  if (!spans(*object, slots.address)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const uintptr_t start = slots.base + segment.p_vaddr, end = start + segment.p_memsz;
    if (segment.p_type == PT_DYNAMIC) slots.dynamic = pointer_to<const ElfW(Dyn)*>(start);
    if (segment.p_type == PT_GNU_RELRO) {
      slots.locked = start;
      slots.locked_end = end;
    }
  }
  *static_cast<Slots*>(wanted) = slots;
  return 1;
}

/// Fills one slot, which may stand where the loader has taken the right to write.
inline bool fill(const Slots& slots, uintptr_t place, void* function) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const bool locked = place >= slots.locked && place < slots.locked_end;
  auto* start = pointer_to<void*>(place & ~(page - 1));
  if (locked && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(pointer_to<void**>(place), function, __ATOMIC_RELEASE);
  if (locked) mprotect(start, page, PROT_READ);
  return true;
}

/// Fills the slots for the function of this name. False: there is none, or it cannot be filled.
inline bool rebind(const Slots& slots, const char* name, void* function) {
  uintptr_t symbols = 0, names = 0, calls = 0, bytes = 0;
  for (const auto* entry = slots.dynamic; entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
    if (entry->d_tag == DT_JMPREL) calls = entry->d_un.d_ptr;
    if (entry->d_tag == DT_PLTRELSZ) bytes = entry->d_un.d_val;
  }
  if (!symbols || !names || !calls) return false;
  bool filled = false;
  const auto* call = pointer_to<const ElfW(Rela)*>(calls);
  for (const auto* end = call + bytes / sizeof *call; call != end; ++call) {
    const ElfW(Sym)& symbol = pointer_to<const ElfW(Sym)*>(symbols)[ELF64_R_SYM(call->r_info)];
    if (strcmp(pointer_to<const char*>(names) + symbol.st_name, name) != 0) continue;
    if (!fill(slots, slots.base + call->r_offset, function)) return false;
    filled = true;
  }
  return filled;
}
