#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "cases/call_kernel/circuit/kernel.hpp"

namespace zk {

/// Where upstream's compiler leaves the operand blocks of a kernel, in the order in which the hash
/// visits them: how many lie one directly behind the other (a run), and how far it is from one run
/// to the next.
struct HeapLayout {
  static constexpr double kFar = 64 << 20;

  struct Runs {
    double share;            ///< of all blocks
    std::uint64_t from, to;  ///< blocks in such a run
  };
  struct Jumps {
    double share;     ///< of all jumps
    double from, to;  ///< bytes
  };
  std::vector<Runs> runs;
  /// A near jump goes back, because an allocator hands out first what was freed last. A far one
  /// (kFar) returns to where the far one before it started: two passes of the compiler took turns.
  std::vector<Jumps> jumps;
  double bytes_a_block = 0;  ///< of the heap over which the blocks are spread
};

/// Neighbouring blocks, numbered in the order of the hash.
struct BlockRun {
  size_t first = 0, blocks = 0;
  double place = 0;  ///< bytes
};

/// A seeded sequence of runs for `blocks` blocks; bytes_of(i) is what block i takes of the heap.
template <typename BytesOf>
[[nodiscard]] std::vector<BlockRun> place_runs(const HeapLayout& layout, std::uint64_t seed,
                                               size_t blocks, const BytesOf& bytes_of) {
  std::mt19937_64 random(seed);
  const auto fraction = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  // A kind by its weight, the last one if rounding leaves none.
  const auto drawn = [&](const auto& kinds, const auto& weight) -> const auto& {
    double sum = 0;
    for (const auto& kind : kinds) sum += weight(kind);
    double left = fraction() * sum;
    for (const auto& kind : kinds) {
      left -= weight(kind);
      if (left < 0) return kind;
    }
    return kinds.back();
  };
  const double span = layout.bytes_a_block * static_cast<double>(blocks);
  std::vector<BlockRun> runs;
  double place = span / 2, other_place = 0;
  for (size_t first = 0; first < blocks;) {
    const HeapLayout::Runs& kind = drawn(layout.runs, [](const HeapLayout::Runs& r) {
      return r.share / static_cast<double>(r.from + r.to);
    });
    const size_t size =
        std::min<size_t>(blocks - first, kind.from + random() % (kind.to - kind.from + 1));
    runs.push_back({first, size, place});
    double bytes = 0;
    for (size_t i = 0; i < size; ++i) bytes += bytes_of(first++);
    const HeapLayout::Jumps& jump =
        drawn(layout.jumps, [](const HeapLayout::Jumps& jumps) { return jumps.share; });
    if (jump.from >= HeapLayout::kFar) {
      place = std::exchange(other_place, place + bytes);
      continue;
    }
    place -= bytes + jump.from * std::pow(jump.to / jump.from, fraction());
    if (place < 0) place = std::max(0., place + span);
  }
  return runs;
}

/// Moves the operand blocks of all instructions to new places in the heap. What lies between two
/// runs belongs to the block before it and is never touched.
template <typename Scalar>
void scatter(Kernel<Scalar>& kernel, const HeapLayout& layout, std::uint64_t seed) {
  constexpr double kMostBehind = 1e5;  // larger blocks would not come from the heap
  std::vector<Instruction<Scalar>*> owners;
  for (RootCircuit<Scalar>* root : {&kernel.ir_for_later_compilation, &kernel.ir_for_calling}) {
    for (auto& [id, circuit] : root->circuits) {
      for (auto& instruction : circuit.instructions) {
        if (instruction.block_bytes()) owners.push_back(&instruction);
      }
    }
  }
  const auto bytes_of = [&](size_t i) {  // glibc's
    return static_cast<double>((owners[i]->block_bytes() + 8 + 15) / 16 * 16);
  };
  std::vector<BlockRun> runs = place_runs(layout, seed, owners.size(), bytes_of);
  std::ranges::stable_sort(runs, {}, &BlockRun::place);
  std::vector<void*> old;
  old.reserve(owners.size());
  double end = 0;  // of what is placed
  for (size_t r = 0; r < runs.size(); ++r) {
    const size_t last = runs[r].first + runs[r].blocks - 1;
    end = std::max(end, runs[r].place);
    for (size_t i = runs[r].first; i <= last; ++i) {
      end += bytes_of(i);
      const bool gap = i == last && r + 1 < runs.size();
      const double unused = gap ? std::clamp(runs[r + 1].place - end, 0., kMostBehind) : 0;
      old.push_back(owners[i]->renew_block(static_cast<size_t>(unused)));
    }
  }
  for (void* block : old) ::operator delete(block);
}

}  // namespace zk
