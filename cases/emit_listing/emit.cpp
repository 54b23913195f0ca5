#include "cases/emit_listing/emit.hpp"

#include <fcntl.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/CodeGen/AsmPrinter.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassTimingInfo.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "patches/llvm/clone_avoidance.hpp"
#include "patches/llvm/incbin.hpp"
#include "patches/llvm/tail_columns.hpp"

namespace emit_listing {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A file that knows how long it was written to; no file at all when `path` is empty.
class TimedFile : public llvm::raw_pwrite_stream {
 public:
  explicit TimedFile(const std::string& path) : path_(path) {
    if (path.empty()) return;
    file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) error_ = errno;
    check();
  }
  ~TimedFile() override {
    flush();
    if (file_ >= 0) close(file_);
  }
  /// Throws what went wrong so far. Not while LLVM writes: its frames let no exception through.
  void check() const {
    if (error_) throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(error_));
  }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  void write_impl(const char* text, size_t size) override {
    position_ += size;
    if (file_ < 0 || error_) return;
    const auto start = Clock::now();
    while (size > 0) {
      const ssize_t written = ::write(file_, text, size);
      if (written < 0) {
        error_ = errno;
        break;
      }
      text += written;
      size -= static_cast<size_t>(written);
    }
    seconds_ += seconds_since(start);
  }
  void pwrite_impl(const char* text, size_t size, uint64_t offset) override {
    if (file_ >= 0 && ::pwrite(file_, text, size, static_cast<off_t>(offset)) < 0) error_ = errno;
  }
  [[nodiscard]] uint64_t current_pos() const override { return position_; }

  std::string path_;
  int file_ = -1;
  int error_ = 0;
  uint64_t position_ = 0;
  double seconds_ = 0;
};

std::string text_flag(const llvm::Module& module, const char* name) {
  const auto* text = llvm::dyn_cast_or_null<llvm::MDString>(module.getModuleFlag(name));
  return text ? text->getString().str() : "";
}

bool bool_flag(const llvm::Module& module, const char* name) {
  const auto* value =
      llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(module.getModuleFlag(name));
  return value && !value->isZero();
}

std::unique_ptr<llvm::TargetMachine> target_machine(const llvm::Module& module, const How& how) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (!target) throw std::runtime_error(error);
  llvm::TargetOptions options;
  const bool fast = !bool_flag(module, "halide_per_instruction_fast_math_flags");
  options.AllowFPOpFusion = fast ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Strict;
  options.UnsafeFPMath = fast;
  options.NoInfsFPMath = fast;
  options.NoNaNsFPMath = fast;
  options.FloatABIType =
      bool_flag(module, "halide_use_soft_float_abi") ? llvm::FloatABI::Soft : llvm::FloatABI::Hard;
  options.FunctionSections = true;
  options.UseInitArray = true;
  options.DisableIntegratedAS = how.incbin;  // it would read the file in, as text
  options.MCOptions.AsmVerbose = how.verbose;
  options.MCOptions.ABIName = text_flag(module, "halide_mabi");
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      module.getTargetTriple(), text_flag(module, "halide_mcpu_target"),
      text_flag(module, "halide_mattrs"), options,
      bool_flag(module, "halide_use_pic") ? llvm::Reloc::PIC_ : llvm::Reloc::Static,
      bool_flag(module, "halide_use_large_code_model") ? llvm::CodeModel::Large
                                                       : llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Aggressive));
}

/// Notes when the functions are done and the globals begin. The last pass over functions is
/// finished first, and the assembly printer writes the globals when it is finished.
class GlobalsBegin : public llvm::FunctionPass {
 public:
  static inline char id = 0;
  GlobalsBegin(const TimedFile& file, Clock::time_point& at, double& file_s)
      : FunctionPass(id), file_(file), at_(at), file_s_(file_s) {}
  bool runOnFunction(llvm::Function&) override { return false; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesAll(); }
  bool doFinalization(llvm::Module&) override {
    at_ = Clock::now();
    file_s_ = file_.seconds();
    return false;
  }

 private:
  const TimedFile& file_;
  Clock::time_point& at_;
  double& file_s_;
};

