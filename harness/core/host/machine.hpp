#pragma once

/// Questions to the operating system, answered by machine_linux.cpp and machine_macos.cpp.

#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace cliffbench {

struct Machine {
  std::string id;          ///< names the kind of machine; set when recorded (record/session.hpp)
  std::string cpu;         ///< the model, as the system names it
  std::string arch;        ///< "x86_64", "arm64"
  int cores = 0;           ///< logical processors that this process may use
  std::string core_kinds;  ///< "4 performance, 4 efficiency"; "" when they are alike
  std::string caches;      ///< "L1d 32 kB, L2 1 MB, L3 36 MB"; "" when unknown
  std::int64_t memory_bytes = 0;
  std::string os;
  std::string kernel;
  bool virtualised = false;
  bool emulated = false;  ///< another processor's instructions (qemu, Rosetta): times mean nothing
};

/// A virtual macOS: its times wander by tens of per cent.
[[nodiscard]] inline bool is_hosted_mac(bool virtualised, const std::string& os) {
  return virtualised && os.starts_with("macOS");
}

[[nodiscard]] Machine describe_machine();

/// Load averages over 1, 5 and 15 minutes; all 0 when the system does not say.
[[nodiscard]] inline std::array<double, 3> load_averages() {
  std::array<double, 3> load{};
  if (getloadavg(load.data(), 3) != 3) load.fill(0);
  return load;
}

/// Seconds of all processors together since the system started; all 0 when it does not say.
struct CpuTime {
  double total_s = 0;
  double busy_s = 0;
  double steal_s = 0;  ///< wanted by this virtual machine, given to others
};
[[nodiscard]] CpuTime cpu_time();

/// User and system time together.
[[nodiscard]] inline double cpu_seconds(const rusage& usage) {
  const auto seconds = [](timeval time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Highest resident size.
[[nodiscard]] inline std::int64_t peak_rss_bytes(const rusage& usage) {
#ifdef __APPLE__
  return usage.ru_maxrss;
#else
  return usage.ru_maxrss * 1024L;
#endif
}

/// How often the processors were slowed for heat since the system started; 0 when it does not say.
[[nodiscard]] std::int64_t throttle_events();

/// Why times mean little here now: the machine runs on battery or saves power; "" when nothing is
/// known against measuring.
[[nodiscard]] std::string why_power_unfit();

/// Memory that a new process could use without swapping; 0 when the system does not say.
[[nodiscard]] std::int64_t available_memory_bytes();

/// Highest resident size of this process so far. Not ru_maxrss on Linux: that inherits the parent's
/// peak.
[[nodiscard]] std::int64_t peak_rss_bytes();

/// Asks for the fast cores, for the calling thread and the threads that it starts. Does nothing
/// where there is only one kind. Async-signal-safe.
void prefer_fast_cores();

/// Under a sanitizer the system cannot limit memory: its terabytes of shadow memory would count.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Memory of a process where we must enforce its limit ourselves; 0 where the system enforces it
/// (setrlimit on Linux).
[[nodiscard]] std::int64_t unguarded_memory_bytes(int pid);

/// Path of the running program; "" when the system does not say.
[[nodiscard]] std::string own_path();

/// Whether exact instruction counts can be had here, and if not why ("" when they can).
[[nodiscard]] std::string why_no_instruction_counts();

}  // namespace cliffbench
