#pragma once

#include "cases/call_kernel/circuit/kernel.hpp"
#include "cases/call_kernel/circuit/siphash.hpp"

namespace zk {

/// Counts of a kernel: all circuits of ir_for_later_compilation, unless said otherwise.
struct Sizes {
  std::uint64_t inputs = 0;  ///< of the root
  std::uint64_t instructions = 0, lincombs = 0, terms = 0, muls = 0, mul_inputs = 0;
  std::uint64_t constraints = 0;
  std::uint64_t calling_instructions = 0;  ///< of ir_for_calling
  std::uint64_t hash_bytes = 0, hash_writes = 0;
  std::uint64_t digest = 0;  ///< SipHash-1-3 with the key (0, 0)
};

template <typename Scalar>
[[nodiscard]] Sizes sizes_of(const Kernel<Scalar>& kernel) {
  Sizes sizes;
  sizes.inputs = kernel.ir_for_later_compilation.root().num_inputs;
  for (const auto& [id, circuit] : kernel.ir_for_later_compilation.circuits) {
    sizes.instructions += circuit.instructions.size();
    sizes.constraints += circuit.constraints.size();
    for (const auto& instruction : circuit.instructions) {
      if (instruction.kind() == Kind::lin_comb) {
        ++sizes.lincombs;
        sizes.terms += instruction.terms().size();
      } else if (instruction.kind() == Kind::mul) {
        ++sizes.muls;
        sizes.mul_inputs += instruction.inputs().size();
      }
    }
  }
  for (const auto& [id, circuit] : kernel.ir_for_calling.circuits) {
    sizes.calling_instructions += circuit.instructions.size();
  }
  ByteCounter counter;
  kernel.write_to(counter);
  sizes.hash_bytes = counter.written;
  sizes.hash_writes = counter.writes;
  SipHasher hasher;
  kernel.write_to(hasher);
  sizes.digest = hasher.finish();
  return sizes;
}

}  // namespace zk
