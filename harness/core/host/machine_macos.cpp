#include <libkern/OSThermalNotification.h>
#include <libproc.h>
#include <mach-o/dyld.h>
#include <mach/mach.h>
#include <pthread/qos.h>
#include <sys/resource.h>
#include <sys/sysctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <string>

#include "harness/core/host/machine.hpp"
#include "harness/core/host/machine_macos_parse.hpp"
#include "harness/core/host/process.hpp"

#if __has_include(<notify.h>)
#include <notify.h>
#else  // a compiler without Apple's whole SDK (make cross-macos): libSystem's notify(3)
extern "C" {
uint32_t notify_register_check(const char* name, int* token);
uint32_t notify_get_state(int token, uint64_t* state);
uint32_t notify_cancel(int token);
}
#endif

namespace cliffbench {
namespace {

std::string text(const char* name) {
  size_t size = 0;
  if (sysctlbyname(name, nullptr, &size, nullptr, 0) != 0 || size == 0) return "";
  std::string value(size, '\0');
  if (sysctlbyname(name, value.data(), &size, nullptr, 0) != 0) return "";
  value.resize(value.find('\0') == std::string::npos ? size : value.find('\0'));
  return value;
}

/// Integers of 4 or 8 bytes; 0 when the system does not know the name.
std::int64_t number(const char* name) {
  std::int64_t value = 0;  // little endian: a 4-byte answer fills the low half
  size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, nullptr, 0) == 0 ? value : 0;
}

/// hw.perflevel0 is the fastest level. Before macOS 12 there are no levels, only hw.* (on Apple
/// silicon the efficiency cores' caches).
std::vector<CoreKind> core_kinds() {
  std::vector<CoreKind> kinds;
  const auto levels = number("hw.nperflevels");
  for (int level = 0; level < levels; ++level) {
    const std::string key = "hw.perflevel" + std::to_string(level) + ".";
    kinds.push_back(
        {text((key + "name").c_str()), static_cast<int>(number((key + "logicalcpu").c_str())),
         number((key + "l1dcachesize").c_str()), number((key + "l2cachesize").c_str())});
  }
  if (kinds.empty()) kinds.push_back({"", 0, number("hw.l1dcachesize"), number("hw.l2cachesize")});
  return kinds;
}

/// 0 is nominal, and the answer where the system does not say.
std::uint64_t thermal_level() {
  int token = 0;
  std::uint64_t level = 0;
  if (notify_register_check(kOSThermalNotificationPressureLevelName, &token) != 0) return 0;
  if (notify_get_state(token, &level) != 0) level = 0;
  notify_cancel(token);
  return level;
}

rusage_info_v4 usage_of(int pid) {
  rusage_info_v4 usage{};
  if (proc_pid_rusage(pid, RUSAGE_INFO_V4, reinterpret_cast<rusage_info_t*>(&usage)) != 0)
    usage = {};
  return usage;
}

}  // namespace

Machine describe_machine() {
  utsname name{};
  uname(&name);
  Machine machine;
  machine.cpu = text("machdep.cpu.brand_string");
  machine.arch = name.machine;
  machine.cores = static_cast<int>(number("hw.logicalcpu"));
  const auto kinds = core_kinds();
  machine.core_kinds = core_kinds_text(kinds);
  machine.caches = caches_text(kinds);
  machine.memory_bytes = number("hw.memsize");
  machine.os = "macOS " + text("kern.osproductversion");
  machine.kernel = std::string(name.sysname) + " " + name.release;
  machine.virtualised = number("kern.hv_vmm_present") != 0;
  machine.emulated = number("sysctl.proc_translated") != 0;
  return machine;
}

CpuTime cpu_time() {
  host_cpu_load_info_data_t load{};
  mach_msg_type_number_t count = HOST_CPU_LOAD_INFO_COUNT;
  if (host_statistics(mach_host_self(), HOST_CPU_LOAD_INFO, reinterpret_cast<host_info_t>(&load),
                      &count) != KERN_SUCCESS) {
    return {};
  }
  const auto second = static_cast<double>(sysconf(_SC_CLK_TCK));
  CpuTime time;
  for (const natural_t ticks : load.cpu_ticks) time.total_s += ticks / second;
  time.busy_s = time.total_s - load.cpu_ticks[CPU_STATE_IDLE] / second;
  return time;
}

std::int64_t throttle_events() { return 0; }  // macOS reports only a state

std::string why_power_unfit() {
  constexpr double kLimit_s = 10;
  return power_sentence(read_output({"/usr/bin/pmset", "-g", "batt"}, kLimit_s).output,
                        read_output({"/usr/bin/pmset", "-g"}, kLimit_s).output, thermal_level());
}

void prefer_fast_cores() {
  setpriority(PRIO_DARWIN_PROCESS, 0, 0);  // not in the background, where only slow cores are
  pthread_set_qos_class_self_np(QOS_CLASS_USER_INITIATED, 0);
}

// setrlimit accepts RLIMIT_DATA and RLIMIT_AS here but does not enforce them.
std::int64_t unguarded_memory_bytes(int pid) {
  return static_cast<std::int64_t>(usage_of(pid).ri_phys_footprint);
}

std::string own_path() {
  std::array<char, PATH_MAX> path{};
  auto size = static_cast<std::uint32_t>(path.size());
  if (_NSGetExecutablePath(path.data(), &size) != 0) return "";
  std::array<char, PATH_MAX> resolved{};
  return realpath(path.data(), resolved.data()) ? resolved.data() : "";
}

std::int64_t available_memory_bytes() {
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  if (host_statistics64(mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages),
                        &count) != KERN_SUCCESS) {
    return 0;
  }
  const auto free = static_cast<std::int64_t>(pages.free_count) + pages.inactive_count;
  return free * number("hw.pagesize");
}

std::int64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;  // bytes here, kilobytes on Linux
}

std::string why_no_instruction_counts() {
  return "macOS includes the kernel's instructions in a process's count, so no two counts agree";
}

}  // namespace cliffbench
