#include "cases/conceptual_stmt/compile.hpp"

#include <optional>

#include "patches/halide/buffer_stub.hpp"
#include "patches/halide/lean_listing.hpp"
#include "patches/halide/regex_filter.hpp"

void compile_in_stages(Halide::Func output, const std::vector<Halide::Argument>& arguments,
                       Halide::StmtOutputFormat format, const Halide::Target& target,
                       const std::string& path, const std::string& listing_path, Patches patches,
                       const StageRunner& stage) {
  if (format == Halide::Text) {
    stage("lower", [&] { output.compile_to_conceptual_stmt(path, arguments, format, target); });
    return;
  }
  std::optional<Halide::Module> module;
  stage("lower", [&] { module = output.compile_to_module(arguments, "", target); });
  stage("listing", [&] {
    Halide::Module listed = *module;
    if (patches.buffer_stub) listed = patches::halide::stub_buffers(listed);
    if (patches.lean_listing) listed = patches::halide::without_runtime(listed);
    listed.compile({{Halide::OutputFileType::assembly, listing_path}});
  });
  stage("viewer", [&] {
    if (patches.regex_filter) patches::halide::cut_long_lines(listing_path);
    Halide::Internal::print_to_conceptual_stmt_html(path, *module, listing_path);
  });
}
