#pragma once

/// Compiling a pipeline to its conceptual stmt: as Halide does it in one call, and in its exported
/// stages with patches between them.

#include <Halide.h>

#include <functional>
#include <string>
#include <vector>

struct Patches {
  bool regex_filter = false;
  bool buffer_stub = false;
  bool lean_listing = false;
};

/// Runs `body` as a named stage (the harness times it).
using StageRunner = std::function<void(const char* stage, const std::function<void()>& body)>;

/// The same file as Func::compile_to_conceptual_stmt(path, arguments, HTML, target) writes, made by
/// the stages that libHalide exports (lower, listing, viewer); without patches it is identical byte
/// for byte. `listing_path` is a scratch file for the assembly. Text has no viewer, so no patch
/// applies: it is the one call.
void compile_in_stages(Halide::Func output, const std::vector<Halide::Argument>& arguments,
                       Halide::StmtOutputFormat format, const Halide::Target& target,
                       const std::string& path, const std::string& listing_path, Patches patches,
                       const StageRunner& stage);
