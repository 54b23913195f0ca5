#pragma once

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <memory>
#include <stdexcept>

#include "harness/suite/case/patch.hpp"

namespace patches::llvm {

inline const cliffbench::Patch kCloneAvoidance{
    .name = "clone_avoidance",
    .before =
        "Before each file that it emits, Halide copies the whole LLVM module by writing it as "
        "bitcode and parsing that: every element of every embedded buffer passes through the "
        "writer and the reader.",
    .after =
        "The module is copied by llvm::CloneModule: constants belong to the context, so the copy "
        "shares their bytes. Or, where it is emitted only once, not at all.",
    .cost =
        "CloneModule: none, the listing is the same, byte for byte. No copy: the module is "
        "changed by the emission and can be emitted only once.",
    .source =
        "halide/Halide #8717: \"This appears to make a deep copy of the buffers\"; the two forms "
        "are ours.",
    .left_out = "The emission of the listing, which takes longer than the copy."};

/// A copy as Halide makes it. The copy lives in the same context.
inline std::unique_ptr<::llvm::Module> copy_by_bitcode(const ::llvm::Module& module) {
  ::llvm::SmallVector<char, 4096> bitcode;
  ::llvm::raw_svector_ostream stream(bitcode);
  ::llvm::WriteBitcodeToFile(module, stream);
  const ::llvm::MemoryBufferRef buffer(::llvm::StringRef(bitcode.data(), bitcode.size()),
                                       module.getModuleIdentifier());
  auto copy = ::llvm::parseBitcodeFile(buffer, module.getContext());
  if (!copy) throw std::runtime_error("bitcode: " + ::llvm::toString(copy.takeError()));
  return std::move(*copy);
}

inline std::unique_ptr<::llvm::Module> copy_by_cloning(const ::llvm::Module& module) {
  return ::llvm::CloneModule(module);
}

}  // namespace patches::llvm
