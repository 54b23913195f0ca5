#include <mach/mach.h>
#include <sys/resource.h>
#include <sys/sysctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "harness/machine.hpp"

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

}  // namespace

Machine describe_machine() {
  utsname name{};
  uname(&name);
  Machine machine;
  machine.cpu = text("machdep.cpu.brand_string");
  machine.arch = name.machine;
  machine.cores = static_cast<int>(number("hw.logicalcpu"));
  machine.caches = "L1d " + std::to_string(number("hw.l1dcachesize") / 1024) + "K, L2 " +
                   std::to_string(number("hw.l2cachesize") / 1024) + "K";
  machine.memory_bytes = number("hw.memsize");
  machine.os = "macOS " + text("kern.osproductversion");
  machine.kernel = std::string(name.sysname) + " " + name.release;
  machine.virtualised = number("kern.hv_vmm_present") != 0;
  return machine;
}

std::array<double, 3> load_averages() {
  std::array<double, 3> load{};
  if (getloadavg(load.data(), 3) != 3) load.fill(0);
  return load;
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

std::int64_t throttle_events() { return 0; }  // macOS tells a state only

std::string why_power_unfit() { return ""; }

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

std::string why_no_instruction_counts() { return "not read on macOS yet"; }

}  // namespace cliffbench
