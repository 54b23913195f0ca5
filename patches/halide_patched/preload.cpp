// The patches for a program that exists already: a library to be preloaded (by halide-patched), or
// loaded (by `import halide_patched`). It is linked with no Halide. libHalide calls its own
// Module::compile and print_to_..._html by name, so the definitions here come first; they find the
// libHalide that called and load the patches built for exactly that one (by its build id), which
// join it. Linux only: macOS binds such calls inside the library.
//
// It is loaded into every program that the program starts, whatever C library that has (musl, an
// old glibc), and without a C++ library. So it uses nothing but old functions of the C library.
#include "patches/halide_patched/preload.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "patches/halide_patched/loaded_object.hpp"
#include "patches/halide_patched/patches_for.hpp"
#include "patches/halide_patched/rebind.hpp"
#include "patches/halide_patched/standard_error.hpp"
#include "patches/halide_patched/symbols.hpp"

namespace {

/// This library.
const Loaded& self() {
  static constinit Loaded loaded;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] { loaded = around(reinterpret_cast<const void*>(&self)); });
  return loaded;
}

bool is_in(const Loaded& object, const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return at >= object.start && at < object.end;
}

/// The definition of an object and of the libraries that it is linked with.
void* definition_behind(const Loaded& object, const char* name) {
  void* library = dlopen(object.path, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return nullptr;
  void* found = dlsym(library, name);
  dlclose(library);
  return is_in(self(), found) ? nullptr : found;
}

/// Halide's definition, as the loader would find it for this caller without us: first in what all
/// of the process see, then behind the caller.
void* own_definition(const char* name, const Loaded& caller) {
  if (void* before = dlsym(RTLD_DEFAULT, name); before && !is_in(self(), before)) return before;
  if (void* next = dlsym(RTLD_NEXT, name)) return next;
  return definition_behind(caller, name);
}

/// A libHalide of this process, its own functions, and the patches that joined it.
struct Halide {
  Loaded loaded;
  bool behind_another = false;  ///< it calls the functions of another libHalide
  Compile compile = nullptr;
  Print print_stmt = nullptr, print_conceptual = nullptr;
  UniqueName name = nullptr;
  UniqueNameOfChar name_of_char = nullptr;

  std::atomic<bool> off = false, names_seen = false;
  std::atomic<HeldName> held_name = nullptr;
  std::atomic<HeldNameOfChar> held_name_of_char = nullptr;

  bool sought = false;               ///< as are the next, by the lock `joining`
  PatchedCompile patched = nullptr;  ///< null: the program runs unpatched
  PatchedPrint patched_print = nullptr;
  Found patches;
  Halide* next = nullptr;
};

/// An object that is never unloaded, and the libHalide that its calls mean.
struct Caller {
  uintptr_t start, end;
  Halide* halide;
  Caller* next;
};

std::atomic<Caller*> callers = nullptr;
Halide* halides = nullptr;  // by the lock `finding`
pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER, joining = PTHREAD_MUTEX_INITIALIZER;

const Caller* known_caller(uintptr_t address) {
  const Caller* caller = callers.load(std::memory_order_acquire);
  while (caller && (address < caller->start || address >= caller->end)) caller = caller->next;
  return caller;
}

template <typename Type, typename... Values>
Type* made(Values... values) {
  void* place = malloc(sizeof(Type));
  if (!place) abort();
  return new (place) Type{values...};
}

/// By the lock `finding`.
void remember(const Loaded& object, Halide* halide) {
  dlopen(object.path, RTLD_LAZY | RTLD_NOLOAD);  // never closed, so it stays
  callers.store(made<Caller>(object.start, object.end, halide, callers.load()),
                std::memory_order_release);
}

Halide* new_halide(const Loaded& loaded, const Loaded& caller, bool behind_another) {
  auto* halide = made<Halide>(loaded, behind_another);
  const auto own = [&](const char* name) { return own_definition(name, caller); };
  halide->compile = reinterpret_cast<Compile>(own(MODULE_COMPILE));
  halide->print_stmt = reinterpret_cast<Print>(own(PRINT_STMT));
  halide->print_conceptual = reinterpret_cast<Print>(own(PRINT_CONCEPTUAL));
  halide->name = reinterpret_cast<UniqueName>(own(UNIQUE_NAME));
  halide->name_of_char = reinterpret_cast<UniqueNameOfChar>(own(UNIQUE_NAME_OF_CHAR));
  halide->next = halides;
  return halides = halide;
}

/// By the lock `finding`.
Halide* found_for(const void* address) {
  const Loaded caller = around(address);
  const void* compile = own_definition(MODULE_COMPILE, caller);
  if (!compile) return halides && !halides->next ? halides : nullptr;
  const Loaded loaded = around(compile);
  const bool itself = is_in(caller, compile);
  const bool behind = !itself && is_in(caller, definition_behind(caller, MODULE_COMPILE));
  Halide* halide = halides;
  while (halide && (halide->loaded.start != loaded.start || halide->behind_another != behind))
    halide = halide->next;
  if (!halide) halide = new_halide(loaded, caller, behind);
  if (itself || behind) remember(caller, halide);
  return halide;
}

/// The libHalide that a caller's call means.
Halide& halide_of(const void* address) {
  if (const Caller* known = known_caller(reinterpret_cast<uintptr_t>(address)))
    return *known->halide;
  pthread_mutex_lock(&finding);
  Halide* halide = found_for(address);
  pthread_mutex_unlock(&finding);
  if (halide) return *halide;
  say("no Halide can be found for %s", around(address).path);
  abort();
}

template <typename Function>
Function needed(Function own, const Halide& halide) {
  if (own) return own;
  say("%s lacks a function that it is asked for", halide.loaded.path);
  abort();
}

/// Loads the patches at a path, unless they would join another libHalide than this one.
Found loaded_patches(const char* path, Halide& halide) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return found(false, "the patches for %s do not load: %s", halide.loaded.path, dlerror());
  const void* joined = dlsym(library, kInHalide);
  if (!joined || !is_in(halide.loaded, *static_cast<void* const*>(joined))) {
    dlclose(library);
    return found(false, "the patches for %s would join another Halide of this process",
                 halide.loaded.path);
  }
  halide.patched_print = reinterpret_cast<PatchedPrint>(dlsym(library, kPatchedPrint));
  halide.patched = reinterpret_cast<PatchedCompile>(dlsym(library, kPatchedCompile));
  reinterpret_cast<void (*)(Say)>(dlsym(library, kSayBy))(halide_patched_say);
  pthread_mutex_lock(&finding);
  remember(around(reinterpret_cast<const void*>(halide.patched)), &halide);
  pthread_mutex_unlock(&finding);
  halide.held_name = reinterpret_cast<HeldName>(dlsym(library, kHeldName));
  halide.held_name_of_char = reinterpret_cast<HeldNameOfChar>(dlsym(library, kHeldNameOfChar));
  return found(true, "%s", path);
}

