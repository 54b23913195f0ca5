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

#include "patches/halide/buffer_stub.hpp"
#include "patches/halide/choice.hpp"
#include "patches/halide/contents.hpp"
#include "patches/halide/embedded_buffer_warning.hpp"
#include "patches/halide/lean_listing.hpp"
#include "patches/halide/marker_lines.hpp"
#include "patches/halide/regex_filter.hpp"
#include "patches/halide/scratch_file.hpp"

namespace patches::halide {

inline constexpr LongLine kLongLine = HALIDE_VERSION_MAJOR < 21 ? kHalide19 : kHalide21;

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

/// Writes the assembly that the viewer will show to `path`.
inline void write_listing(const Halide::Module& module, const std::string& path,
                          const Choice& choice) {
  Halide::Module listed = module;
  if (choice.buffer_stub) listed = stub_buffers(listed);
  if (choice.lean_listing) listed = without_runtime(listed);
  listed.compile({{Halide::OutputFileType::assembly, path}});
}

/// Writes the page from the listing at `listing_path`.
inline void write_page(const std::string& path, const Halide::Module& module, Viewer viewer,
                       const std::string& listing_path, const Choice& choice) {
  if (!choice.regex_filter && !choice.marker_lines) {
    print_page(path, module, viewer, listing_path);
    return;
  }
  const ScratchFile shorter;
  if (!choice.marker_lines) {
    std::ifstream in(listing_path, std::ios::binary);
    std::ofstream out(shorter.path(), std::ios::binary);
    cut_long_lines(in, out, kLongLine);
    out.flush();
    if (in.bad() || !out) throw NoRoom("no room for the cut listing");
    print_page(path, module, viewer, shorter.path());
    return;
  }
  const std::string listing = contents_of(listing_path);
  const MarkerLines lines = marker_lines(listing);
  std::ofstream out(shorter.path(), std::ios::binary);
  if (!(out << lines.text << std::flush)) throw NoRoom("no room for the marker lines");
  print_page(path, module, viewer, shorter.path());
  const std::string page = with_whole_listing(contents_of(path), lines, listing, kLongLine);
  if (page.empty()) {  // a viewer of another make: as it is
    print_page(path, module, viewer, listing_path);
    return;
  }
  std::ofstream whole(path, std::ios::binary);
  if (!(whole << page << std::flush)) throw std::runtime_error("cannot write " + path);
}

/// Writes the viewer's page for a module. Throws what Halide throws, NoRoom when a scratch file
/// cannot be written, std::runtime_error when the page cannot.
inline void compile_to_viewer(const Halide::Module& module, Viewer viewer, const std::string& path,
                              const Choice& choice, const StageRunner& stage = run_stage) {
  if (choice.embedded_buffer_warning) warn_of_embedded_buffers(module);
  const ScratchFile listing;
  stage("listing", [&] { write_listing(module, listing.path(), choice); });
  stage("viewer", [&] { write_page(path, module, viewer, listing.path(), choice); });
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
