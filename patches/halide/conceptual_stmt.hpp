#pragma once

/// The viewer's page with any choice of the patches, made by the stages that libHalide exports: to
/// be called in place of Func::compile_to_conceptual_stmt.

#include <Halide.h>

#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "patches/halide/patches.hpp"

namespace patches::halide {

/// The two pages that show a statement beside its assembly.
enum class Viewer { stmt, conceptual_stmt };

/// Runs `body` as a named stage; lets the caller time it.
using StageRunner = std::function<void(const char* stage, const std::function<void()>& body)>;

inline void run_stage(const char*, const std::function<void()>& body) { body(); }

inline void print_page(const std::string& path, const Halide::Module& module, Viewer viewer,
                       const std::string& listing_path) {
  if (viewer == Viewer::stmt)
    Halide::Internal::print_to_stmt_html(path, module, listing_path);
  else
    Halide::Internal::print_to_conceptual_stmt_html(path, module, listing_path);
}

/// Thrown when a page cannot be written to its place.
struct CannotWrite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Writes a whole file in one go, whatever stands there: a file, a link, a pipe. Throws
/// CannotWrite.
inline void write_to_place(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text << std::flush)) throw CannotWrite("cannot write " + path);
}

/// Writes the assembly that the viewer will show to `path`.
inline void write_listing(const Halide::Module& module, const std::string& path,
                          const Choice& choice) {
  Halide::Module listed = module;
  for (auto* make : acts_of(choice, &Stages::listed)) listed = make(listed);
  listed.compile({{Halide::OutputFileType::assembly, path}});
}

/// The viewer's page for the listing at `listing_path`. Throws NoRoom.
inline std::string page_of(const Halide::Module& module, Viewer viewer,
                           const std::string& listing_path, const Choice& choice) {
  const Printer printed = [&](const std::string& listing) {
    const ScratchFile file;
    print_page(file.path(), module, viewer, listing);
    std::string page = file.contents();
    if (!page.ends_with("</html>")) throw NoRoom("no room for the whole page");
    return page;
  };
  const auto searches = acts_of(choice, &Stages::searched);
  return searches.empty() ? printed(listing_path) : searches.back()(listing_path, printed);
}

/// Writes the page for the listing at `listing_path`. Throws NoRoom and CannotWrite.
inline void write_page(const std::string& path, const Halide::Module& module, Viewer viewer,
                       const std::string& listing_path, const Choice& choice) {
  write_to_place(path, page_of(module, viewer, listing_path, choice));
}

/// The viewer's pages for a module, from one listing, in the order of `viewers`. Throws what
/// Halide throws, and NoRoom.
inline std::vector<std::string> pages_of(const Halide::Module& module,
                                         const std::vector<Viewer>& viewers, const Choice& choice,
                                         const StageRunner& stage = run_stage) {
  need_descriptors();
  const ScratchFile listing;
  stage("listing", [&] {
    try {
      write_listing(module, listing.path(), choice);
    } catch (const Halide::Error&) {
      listing.need_path();
      throw;
    }
  });
  std::vector<std::string> pages;
  stage("viewer", [&] {
    for (const Viewer viewer : viewers) {
      pages.push_back(page_of(module, viewer, listing.path(), choice));
      for (auto* finish : acts_of(choice, &Stages::finished)) finish(pages.back(), module.target());
    }
  });
  return pages;
}

/// Writes the viewer's page for a module. Throws what Halide throws, NoRoom, and CannotWrite.
inline void compile_to_viewer(const Halide::Module& module, Viewer viewer, const std::string& path,
                              const Choice& choice, const StageRunner& stage = run_stage) {
  if (!module.submodules().empty()) {  // the viewer takes none; Halide does the same
    compile_to_viewer(module.resolve_submodules(), viewer, path, choice, stage);
    return;
  }
  begin_page(module, choice);
  write_to_place(path, pages_of(module, {viewer}, choice, stage).front());
}

/// In place of Func::compile_to_conceptual_stmt(path, arguments, format, target). HTML: the same
/// page in which, depending on the choice, the assembly pane shows stubs instead of the buffers'
/// first bytes and leaves out the runtime; with an empty choice the same, byte for byte. Text has
/// no viewer, so no patch applies: it is the one call.
inline void compile_to_conceptual_stmt(
    Halide::Func output, const std::string& path, const std::vector<Halide::Argument>& arguments,
    Halide::StmtOutputFormat format = Halide::Text,
    const Halide::Target& target = Halide::get_target_from_environment(),
    const Choice& choice = kEveryPatch, const StageRunner& stage = run_stage) {
  if (format == Halide::Text) {
    stage("lower", [&] { output.compile_to_conceptual_stmt(path, arguments, format, target); });
    return;
  }
  std::optional<Halide::Module> module;
  stage("lower", [&] { module = output.compile_to_module(arguments, "", target); });
  compile_to_viewer(*module, Viewer::conceptual_stmt, path, choice, stage);
}

}  // namespace patches::halide
