#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "cases/call_kernel/circuit/kernel.hpp"

namespace zk {

/// Moves the operand blocks of all instructions to new places in the heap: runs of neighbouring
/// instructions stay together, the runs lie in a seeded order. So a pass over the instructions
/// jumps in memory as it does after upstream's compiler, which leaves the blocks in the order in
/// which its passes freed and took them.
template <typename Scalar>
void scatter(Kernel<Scalar>& kernel, std::uint64_t seed) {
  constexpr size_t kRun = 24;  // chosen so that hashing takes 1.3 to 1.8 times as long (README.md)
  std::vector<Instruction<Scalar>*> instructions;
  for (RootCircuit<Scalar>* root : {&kernel.ir_for_later_compilation, &kernel.ir_for_calling}) {
    for (auto& [id, circuit] : root->circuits) {
      for (auto& instruction : circuit.instructions) instructions.push_back(&instruction);
    }
  }
  std::vector<size_t> runs;
  for (size_t begin = 0; begin < instructions.size(); begin += kRun) runs.push_back(begin);
  std::mt19937_64 random(seed);
  for (size_t i = runs.size(); i > 1; --i) std::swap(runs[i - 1], runs[random() % i]);
  std::vector<void*> old;
  old.reserve(instructions.size());
  for (const size_t begin : runs) {
    for (size_t i = begin; i < std::min(begin + kRun, instructions.size()); ++i) {
      old.push_back(instructions[i]->renew_block());
    }
  }
  for (void* block : old) ::operator delete(block);
}

}  // namespace zk
