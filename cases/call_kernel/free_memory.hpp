#pragma once

/// The axis `free_memory`: what becomes of memory that the process has freed.
///
/// `kept`: it stays resident, and later vectors are served from it. Upstream's compiler leaves
/// about 2 GB of such memory behind, so there a call touches no new page. `returned`: it goes back
/// to the system, as in a process that loads its kernels; every block of 128 KiB and more is mapped
/// anew, and its pages are touched for the first time.
///
/// Both fix glibc's thresholds. Left alone they adapt to the first large block that is freed, and
/// where that happens depends on the heap's offset, even on the length of a path: a program then
/// has one of two speeds by chance (DESIGN.md).

#include <cstdlib>
#include <string>
#include <vector>

#include "harness/suite/kit/kit.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace zk {

class FreeMemory {
 public:
  /// `wanted`: "kept" or "returned". Construct it before the measured code allocates anything.
  /// Throws Skipped where memory cannot be returned on request: without glibc, `kept` means
  /// whatever the system does (macOS keeps large blocks for reuse; musl returns them at once).
  explicit FreeMemory(const std::string& wanted) : kept_(wanted == "kept") {
#ifdef __GLIBC__
    if (kept_) {
      mallopt(M_MMAP_MAX, 0);         // large blocks come from the heap as well,
      mallopt(M_TRIM_THRESHOLD, -1);  // which never shrinks: one without the other changes nothing
    } else {
      constexpr int kInitial = 128 * 1024;  // what glibc starts with
      mallopt(M_MMAP_THRESHOLD, kInitial);
      mallopt(M_TRIM_THRESHOLD, kInitial);
      malloc_trim(0);
    }
#else
    if (!kept_) throw cliffbench::Skipped("only glibc has a setting for returning freed memory");
#endif
  }

  /// Returns all free memory to the system, kept or not, so that memory left by set-up does not
  /// change what is measured.
  static void forget() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
  }

  /// Where memory is kept, leaves `bytes` more bytes free and resident.
  void leave(size_t bytes) const {
    if (!kept_) return;
    std::vector<char> touched(bytes, 1);
    benchmark::DoNotOptimize(touched.data());
  }

 private:
  bool kept_;
};

}  // namespace zk
