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
#include "patches/halide/preload/rebind.hpp"
#include "patches/halide/preload/symbols.hpp"

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

extern "C" [[gnu::visibility("default")]] const char* halide_patched_library(const void* inside) {
  const Joined& joined = joined_by(inside);
  Dl_info library;
  if (!joined.patched || !dladdr(reinterpret_cast<const void*>(joined.patched), &library))
    return nullptr;
  return library.dli_fname;
}

// Ours, whatever comes first among the names of the process.
extern "C" [[gnu::visibility("hidden"), gnu::alias(MODULE_COMPILE)]] void our_compile(const void*,
                                                                                      const void*);
extern "C" [[gnu::visibility("hidden"), gnu::alias(PRINT_STMT)]] void our_print_stmt(const void*,
                                                                                     const void*,
                                                                                     const void*);
extern "C" [[gnu::visibility("hidden"), gnu::alias(PRINT_CONCEPTUAL)]] void our_print_conceptual(
    const void*, const void*, const void*);
[[gnu::visibility("hidden"), gnu::alias(UNIQUE_NAME)]] std::string our_name(const std::string&);
[[gnu::visibility("hidden"), gnu::alias(UNIQUE_NAME_OF_CHAR)]] std::string our_name_of_char(char);

extern "C" [[gnu::visibility("default")]] Compile halide_patched_rebind(const void* inside,
                                                                        bool to_ours) {
  // In this order, because a page's code must meet our names.
  const struct {
    const char* name;
    void* ours;
  } functions[] = {{UNIQUE_NAME, reinterpret_cast<void*>(our_name)},
                   {UNIQUE_NAME_OF_CHAR, reinterpret_cast<void*>(our_name_of_char)},
                   {PRINT_STMT, reinterpret_cast<void*>(our_print_stmt)},
                   {PRINT_CONCEPTUAL, reinterpret_cast<void*>(our_print_conceptual)},
                   {MODULE_COMPILE, reinterpret_cast<void*>(our_compile)}};
  Slots slots{reinterpret_cast<uintptr_t>(inside)};
  if (!dl_iterate_phdr(find_slots, &slots)) return nullptr;
  bool all = true;
  for (const auto& [name, ours] : functions) {
    void* own = own_definition(name, inside);
    all = own && all && rebind(slots, name, to_ours ? ours : own);
  }
  if (!all && to_ours) halide_patched_rebind(inside, false);
  return all ? our_compile : nullptr;
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