/// Adds the passes that addPassesToEmitFile adds, but with our own stream under the printer.
void add_passes_with_tail_columns(llvm::TargetMachine& machine, llvm::legacy::PassManager& passes,
                                  llvm::raw_pwrite_stream& out) {
  auto& llvm_machine = static_cast<llvm::LLVMTargetMachine&>(machine);
  auto* module_info = new llvm::MachineModuleInfoWrapperPass(&llvm_machine);
  llvm::TargetPassConfig* config = llvm_machine.createPassConfig(passes);
  passes.add(config);
  passes.add(module_info);
  if (config->addISelPasses()) throw std::runtime_error("no instruction selection for this target");
  config->addMachinePasses();
  config->setInitialized();
  const llvm::Target& target = machine.getTarget();
  const llvm::MCAsmInfo& dialect = *machine.getMCAsmInfo();
  llvm::MCInstPrinter* printer =
      target.createMCInstPrinter(machine.getTargetTriple(), dialect.getAssemblerDialect(), dialect,
                                 *machine.getMCInstrInfo(), *machine.getMCRegisterInfo());
  std::unique_ptr<llvm::MCAsmBackend> backend(target.createMCAsmBackend(
      *machine.getMCSubtargetInfo(), *machine.getMCRegisterInfo(), machine.Options.MCOptions));
  out.SetUnbuffered();
  std::unique_ptr<llvm::MCStreamer> streamer(target.createAsmStreamer(
      module_info->getMMI().getContext(), std::make_unique<patches::llvm::TailColumns>(out),
      printer, nullptr, std::move(backend)));
  passes.add(target.createAsmPrinter(machine, std::move(streamer)));
  passes.add(llvm::createFreeMachineFunctionPass());
}

Stages run_passes(llvm::Module& module, const std::string& listing, const How& how) {
  Stages stages;
  const auto machine = target_machine(module, how);
  Clock::time_point globals_begin;
  double file_s = 0;  // until then
  const auto start = Clock::now();
  TimedFile file(how.discard ? "" : listing);
  {
    llvm::legacy::PassManager passes;
    passes.add(new llvm::TargetLibraryInfoWrapperPass(
        llvm::TargetLibraryInfoImpl(llvm::Triple(module.getTargetTriple()))));
    passes.add(llvm::createAlwaysInlinerLegacyPass());
    if (how.tail_columns) {
      add_passes_with_tail_columns(*machine, passes, file);
    } else if (machine->addPassesToEmitFile(passes, file, nullptr,
                                            llvm::CodeGenFileType::AssemblyFile)) {
      throw std::runtime_error("this target emits no assembly");
    }
    passes.add(new GlobalsBegin(file, globals_begin, file_s));
    passes.run(module);
  }  // the printer's stream is flushed
  file.flush();
  file.check();
  stages.code = std::chrono::duration<double>(globals_begin - start).count() - file_s;
  stages.data = seconds_since(globals_begin) - (file.seconds() - file_s);
  stages.file = file.seconds();
  return stages;
}

}  // namespace

void initialise_llvm() {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::InitializeAllAsmParsers();
}

std::unique_ptr<llvm::Module> parse_bitcode(const std::string& path, llvm::LLVMContext& context) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) throw std::runtime_error("cannot read " + path + ": " + buffer.getError().message());
  auto module = llvm::parseBitcodeFile((*buffer)->getMemBufferRef(), context);
  if (!module) throw std::runtime_error(path + ": " + llvm::toString(module.takeError()));
  return std::move(*module);
}

Stages emit(llvm::Module& module, const std::string& listing, const How& how) {
  const auto start = Clock::now();
  std::unique_ptr<llvm::Module> copy;
  if (how.copy == Copy::bitcode) copy = patches::llvm::copy_by_bitcode(module);
  if (how.copy == Copy::clone) copy = patches::llvm::copy_by_cloning(module);
  llvm::Module& emitted = copy ? *copy : module;
  const double copy_s = seconds_since(start);
  const auto moved = Clock::now();
  if (how.incbin) patches::llvm::move_constants_to_file(emitted, listing + ".data");
  const double moved_s = seconds_since(moved);
  Stages stages = run_passes(emitted, listing, how);
  stages.copy = copy_s;
  stages.data += moved_s;
  return stages;
}

std::string pass_timers(llvm::Module& module, const std::string& listing) {
  llvm::TimePassesIsEnabled = true;
  (void)emit(module, listing, {.copy = Copy::none});
  std::string table;
  llvm::raw_string_ostream stream(table);
  llvm::reportAndResetTimings(&stream);
  llvm::TimePassesIsEnabled = false;
  return table;
}

}  // namespace emit_listing
