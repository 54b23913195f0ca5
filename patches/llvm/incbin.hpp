#pragma once

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/suite/case/patch.hpp"

namespace patches::llvm {

inline const cliffbench::Patch kIncbin{
    .name = "incbin",
    .before =
        "A constant's bytes become the text of a data directive, about three characters a byte, "
        "made one by one.",
    .after =
        "The bytes of each constant of 4 kB and more are written to one file as they are; the "
        "listing includes them from there (.incbin), at their place in the data section.",
    .cost =
        "The listing is two files and can be assembled only with both. The constants' labels lose "
        "their private prefix.",
    .source = "ours; .incbin is a directive of GNU as and of LLVM's assembler.",
    .left_out = "The copy of the module."};

/// Moves the bytes of each large constant of `module` into the file `path`, and their place in the
/// listing into its inline assembly. Throws std::runtime_error when the file cannot be written.
inline void move_constants_to_file(::llvm::Module& module, const std::string& path) {
  constexpr size_t kSmallest = 4096;
  const bool macho = ::llvm::Triple(module.getTargetTriple()).isOSBinFormatMachO();
  std::ofstream file(path, std::ios::binary);
  size_t offset = 0;
  std::string assembly = macho ? "\t.section __TEXT,__const\n" : "\t.section .rodata,\"a\"\n";
  for (::llvm::GlobalVariable& constant : module.globals()) {
    if (!constant.isConstant() || !constant.hasInitializer()) continue;
    const auto* data = ::llvm::dyn_cast<::llvm::ConstantDataSequential>(constant.getInitializer());
    if (!data || data->getRawDataValues().size() < kSmallest) continue;
    const ::llvm::StringRef bytes = data->getRawDataValues();
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    // An external name would be seen by other objects; a hidden one is this object's own.
    constant.setInitializer(nullptr);
    constant.setLinkage(::llvm::GlobalValue::ExternalLinkage);
    constant.setVisibility(::llvm::GlobalValue::HiddenVisibility);
    constant.setDSOLocal(true);
    const std::string name = (macho ? "_" : "") + constant.getName().str();
    assembly += "\t.p2align 5\n\t.globl " + name + "\n\t" +
                (macho ? ".private_extern " : ".hidden ") + name + "\n" + name + ":\n\t.incbin \"" +
                path + "\", " + std::to_string(offset) + ", " + std::to_string(bytes.size()) + "\n";
    offset += bytes.size();
  }
  file.flush();
  if (!file) throw std::runtime_error("cannot write " + path);
  if (offset > 0) module.appendModuleInlineAsm(assembly + "\t.text\n");
}

}  // namespace patches::llvm
