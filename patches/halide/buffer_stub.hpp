#pragma once

#include <Halide.h>

#include <cstring>
#include <vector>

#include "harness/patch.hpp"

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

/// A module for the listing only: the same functions, each buffer replaced by one zero element of
/// its name, type and dimensionality. Never to be run. Declines, and returns the module as it is,
/// when the target has NoBoundsQuery: then nothing writes to a buffer's halide_buffer_t, so LLVM
/// takes the address and the shape in it for constants, and values for part of the code.
inline Halide::Module stub_buffers(const Halide::Module& module) {
  if (module.target().has_feature(Halide::Target::NoBoundsQuery)) return module;
  Halide::Module stubbed(module.name(), module.target());
  for (const Halide::Buffer<>& buffer : module.buffers()) {
    Halide::Buffer<> stub(buffer.type(), std::vector<int>(buffer.dimensions(), 1), buffer.name());
    std::memset(stub.data(), 0, stub.size_in_bytes());
    stubbed.append(stub);
  }
  for (const Halide::Internal::LoweredFunc& function : module.functions()) stubbed.append(function);
  return stubbed;
}

}  // namespace patches::halide
