#pragma once

/// The table of LLVM's patches, each with what it changes on the way from a module to its listing.

#include <algorithm>
#include <string>
#include <vector>

#include "cases/emit_listing/emit.hpp"
#include "patches/llvm/clone_avoidance.hpp"
#include "patches/llvm/incbin.hpp"
#include "patches/llvm/tail_columns.hpp"

namespace emit_listing {

struct Applied {
  const cliffbench::Patch& card;
  void (*apply)(How&);
};
inline const Applied kPatches[] = {
    {patches::llvm::kCloneAvoidance, [](How& how) { how.copy = Copy::clone; }},
    {patches::llvm::kTailColumns, [](How& how) { how.tail_columns = true; }},
    {patches::llvm::kIncbin, [](How& how) { how.incbin = true; }},
};

[[nodiscard]] inline std::vector<cliffbench::Patch> cards() {
  std::vector<cliffbench::Patch> all;
  for (const Applied& patch : kPatches) all.push_back(patch.card);
  return all;
}

/// As Halide does, with these patches.
[[nodiscard]] inline How how_with(const std::vector<std::string>& names) {
  How how;
  for (const Applied& patch : kPatches) {
    if (std::find(names.begin(), names.end(), patch.card.name) != names.end()) patch.apply(how);
  }
  return how;
}

}  // namespace emit_listing
