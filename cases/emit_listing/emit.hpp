#pragma once

/// The steps that Halide takes from its LLVM module to the assembly file, on the system's LLVM:
/// parse the bitcode, copy the module, emit the copy as assembly.

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>

namespace emit_listing {

enum class Copy { bitcode, clone, none };

struct How {
  Copy copy = Copy::bitcode;
  bool tail_columns = false;
  bool incbin = false;   ///< beside the listing, as <listing>.data
  bool verbose = true;   ///< comments, among them the loop markers
  bool discard = false;  ///< the text goes nowhere
};

/// Seconds. `code`: all passes and the text of the functions; `data`: the text of the globals;
/// `file`: writing to the file, of both.
struct Stages {
  double copy = 0;
  double code = 0;
  double data = 0;
  double file = 0;
};

/// Once per process, before the others.
void initialise_llvm();

/// Throws std::runtime_error with LLVM's message when LLVM cannot read the bitcode.
[[nodiscard]] std::unique_ptr<llvm::Module> parse_bitcode(const std::string& path,
                                                          llvm::LLVMContext& context);

/// Writes the assembly of `module` to the file `listing`, for the CPU and with the options that
/// Halide left in its flags. With Copy::none the module is changed. Throws std::runtime_error.
Stages emit(llvm::Module& module, const std::string& listing, const How& how);

/// The same with LLVM's own timers switched on; returns their table.
[[nodiscard]] std::string pass_timers(llvm::Module& module, const std::string& listing);

}  // namespace emit_listing
