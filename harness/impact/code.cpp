#include <Zydis/Zydis.h>

#include "harness/impact/elf_file.hpp"

namespace cliffbench {
namespace {

struct Decoded : ZydisDecodedInstruction {
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

bool decode(std::string_view bytes, Decoded& decoded) {
  static const ZydisDecoder kDecoder = [] {
    ZydisDecoder made;
    ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return made;
  }();
  return ZYAN_SUCCESS(
      ZydisDecoderDecodeFull(&kDecoder, bytes.data(), bytes.size(), &decoded, decoded.operands));
}

bool jumps(const Decoded& decoded) { return decoded.raw.imm[0].is_relative; }

/// The instruction at an address, its distance from another place taken out.
Instruction without_distance(const Decoded& decoded, std::string_view bytes, std::uint64_t at) {
  Instruction one{.at = at, .bytes = std::string(bytes.substr(0, decoded.length))};
  const bool from_here = (decoded.attributes & ZYDIS_ATTRIB_HAS_MODRM) &&
                         decoded.raw.modrm.mod == 0 && decoded.raw.modrm.rm == 5;
  if (!jumps(decoded) && !from_here) return one;
  const auto& [relative, disp] = std::pair(decoded.raw.imm[0], decoded.raw.disp);
  const std::int64_t distance = jumps(decoded) ? relative.value.s : disp.value;
  one.target = at + decoded.length + static_cast<std::uint64_t>(distance);
  one.is_address = decoded.mnemonic == ZYDIS_MNEMONIC_LEA;
  one.jumps = jumps(decoded);
  const size_t bits = jumps(decoded) ? relative.size : disp.size;
  one.bytes.replace(jumps(decoded) ? relative.offset : disp.offset, bits / 8, bits / 8, '\0');
  return one;
}

/// Code that is read as data cannot be followed: breakpoints would change it. Tables behind the
/// end of hand-written code can.
bool reads_code(const ElfFile& file, const Instruction& one) {
  const Function* function = file.function_at(one.target);
  return function && (!one.is_address || function->start != one.target) &&
         !function->lies_behind(one.target);
}

}  // namespace

void read_code(const ElfFile& file, Function& function) {
  const std::uint64_t end = function.has_table ? function.known_end : function.end;
  const auto all = std::string_view(file.image).substr(0, end);
  bool runs_on = false;  // from the end to the next function, whichever that is
  size_t kept = 0;       // instructions up to the last that does not only pad
  for (std::uint64_t at = function.start; at < end;) {
    Decoded decoded;
    if (!decode(all.substr(at), decoded)) {
      // Behind the end anything may fill the space; before it are data, or instructions newer than
      // the decoder.
      function.is_whole = function.is_whole && function.known_end > 0 && at >= function.known_end;
      break;
    }
    function.instructions.push_back(without_distance(decoded, all.substr(at), at));
    if (!jumps(decoded) && reads_code(file, function.instructions.back()))
      function.is_whole = false;
    const auto is = [&](auto... mnemonics) { return ((decoded.mnemonic == mnemonics) || ...); };
    const bool pads = is(ZYDIS_MNEMONIC_NOP, ZYDIS_MNEMONIC_INT3) ||
                      all.substr(at, 2) == std::string_view("\0\0", 2);
    if (!pads || at < function.known_end) {
      kept = function.instructions.size();
      runs_on = !is(ZYDIS_MNEMONIC_JMP, ZYDIS_MNEMONIC_RET, ZYDIS_MNEMONIC_UD2, ZYDIS_MNEMONIC_HLT,
                    ZYDIS_MNEMONIC_CALL, ZYDIS_MNEMONIC_INT3);
    }
    at += decoded.length;
  }
  function.instructions.resize(kept);
  function.is_whole = function.is_whole && !runs_on;
}

unsigned bytes_accessed(std::string_view instruction) {
  Decoded decoded;
  if (!decode(instruction, decoded)) return 0;
  unsigned places = 0, bits = 0;
  for (unsigned i = 0; i < decoded.operand_count; ++i) {
    const ZydisDecodedOperand& operand = decoded.operands[i];
    const bool is_stack = operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
                          operand.mem.base == ZYDIS_REGISTER_RSP;
    if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || is_stack) continue;
    places += operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB ? 2 : 1;
    bits = operand.size;
  }
  return places == 1 ? bits / 8 : 0;
}

}  // namespace cliffbench