Found patches_of(Halide& halide, bool build) {
  if (halide.behind_another)
    return found(false, "a libHalide calls the functions of %s, which was opened before it",
                 halide.loaded.path);
  Loaded library = self();
  if (char* slash = strrchr(library.path, '/')) *slash = '\0';
  const Found at = patches_for(halide.loaded, halide.print_conceptual, library.path, build);
  return at.found ? loaded_patches(at.words, halide) : at;
}

/// Lets the patches join, once; without `build` only those that are there.
const Halide& joined(Halide& halide, bool build) {
  pthread_mutex_lock(&joining);
  if (!halide.sought) {
    halide.patches = patches_of(halide, build);
    halide.sought = build || halide.patches.found;
    if (halide.sought && !halide.patches.found)
      say("%s; the program runs unpatched", halide.patches.words);
    else if (halide.sought && is_verbose())
      say("%s runs with the patches in %s", halide.loaded.path, halide.patches.words);
  }
  pthread_mutex_unlock(&joining);
  return halide;
}

[[gnu::constructor]] void begin() { standard_error.remember(); }

/// For dl_iterate_phdr: a Halide none of whose calls came by here.
int say_if_unreached(dl_phdr_info* object, size_t, void*) {
  const auto address = reinterpret_cast<uintptr_t>(object->dlpi_phdr);
  if (known_caller(address) || is_in(self(), object->dlpi_phdr) || !holds_viewer(*object)) return 0;
  say("no call of %s reached the patches: it was not used, or it calls itself directly (a static "
      "library, -Bsymbolic, RTLD_DEEPBIND)",
      *object->dlpi_name ? object->dlpi_name : "the program's own Halide");
  return 0;
}

