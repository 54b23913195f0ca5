// The patches for a program that exists already: a library to be preloaded (by halide-patched). It
// is linked with no Halide. libHalide calls its own Module::compile and print_to_..._html by name,
// so the definitions here come first; they find the libHalide that called and load the patches
// built for exactly that one (by its build id), which join it. Linux only: macOS binds such calls
// inside the library.
//
// It is loaded into every program that the program starts, whatever C library that has (musl, an
// old glibc), and without a C++ library. So it uses nothing but old functions of the C library.
#include "patches/halide/preload/preload.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "patches/halide/preload/loaded_object.hpp"
#include "patches/halide/preload/patches_for.hpp"
#include "patches/halide/preload/rebind.hpp"
#include "patches/halide/preload/symbols.hpp"

namespace {

/// libHalide's own definition: the next in the search order, or, where Python loaded libHalide for
/// one extension alone, the one of the library that called. Null: it has none.
void* own_definition(const char* name, const void* caller) {
  if (void* next = dlsym(RTLD_NEXT, name)) return next;
  void* library = dlopen(around(caller).path, RTLD_LAZY | RTLD_NOLOAD);
  void* own = library ? dlsym(library, name) : nullptr;
  const bool ours =
      own && strcmp(around(own).path, around(reinterpret_cast<void*>(&around)).path) == 0;
  return ours ? nullptr : own;
}

void* needed_definition(const char* name, const void* caller) {
  if (void* own = own_definition(name, caller)) return own;
  say("no %s can be found for %s", name, around(caller).path);
  abort();
}

struct Joined {
  Compile own = nullptr;
  Print own_stmt = nullptr, own_conceptual = nullptr;
  PatchedCompile patched = nullptr;  ///< null: the program runs unpatched
  PatchedPrint patched_print = nullptr;
};

std::atomic<HeldName> held_name = nullptr;
std::atomic<HeldNameOfChar> held_name_of_char = nullptr;
std::atomic<bool> reached = false, missed = false, names_seen = false;

/// Loads the patches at a path; false if they are none.
bool load(const char* path, Joined& joined) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  joined.patched_print = reinterpret_cast<PatchedPrint>(dlsym(library, kPatchedPrint));
  held_name = reinterpret_cast<HeldName>(dlsym(library, kHeldName));
  held_name_of_char = reinterpret_cast<HeldNameOfChar>(dlsym(library, kHeldNameOfChar));
  joined.patched = reinterpret_cast<PatchedCompile>(dlsym(library, kPatchedCompile));
  return joined.patched;
}

void join(const void* caller, Joined& joined) {
  joined.own = reinterpret_cast<Compile>(needed_definition(MODULE_COMPILE, caller));
  joined.own_stmt = reinterpret_cast<Print>(own_definition(PRINT_STMT, caller));
  joined.own_conceptual = reinterpret_cast<Print>(own_definition(PRINT_CONCEPTUAL, caller));
  const Loaded halide = around(reinterpret_cast<const void*>(joined.own));
  Loaded self = around(reinterpret_cast<const void*>(&join));
  if (char* slash = strrchr(self.path, '/')) *slash = '\0';
  const Found patches = patches_for(halide, joined.own_conceptual, self.path);
  if (!patches.found)
    say("%s; the program runs unpatched", patches.words);
  else if (!load(patches.words, joined))
    say("the program runs unpatched: %s", dlerror());
  else if (getenv(kVerboseVariable))
    say("%s runs with the patches in %s", halide.path, patches.words);
}

const Joined& joined_by(const void* caller) {
  static Joined joined;
  static bool done = false;
  static pthread_mutex_t joining = PTHREAD_MUTEX_INITIALIZER;  // a guard would need the C++ library
  pthread_mutex_lock(&joining);
  if (!done) join(caller, joined);
  done = true;
  pthread_mutex_unlock(&joining);
  return joined;
}

/// libHalide's own definition, sought once.
template <typename Function>
Function own_of(std::atomic<Function>& known, const char* name, const void* caller) {
  if (!known) known = reinterpret_cast<Function>(needed_definition(name, caller));
  return known;
}

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

[[gnu::visibility("default")]] ReturnedString unique_name(const void* prefix) __asm__(UNIQUE_NAME);
[[gnu::visibility("default")]] ReturnedString unique_name(char prefix) __asm__(UNIQUE_NAME_OF_CHAR);

ReturnedString unique_name(const void* prefix) {
  static std::atomic<UniqueName> known = nullptr;
  names_seen = true;
  const UniqueName own = own_of(known, UNIQUE_NAME, __builtin_return_address(0));
  const HeldName held = held_name;
  return held ? held(prefix, own) : own(prefix);
}

ReturnedString unique_name(char prefix) {
  static std::atomic<UniqueNameOfChar> known = nullptr;
  names_seen = true;
  const UniqueNameOfChar own = own_of(known, UNIQUE_NAME_OF_CHAR, __builtin_return_address(0));
  const HeldNameOfChar held = held_name_of_char;
  return held ? held(prefix, own) : own(prefix);
}

extern "C" void module_compile(const void* module, const void* outputs) {
  reached = true;
  const Joined& joined = joined_by(__builtin_return_address(0));
  if (joined.patched)
    joined.patched(module, outputs, joined.own, names_seen);
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
[[gnu::visibility("hidden"), gnu::alias(UNIQUE_NAME)]] ReturnedString our_name(const void*);
[[gnu::visibility("hidden"), gnu::alias(UNIQUE_NAME_OF_CHAR)]] ReturnedString our_name_of_char(
    char);

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
extern "C" [[gnu::visibility("default")]] int unlink_and_look(const char* name) __asm__("unlink");

extern "C" int unlink_and_look(const char* name) {
  using Unlink = int (*)(const char*);
  static std::atomic<Unlink> known = nullptr;
  if (!known) known = reinterpret_cast<Unlink>(dlsym(RTLD_NEXT, "unlink"));
  const char* ending = name ? strrchr(name, '.') : nullptr;
  if (!reached && !missed && ending && strcmp(ending, ".s") == 0 &&
      in_halide(__builtin_return_address(0))) {
    missed = true;
  }
  return known.load()(name);
}
