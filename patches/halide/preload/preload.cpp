// The patches for a program that exists already: a library to be preloaded (by halide-patched). It
// is linked with no Halide. libHalide calls its own Module::compile by name, so the definition here
// comes first; it finds the libHalide that called and loads the patches built for exactly that one
// (by its build id), which join it. Linux only: macOS binds such calls inside the library.
#include "patches/halide/preload/preload.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

// How the compiler names Halide::Module::compile(const std::map<OutputFileType, std::string>&)
// const.
#define MODULE_COMPILE                                                    \
  "_ZNK6Halide6Module7compileERKSt3mapINS_14OutputFileTypeE"              \
  "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4lessIS2_ESaISt" \
  "4pairIKS2_S8_EEE"

namespace {

void say(const std::string& sentence) {
  std::fprintf(stderr, "halide-patched: %s\n", sentence.c_str());
}

/// What is loaded around an address.
struct Loaded {
  uintptr_t address = 0;
  std::string path = {};
  std::string build_id = {};
};

std::string build_id_in(const char* note, size_t size) {
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
int find_address(dl_phdr_info* object, size_t, void* wanted) {
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

Loaded around(const void* address) {
  Loaded loaded{reinterpret_cast<uintptr_t>(address)};
  dl_iterate_phdr(find_address, &loaded);
  return loaded;
}

/// libHalide's own definition: the next in the search order, or, where Python loaded libHalide for
/// one extension alone, the one of the library that called.
Compile own_compile(const void* caller) {
  if (void* next = dlsym(RTLD_NEXT, MODULE_COMPILE)) return reinterpret_cast<Compile>(next);
  const std::string path = around(caller).path;
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (void* own = library ? dlsym(library, MODULE_COMPILE) : nullptr) {
    return reinterpret_cast<Compile>(own);
  }
  say("no Halide::Module::compile can be found for " + path);
  std::abort();
}

struct Joined {
  Compile own = nullptr;
  PatchedCompile patched = nullptr;  ///< null: the program runs unpatched
};

Joined join(const void* caller) {
  Joined joined{own_compile(caller)};
  const Loaded halide = around(reinterpret_cast<const void*>(joined.own));
  const auto folder =
      std::filesystem::path(around(reinterpret_cast<const void*>(&join)).path).parent_path();
  const std::string path = folder / (halide.build_id + ".so");
  if (halide.build_id.empty() || !std::filesystem::exists(path)) {
    say("no patches were built for " + halide.path +
        ", so the program runs unpatched; HALIDE_ROOT=<folder of that Halide> make build makes "
        "them");
    return joined;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* patched = library ? dlsym(library, kPatchedCompile) : nullptr;
  if (!patched) say(std::string("the program runs unpatched: ") + dlerror());
  joined.patched = reinterpret_cast<PatchedCompile>(patched);
  return joined;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void module_compile(
    const void* module, const void* outputs) __asm__(MODULE_COMPILE);

extern "C" void module_compile(const void* module, const void* outputs) {
  static const Joined joined = join(__builtin_return_address(0));
  if (joined.patched)
    joined.patched(module, outputs, joined.own);
  else
    joined.own(module, outputs);
}
