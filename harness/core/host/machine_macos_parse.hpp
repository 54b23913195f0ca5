#pragma once

/// Parses what macOS says about itself. Pure, so it is tested on any system; machine_macos.cpp
/// asks.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cliffbench {

/// One kind of core, the fastest first: sysctl's hw.perflevel<n>.
struct CoreKind {
  std::string name;  ///< "Performance"; "" before macOS 12
  int cores = 0;     ///< logical
  std::int64_t l1d_bytes = 0;
  std::int64_t l2_bytes = 0;
};

/// "4 performance, 4 efficiency"; "" when all cores are of one kind.
[[nodiscard]] std::string core_kinds_text(const std::vector<CoreKind>& kinds);

/// Caches of the fastest kind: "L1d 128K, L2 12288K", without those of unknown size.
[[nodiscard]] std::string caches_text(const std::vector<CoreKind>& kinds);

/// Why times mean little, in one sentence, by what `pmset -g batt` and `pmset -g` print (low-power
/// mode is lowpowermode 1, or powermode 1 on machines that have a high-power mode too) and the
/// thermal pressure of libkern/OSThermalNotification.h; "" when nothing is against measuring.
[[nodiscard]] std::string power_sentence(std::string_view pmset_batt, std::string_view pmset,
                                         std::uint64_t thermal_level);

}  // namespace cliffbench
