// The patches for a program that exists already: a library to be preloaded (by halide-patched). It
// is linked with no Halide. libHalide calls its own Module::compile and print_to_..._html by name,
// so the definitions here come first; they find the libHalide that called and load the patches
// built for exactly that one (by its build id), which join it. Linux only: macOS binds such calls
// inside the library.
#include "patches/halide/preload/preload.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

#include "patches/halide/preload/held_names.hpp"
#include "patches/halide/preload/loaded_object.hpp"
#include "patches/halide/preload/patches_for.hpp"

// How the compiler names Halide::Module::compile(const std::map<OutputFileType, std::string>&)
// const.
#define MODULE_COMPILE                                                    \
  "_ZNK6Halide6Module7compileERKSt3mapINS_14OutputFileTypeE"              \
  "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4lessIS2_ESaISt" \
  "4pairIKS2_S8_EEE"
// Halide::Internal::print_to_..._html(const std::string&, const Module&, const std::string&).
#define STRING_NAME "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define UNIQUE_NAME "_ZN6Halide8Internal11unique_nameERK" STRING_NAME
#define UNIQUE_NAME_OF_CHAR "_ZN6Halide8Internal11unique_nameB5cxx11Ec"
#define PRINT_STMT "_ZN6Halide8Internal18print_to_stmt_htmlERK" STRING_NAME "RKNS_6ModuleES8_"
#define PRINT_CONCEPTUAL \
  "_ZN6Halide8Internal29print_to_conceptual_stmt_htmlERK" STRING_NAME "RKNS_6ModuleES8_"

namespace {

/// libHalide's own definition: the next in the search order, or, where Python loaded libHalide for
/// one extension alone, the one of the library that called. Null: it has none.
void* own_definition(const char* name, const void* caller) {
  if (void* next = dlsym(RTLD_NEXT, name)) return next;
  void* library = dlopen(around(caller).path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  void* own = library ? dlsym(library, name) : nullptr;
  const bool ours = own && around(own).path == around(reinterpret_cast<void*>(&say)).path;
  return ours ? nullptr : own;
}

void* needed_definition(const char* name, const void* caller) {
  if (void* own = own_definition(name, caller)) return own;
  say("no " + std::string(name) + " can be found for " + around(caller).path);
  std::abort();
}

struct Joined {
  Compile own = nullptr;
  Print own_stmt = nullptr, own_conceptual = nullptr;
  PatchedCompile patched = nullptr;  ///< null: the program runs unpatched
  PatchedPrint patched_print = nullptr;
};

/// dlopen reads '$' in a path as more than a letter; then the file is opened first.
void* opened(const std::string& path) {
  if (path.find('$') == std::string::npos) return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void* library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (file >= 0) close(file);
  return library;
}

Joined join(const void* caller) {
  Joined joined{reinterpret_cast<Compile>(needed_definition(MODULE_COMPILE, caller)),
                reinterpret_cast<Print>(own_definition(PRINT_STMT, caller)),
                reinterpret_cast<Print>(own_definition(PRINT_CONCEPTUAL, caller))};
  const Loaded halide = around(reinterpret_cast<const void*>(joined.own));
  const Found found =
      patches_for(halide, joined.own_conceptual, around(reinterpret_cast<const void*>(&join)).path);
  if (found.path.empty()) {
    say(found.why + "; the program runs unpatched");
    return joined;
  }
  void* library = opened(found.path);
  void* patched = library ? dlsym(library, kPatchedCompile) : nullptr;
  void* patched_print = library ? dlsym(library, kPatchedPrint) : nullptr;
  if (!patched || !patched_print) {
    say(std::string("the program runs unpatched: ") + dlerror());
    return joined;
  }
  joined.patched = reinterpret_cast<PatchedCompile>(patched);
  joined.patched_print = reinterpret_cast<PatchedPrint>(patched_print);
  if (std::getenv(kVerboseVariable)) say(halide.path + " runs with the patches in " + found.path);
  return joined;
}

const Joined& joined_by(const void* caller) {
  static const Joined joined = join(caller);
  return joined;
}

thread_local Names names_of_thread;

std::atomic<bool> reached = false, missed = false, names_seen = false;

[[gnu::destructor]] void say_missed() {
  if (!missed || reached) return;
  say("Halide compiled a page without reaching the patches (its library is static, or bound to "
      "itself by -Bsymbolic), so it was made unpatched");
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void module_compile(
    const void* module, const void* outputs) __asm__(MODULE_COMPILE);
extern "C" [[gnu::visibility("default")]] void print_stmt(const void* path, const void* module,
                                                          const void* listing) __asm__(PRINT_STMT);
extern "C" [[gnu::visibility("default")]] void print_conceptual(
    const void* path, const void* module, const void* listing) __asm__(PRINT_CONCEPTUAL);

using UniqueName = std::string (*)(const std::string&);
using UniqueNameOfChar = std::string (*)(char);
[[gnu::visibility("default")]] std::string unique_name(const std::string& prefix) __asm__(
    UNIQUE_NAME);
[[gnu::visibility("default")]] std::string unique_name(char prefix) __asm__(UNIQUE_NAME_OF_CHAR);

std::string unique_name(const std::string& prefix) {
  names_seen = true;
  static const auto own =
      reinterpret_cast<UniqueName>(needed_definition(UNIQUE_NAME, __builtin_return_address(0)));
  return names_of_thread.name(prefix, [&] { return own(prefix); });
}

std::string unique_name(char prefix) {
  names_seen = true;
  static const auto own = reinterpret_cast<UniqueNameOfChar>(
      needed_definition(UNIQUE_NAME_OF_CHAR, __builtin_return_address(0)));
  return names_of_thread.name(std::string(1, prefix), [&] { return own(prefix); });
}

extern "C" void module_compile(const void* module, const void* outputs) {
  reached = true;
  const Joined& joined = joined_by(__builtin_return_address(0));
  if (joined.patched)
    joined.patched(module, outputs, joined.own, [](int mode) {
      names_of_thread.set(static_cast<Names::Mode>(mode));
      return names_seen.load();
    });
  else
    joined.own(module, outputs);
}

void print_by(const Joined& joined, Print own, bool conceptual, const void* path,
              const void* module, const void* listing) {
  if (joined.patched_print)
    joined.patched_print(path, module, listing, conceptual, own);
  else
    own(path, module, listing);
}

extern "C" void print_stmt(const void* path, const void* module, const void* listing) {
  const Joined& joined = joined_by(__builtin_return_address(0));
  print_by(joined, joined.own_stmt, false, path, module, listing);
}

extern "C" void print_conceptual(const void* path, const void* module, const void* listing) {
  const Joined& joined = joined_by(__builtin_return_address(0));
  print_by(joined, joined.own_conceptual, true, path, module, listing);
}

/// Halide removes a page's listing after writing the page. If Halide is static or bound to itself,
/// this is the only one of its calls that passes through us.
extern "C" [[gnu::visibility("default")]] int unlink(const char* name) noexcept {
  using Unlink = int (*)(const char*);
  static const auto own = reinterpret_cast<Unlink>(dlsym(RTLD_NEXT, "unlink"));
  if (!reached && !missed && std::string_view(name).ends_with(".s") &&
      in_halide(__builtin_return_address(0))) {
    missed = true;
  }
  return own(name);
}
