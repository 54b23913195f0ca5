#pragma once

/// The axis `free_memory`: what becomes of memory that the process has freed. Upstream's compiler
/// leaves about 2 GB of it behind, still resident, from which glibc serves a call's vectors
/// (`kept`). Where there is none, as in a program that loads its kernels, glibc maps every large
/// vector anew, and a call pays for the first touch of each of its pages (`returned`).

#include <cstdlib>
#include <string>
#include <vector>

#include "harness/kit/kit.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace zk {

/// Before the calls that settle the heap. `first_call_bytes`: what is to lie free for a call that
/// none comes before. Throws Skipped where memory cannot be had returned: elsewhere than with glibc
/// `kept` is what the system does (macOS keeps large blocks for reuse; musl returns them at once).
inline void set_free_memory(const std::string& wanted, [[maybe_unused]] size_t first_call_bytes) {
#ifdef __GLIBC__
  if (wanted == "returned") {
    malloc_trim(0);
    return;
  }
  mallopt(M_MMAP_MAX, 0);         // large blocks come from the heap as well,
  mallopt(M_TRIM_THRESHOLD, -1);  // which never shrinks: one without the other changes nothing
  std::vector<char> touched(first_call_bytes, 1);
  benchmark::DoNotOptimize(touched.data());
#else
  if (wanted == "returned") throw cliffbench::Skipped("only glibc is asked to return free memory");
#endif
}

}  // namespace zk
