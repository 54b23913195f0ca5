// Module::compile with the patches, built once for each libHalide; loaded by preload.cpp.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "patches/halide/choice.hpp"
#include "patches/halide/conceptual_stmt.hpp"
#include "patches/halide/preload/preload.hpp"

namespace {

using Halide::OutputFileType;
using Outputs = std::map<OutputFileType, std::string>;
using patches::halide::Choice;
using patches::halide::Viewer;

/// The launcher has checked the names.
const Choice& chosen() {
  static const Choice choice = [] {
    const char* names = std::getenv(kPatchesVariable);
    return names ? patches::halide::choice_of(names) : patches::halide::kEveryPatch;
  }();
  return choice;
}

void compile(const Halide::Module& module, Outputs outputs, Compile own) {
  const std::map<OutputFileType, Viewer> viewers = {
      {OutputFileType::stmt_html, Viewer::stmt},
      {OutputFileType::conceptual_stmt_html, Viewer::conceptual_stmt}};
  Outputs pages;
  for (const auto& [type, viewer] : viewers) {
    if (auto page = outputs.extract(type)) pages.insert(std::move(page));
  }
  if (!outputs.empty() || pages.empty()) own(&module, &outputs);
  try {
    for (const auto& [type, path] : pages) {
      patches::halide::compile_to_viewer(module, viewers.at(type), path, chosen());
      if (std::ifstream(path).fail()) {  // Halide says nothing of it
        std::fprintf(stderr, "halide-patched: cannot write %s\n", path.c_str());
      }
    }
  } catch (const patches::halide::NoRoom& error) {
    std::fprintf(stderr, "halide-patched: %s; compiling unpatched\n", error.what());
    own(&module, &pages);
  }
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void halide_patched_compile(const void* module,
                                                                      const void* outputs,
                                                                      Compile own) {
  compile(*static_cast<const Halide::Module*>(module), *static_cast<const Outputs*>(outputs), own);
}