[[gnu::destructor]] void end() {
  if (is_verbose()) dl_iterate_phdr(say_if_unreached, nullptr);
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
  Halide& halide = halide_of(__builtin_return_address(0));
  halide.names_seen = true;
  const UniqueName own = needed(halide.name, halide);
  const HeldName held = halide.held_name;
  return held ? held(prefix, own) : own(prefix);
}

ReturnedString unique_name(char prefix) {
  Halide& halide = halide_of(__builtin_return_address(0));
  halide.names_seen = true;
  const UniqueNameOfChar own = needed(halide.name_of_char, halide);
  const HeldNameOfChar held = halide.held_name_of_char;
  return held ? held(prefix, own) : own(prefix);
}

extern "C" void module_compile(const void* module, const void* outputs) {
  const Halide& halide = joined(halide_of(__builtin_return_address(0)), true);
  if (halide.patched && !halide.off)
    halide.patched(module, outputs, halide.compile, halide.names_seen);
  else
    halide.compile(module, outputs);
}

void print_by(const Halide& halide, Print own, bool conceptual, const void* path,
              const void* module, const void* listing) {
  if (halide.patched_print && !halide.off)
    halide.patched_print(path, module, listing, conceptual, needed(own, halide));
  else
    needed(own, halide)(path, module, listing);
}

extern "C" void print_stmt(const void* path, const void* module, const void* listing) {
  const Halide& halide = joined(halide_of(__builtin_return_address(0)), true);
  print_by(halide, halide.print_stmt, false, path, module, listing);
}

extern "C" void print_conceptual(const void* path, const void* module, const void* listing) {
  const Halide& halide = joined(halide_of(__builtin_return_address(0)), true);
  print_by(halide, halide.print_conceptual, true, path, module, listing);
}

extern "C" [[gnu::visibility("default")]] const char* halide_patched_library(const void* inside,
                                                                             bool build,
                                                                             const char** why) {
  const Halide& halide = joined(halide_of(inside), build);
  *why = halide.patches.words;
  return halide.patched ? halide.patches.words : nullptr;
}

extern "C" [[gnu::visibility("default")]] void halide_patched_say(const char* sentence) {
  say("%s", sentence);
}

extern "C" [[gnu::visibility("default")]] void halide_patched_quiet() {
  standard_error.open = false;
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
  Halide& halide = halide_of(inside);
  if (halide.behind_another) return nullptr;
  // In this order, because a page's code must meet our names.
  const struct {
    const char* name;
    void *ours, *own;
  } functions[] = {
      {UNIQUE_NAME, reinterpret_cast<void*>(our_name), reinterpret_cast<void*>(halide.name)},
      {UNIQUE_NAME_OF_CHAR, reinterpret_cast<void*>(our_name_of_char),
       reinterpret_cast<void*>(halide.name_of_char)},
      {PRINT_STMT, reinterpret_cast<void*>(our_print_stmt),
       reinterpret_cast<void*>(halide.print_stmt)},
      {PRINT_CONCEPTUAL, reinterpret_cast<void*>(our_print_conceptual),
       reinterpret_cast<void*>(halide.print_conceptual)},
      {MODULE_COMPILE, reinterpret_cast<void*>(our_compile),
       reinterpret_cast<void*>(halide.compile)}};
  Slots slots{reinterpret_cast<uintptr_t>(inside)};
  if (!dl_iterate_phdr(find_slots, &slots)) return nullptr;
  bool all = true;
  for (const auto& [name, ours, own] : functions) {
    all = own && all && rebind(slots, name, to_ours ? ours : own);
  }
  if (!all && to_ours) halide_patched_rebind(inside, false);
  halide.off = !to_ours;
  return all ? our_compile : nullptr;
}
