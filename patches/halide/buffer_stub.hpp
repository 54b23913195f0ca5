#pragma once

#include <Halide.h>

#include <cstring>
#include <vector>

#include "harness/suite/case/patch.hpp"
#include "patches/halide/module_copy.hpp"

namespace patches::halide {

inline const cliffbench::Patch kBufferStub{
    .name = "buffer_stub",
    .before =
        "The listing for the viewer is compiled with every embedded buffer in it: bitcode is "
        "written and "
        "read, the text is emitted and then searched, byte by byte.",
    .after =
        "The listing is compiled from a copy of the module in which each embedded buffer is one "
        "element of "
        "the same name and type; the viewer still gets the original module.",
    .cost =
        "The assembly pane shows one element of each embedded buffer instead of its first hundred "
        "characters, and the shape of the stub.",
    .source = "ours; it removes what halide/Halide #8717 lists as the downstream costs.",
    .left_out =
        "Lowering still hashes and copies what it did before. With the target feature "
        "no_bounds_query LLVM may fold a buffer's values into the code, so nothing is stubbed."};

/// Whether a stub gives the same code. Not for the code of a GPU's kernels, which nobody embeds for
/// its size; not for a buffer that Halide refuses, so that it still does; and not with
/// NoBoundsQuery: then nothing writes to a buffer's halide_buffer_t, LLVM takes the address and the
/// shape in it for constants, and folds values into the code.
inline bool can_be_stub(const Halide::Module& module, const Halide::Buffer<>& buffer) {
  return !module.target().has_feature(Halide::Target::NoBoundsQuery) && buffer.data() &&
         !buffer.device_dirty() && buffer.size_in_bytes() > 0 && buffer.dimensions() > 0 &&
         !buffer.name().ends_with("_gpu_source_kernels");
}

/// A module for the listing only: the same functions, each buffer that can be a stub replaced by
/// one zero element of its name, type and dimensionality. Never to be run.
inline Halide::Module stub_buffers(const Halide::Module& module) {
  return module_copy(module, module.target(), [&](const Halide::Buffer<>& buffer) {
    if (!can_be_stub(module, buffer)) return buffer;
    Halide::Buffer<> stub(buffer.type(), std::vector<int>(buffer.dimensions(), 1), buffer.name());
    std::memset(stub.data(), 0, stub.size_in_bytes());
    return stub;
  });
}

}  // namespace patches::halide
