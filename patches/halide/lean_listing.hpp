#pragma once

#include <Halide.h>

#include <string>

#include "harness/suite/case/patch.hpp"
#include "patches/halide/module_copy.hpp"

namespace patches::halide {

inline const cliffbench::Patch kLeanListing{
    .name = "lean_listing",
    .before =
        "Halide's runtime is compiled along with the pipeline, only to be listed below it: a "
        "constant of "
        "one to two seconds, for every user of the viewer.",
    .after = "The listing is compiled for the same target without the runtime.",
    .cost =
        "The assembly pane no longer shows the functions of the runtime. Without them, LLVM may "
        "choose other instructions, registers and frames for a function (seen with AVX-512 in "
        "Halide 19), so the pane's first line says that it was made without.",
    .source = "ours; found while measuring, in neither issue.",
    .left_out = "The embedded buffers: alone it leaves the cliff as it is."};

/// Whether Halide would make the runtime for this target. A runtime that it refuses must still be
/// refused, and only making it shows that.
inline bool can_be_lean(const Halide::Target& target) {
  const bool metal_machine =
      target.arch == Halide::Target::ARM || target.arch == Halide::Target::X86;
  return !target.has_feature(Halide::Target::D3D12Compute) &&
         !target.has_feature(Halide::Target::WebGPU) &&
         (!target.has_feature(Halide::Target::Metal) || metal_machine);
}

/// Says in the first line of a page's assembly pane that the pane does not show the runtime.
inline void say_lean(std::string& page) {
  const size_t pre = page.find("<pre>\n", page.find("<div id='host-assembly-pane'"));
  const size_t line_end = pre == page.npos ? pre : page.find('\n', pre + 6);
  if (line_end == page.npos) return;  // a viewer of another make
  page.insert(line_end,
              " # halide-patched: made without Halide's runtime; what is compiled with it may "
              "order instructions and use registers differently");
}

/// A module for the listing only: the same functions and buffers for the target with `NoRuntime`.
inline Halide::Module without_runtime(const Halide::Module& module) {
  return module_copy(module, module.target().with_feature(Halide::Target::NoRuntime),
                     [](const Halide::Buffer<>& buffer) { return buffer; });
}

}  // namespace patches::halide
