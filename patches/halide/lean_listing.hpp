#pragma once

#include <Halide.h>

#include "harness/patch.hpp"
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
        "The assembly pane no longer shows the functions of the runtime. Without them beside, "
        "LLVM may order the instructions of a function's argument checks otherwise (seen once, "
        "with AVX-512 in Halide 19).",
    .source = "ours; found while measuring, in neither issue.",
    .left_out = "The embedded buffers: alone it leaves the cliff as it is."};

/// A module for the listing only: the same functions and buffers for the target with `NoRuntime`.
inline Halide::Module without_runtime(const Halide::Module& module) {
  return module_copy(module, module.target().with_feature(Halide::Target::NoRuntime),
                     [](const Halide::Buffer<>& buffer) { return buffer; });
}

}  // namespace patches::halide
