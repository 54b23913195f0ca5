// Module::compile and what prints its pages, with the patches, built once for each libHalide;
// loaded by preload.cpp.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "patches/halide/choice.hpp"
#include "patches/halide/conceptual_stmt.hpp"
#include "patches/halide/viewer_names.hpp"
#include "patches/halide_patched/held_names.hpp"
#include "patches/halide_patched/listing_decision.hpp"
#include "patches/halide_patched/preload.hpp"

namespace {

using Halide::OutputFileType;
using patches::halide::Choice;
using patches::halide::Outputs;
using patches::halide::Viewer;

/// The two pages, in the order in which Halide makes them.
constexpr std::pair<OutputFileType, Viewer> kPages[] = {
    {OutputFileType::stmt_html, Viewer::stmt},
    {OutputFileType::conceptual_stmt_html, Viewer::conceptual_stmt}};

/// True while we call Halide's own functions: they call the preloaded ones again, which must then
/// pass the call on.
thread_local bool passing_on = false;

struct PassingOn {
  const bool before = std::exchange(passing_on, true);
  ~PassingOn() { passing_on = before; }
};

/// The patches that the user chose. The launcher has checked their names.
const Choice& chosen() {
  static const Choice choice = [] {
    const char* names = std::getenv(kPatchesVariable);
    return names ? patches::halide::choice_of(names) : patches::halide::kEveryPatch;
  }();
  return choice;
}

Say said_by = nullptr;

bool is_heard() { return said_by && std::getenv(kVerboseVariable); }

void say(const std::string& sentence) {
  if (is_heard()) said_by(sentence.c_str());
}

/// Whether Python is at work in this thread.
bool in_python() {
  using Check = int (*)();
  static const auto check = reinterpret_cast<Check>(dlsym(RTLD_DEFAULT, "PyGILState_Check"));
  return check && check() == 1;
}

/// In Python a buffer's shape is numpy's, in its order of dimensions.
patches::halide::Described described(const Halide::Buffer<>& buffer) {
  if (!in_python()) return patches::halide::as_in_cxx(buffer);
  std::string shape;
  for (int i = buffer.dimensions() - 1; i >= 0; --i) {
    shape += std::to_string(buffer.dim(i).extent()) + (i > 0 ? ", " : "");
  }
  return {"'" + buffer.name() + "'",
          "numpy's shape (" + shape + (buffer.dimensions() == 1 ? ",)" : ")")};
}

/// The first line of the error.
std::string reason(const std::exception& error) {
  const std::string words = error.what();
  return words.substr(0, words.find('\n'));
}

void write(const std::string& path, const std::string& page) {
  try {
    patches::halide::write_to_place(path, page);
  } catch (const patches::halide::CannotWrite& error) {
    say(error.what());  // Halide ignores such an error
  }
}

/// The outputs that a call asks for: pages, those that need code, and the rest. Halide writes the
/// outputs that need code first.
struct Asked {
  explicit Asked(const Outputs& outputs) {
    for (const auto& output : outputs) {
      if (output.first == kPages[0].first || output.first == kPages[1].first)
        pages.insert(output);
      else
        (patches::halide::needs_no_code(output.first) ? rest : code).insert(output);
    }
  }
  Outputs pages, code, rest;
};

thread_local Names names_of_thread;

/// Sets how Halide's names are treated until the end of the scope.
struct Naming {
  explicit Naming(Names::Mode mode) { names_of_thread.set(mode); }
  Naming(const Naming&) = delete;
  Naming& operator=(const Naming&) = delete;
  ~Naming() { names_of_thread.set(Names::Mode::pass); }
};

/// Makes all pages from one listing of our own, after the outputs that need code and before the
/// others.
void compile_pages(const Halide::Module& module, const Asked& asked, Compile own) {
  std::vector<Viewer> viewers;
  std::vector<std::string> places;
  for (const auto& [type, viewer] : kPages) {
    if (!asked.pages.contains(type)) continue;
    viewers.push_back(viewer);
    places.push_back(asked.pages.at(type));
  }
  if (!asked.code.empty()) {
    const Naming naming(Names::Mode::write_down);
    own(&module, &asked.code);
  }
  std::vector<std::string> made;
  const auto unpatched = [&](const std::exception& error) {
    say(reason(error) + "; compiling unpatched");
    const PassingOn guard;
    const Naming naming(Names::Mode::give_again_then_pass);
    own(&module, &asked.pages);
  };
  try {
    const PassingOn guard;
    const Naming naming(asked.code.empty() ? Names::Mode::write_down : Names::Mode::give_again);
    made = patches::halide::pages_of(module, viewers, chosen());
  } catch (const patches::halide::NoRoom& error) {
    unpatched(error);
  } catch (const std::regex_error& error) {
    unpatched(error);
  } catch (const std::bad_alloc& error) {
    unpatched(error);
  }  // What Halide, or the program's error reporter, throws is the program's own, and comes once.
  for (size_t i = 0; i < made.size(); ++i) write(places[i], made[i]);
  if (!asked.rest.empty()) own(&module, &asked.rest);
}

/// Whether a listing can be asked for beside the other outputs without changing these.
bool can_stand_beside(const Asked& asked) {
  return !asked.code.contains(OutputFileType::assembly) &&
         !Halide::Internal::get_compiler_logger() &&
         !patches::halide::acts_of(chosen(), &patches::halide::Stages::searched).empty();
}

void print_beside(const Halide::Module& module, Viewer viewer, const std::string& listing,
                  const std::string& place) {
  std::string page;
  try {
    page = patches::halide::page_of(module, viewer, listing, chosen());
  } catch (const patches::halide::NoRoom& error) {
    say(reason(error) + "; printing unpatched");
    return patches::halide::print_page(place, module, viewer, listing);
  }
  write(place, page);
}

/// Where the calls that print pages do not come by here: the code's listing is asked for beside the
/// other outputs, as Halide would do, and the pages are made from it.
void compile_beside(const Halide::Module& module, const Asked& asked, const Outputs& outputs,
                    Compile own) {
  std::optional<patches::halide::ScratchFile> listing;
  try {
    patches::halide::need_descriptors();
    listing.emplace();
  } catch (const patches::halide::NoRoom& error) {
    say(reason(error) + "; compiling unpatched");
    return own(&module, &outputs);
  }
  Outputs code = asked.code;
  code[OutputFileType::assembly] = listing->path();
  own(&module, &code);
  for (const auto& [type, viewer] : kPages) {
    const auto place = asked.pages.find(type);
    if (place != asked.pages.end()) print_beside(module, viewer, listing->path(), place->second);
  }
  if (!asked.rest.empty()) own(&module, &asked.rest);
}

/// `names_seen`, `printed`: the calls that make names, and those that print pages, come by here.
void compile(const Halide::Module& module, const Outputs& outputs, Compile own, bool names_seen,
             bool printed) {
  const Asked asked(outputs);
  // With modules in the module Halide makes one of them and calls again.
  if (asked.pages.empty() || passing_on || !module.submodules().empty())
    return own(&module, &outputs);
  if (is_heard())
    patches::halide::begin_page(module, chosen(), described,
                                [](const std::string& advice) { say("warning: " + advice); });
  const patches::halide::Decision decision =
      patches::halide::decide(module, asked.pages, asked.code, chosen(), names_seen);
  say(patches::halide::paths_of(asked.pages) + ": " + decision.why);
  using patches::halide::Way;
  if (decision.way == Way::own_listing)
    compile_pages(module, asked, own);
  else if (decision.way == Way::shared_listing && !printed && can_stand_beside(asked))
    compile_beside(module, asked, outputs, own);
  else
    own(&module, &outputs);
}

void print(const std::string& path, const Halide::Module& module, const std::string& listing_path,
           Viewer viewer, Print own) {
  std::string page;
  const bool patched =
      !patches::halide::acts_of(chosen(), &patches::halide::Stages::searched).empty();
  if (patched && !passing_on && std::ifstream(listing_path) &&
      patches::halide::left_to_halide(module, path).empty()) {
    try {
      const PassingOn guard;
      patches::halide::need_descriptors();
      page = patches::halide::page_of(module, viewer, listing_path, chosen());
    } catch (const std::exception& error) {
      say(reason(error) + "; printing unpatched");
    }
  }
  if (page.empty())
    own(&path, &module, &listing_path);
  else
    write(path, page);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void halide_patched_compile(const void* module,
                                                                      const void* outputs,
                                                                      Compile own,
                                                                      bool names_seen) {
  compile(*static_cast<const Halide::Module*>(module), *static_cast<const Outputs*>(outputs), own,
          names_seen, true);
}

extern "C" [[gnu::visibility("default")]] void halide_patched_print(const void* path,
                                                                    const void* module,
                                                                    const void* listing_path,
                                                                    bool conceptual, Print own) {
  print(*static_cast<const std::string*>(path), *static_cast<const Halide::Module*>(module),
        *static_cast<const std::string*>(listing_path),
        conceptual ? Viewer::conceptual_stmt : Viewer::stmt, own);
}

extern "C" [[gnu::visibility("default")]] void halide_patched_say_by(Say say_it) {
  said_by = say_it;
}

/// In the libHalide that this library joined.
extern "C" [[gnu::visibility("default")]] const void* const halide_patched_in_halide =
    reinterpret_cast<const void*>(&Halide::Internal::get_compiler_logger);

static bool fits(const std::string& words, char* place, size_t size) {
  if (words.size() >= size) return false;
  std::memcpy(place, words.c_str(), words.size() + 1);
  return true;
}

extern "C" [[gnu::visibility("default")]] int halide_patched_compile_files(
    const void* module, const int* types, const char* const* paths, int count, Compile through,
    char* error, size_t size) {
  try {
    Outputs outputs;
    for (int i = 0; i < count; ++i) {
      const auto type = types[i] < 0 ? OutputFileType::conceptual_stmt_html
                                     : static_cast<OutputFileType>(types[i]);
      outputs[type] = paths[i];
    }
    if (through) {
      through(module, &outputs);
      return 0;
    }
    const auto own = [](const void* of, const void* files) {
      static_cast<const Halide::Module*>(of)->compile(*static_cast<const Outputs*>(files));
    };
    compile(*static_cast<const Halide::Module*>(module), outputs, own, false, false);
    return 0;
  } catch (const Halide::Error& failed) {
    return fits(failed.what(), error, size) ? 1 : -1;
  } catch (const std::runtime_error& failed) {  // of the viewer's search, as a rule
    return fits(failed.what(), error, size) ? 2 : -1;
  } catch (...) {
    return -1;
  }
}

// Each of Halide's calls of unique_name comes by here, once the patches are joined.
[[gnu::visibility("default")]] std::string held_name(
    const std::string& prefix,
    std::string (*own)(const std::string&)) __asm__("halide_patched_name");
[[gnu::visibility("default")]] std::string held_name(char prefix, std::string (*own)(char)) __asm__(
    "halide_patched_name_of_char");

std::string held_name(const std::string& prefix, std::string (*own)(const std::string&)) {
  return names_of_thread.name(prefix, [&] { return own(prefix); });
}

std::string held_name(char prefix, std::string (*own)(char)) {
  return names_of_thread.name(std::string(1, prefix), [&] { return own(prefix); });
}
