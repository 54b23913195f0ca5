#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/core/host/machine.hpp"

namespace cliffbench {
namespace {

/// The text after "key<separator>" in a file of such lines; "" when there is none.
std::string value_of(const char* path, const std::string& key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    const size_t start = line.find_first_not_of(" \t\"", at + 1);
    const size_t end = line.find_last_not_of(" \t\"");
    return start == std::string::npos ? "" : line.substr(start, end - start + 1);
  }
  return "";
}

std::int64_t kilobytes(const char* path, const char* key) {
  return std::atoll(value_of(path, key, ':').c_str()) * 1024;
}

std::string first_line(const std::filesystem::path& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::string caches() {
  std::string text;
  for (int index = 0; index < 8; ++index) {
    const std::filesystem::path cache =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    const std::string level = first_line(cache / "level");
    const std::string type = first_line(cache / "type");
    if (level.empty() || type == "Instruction") continue;
    text += (text.empty() ? "L" : ", L") + level + (type == "Data" ? "d " : " ") +
            first_line(cache / "size");
  }
  return text;
}

std::string cpu_model(const std::string& arch) {
  std::string model = value_of("/proc/cpuinfo", "model name", ':');
  if (!model.empty()) return model;
  const std::string part = value_of("/proc/cpuinfo", "CPU part", ':');
  return part.empty() ? arch : arch + " CPU part " + part;
}

}  // namespace

Machine describe_machine() {
  utsname name{};
  uname(&name);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  Machine machine;
  machine.arch = name.machine;
  machine.cpu = cpu_model(machine.arch);
  machine.cores = CPU_COUNT(&allowed);
  machine.caches = caches();
  machine.memory_bytes = kilobytes("/proc/meminfo", "MemTotal");
  machine.os = value_of("/etc/os-release", "PRETTY_NAME", '=');
  machine.kernel = std::string(name.sysname) + " " + name.release;
  machine.virtualised =
      value_of("/proc/cpuinfo", "flags", ':').find(" hypervisor") != std::string::npos;
  // qemu's user emulation reports its own architecture but shows the host's processor.
  machine.emulated =
      machine.arch == "aarch64" && value_of("/proc/cpuinfo", "CPU implementer", ':').empty();
  return machine;
}

CpuTime cpu_time() {
  // user nice system idle iowait irq softirq steal, in clock ticks
  std::ifstream file("/proc/stat");
  std::string word;
  std::array<double, 8> ticks{};
  file >> word;
  for (double& tick : ticks) file >> tick;
  if (!file) return {};
  const double second = static_cast<double>(sysconf(_SC_CLK_TCK));
  CpuTime time;
  for (const double tick : ticks) time.total_s += tick / second;
  time.steal_s = ticks[7] / second;
  time.busy_s = time.total_s - (ticks[3] + ticks[4] + ticks[7]) / second;
  return time;
}

std::int64_t throttle_events() {
  std::int64_t events = 0;
  std::error_code missing;
  for (const auto& cpu : std::filesystem::directory_iterator("/sys/devices/system/cpu", missing)) {
    events += std::atoll(first_line(cpu.path() / "thermal_throttle/core_throttle_count").c_str());
  }
  return events;
}

std::string why_power_unfit() {
  std::error_code missing;
  for (const auto& supply :
       std::filesystem::directory_iterator("/sys/class/power_supply", missing)) {
    if (first_line(supply.path() / "type") == "Mains" &&
        first_line(supply.path() / "online") == "0") {
      return "the machine runs on battery";
    }
  }
  return first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") == "powersave" &&
                 first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver") == "acpi-cpufreq"
             ? "the processors are held at their lowest frequency (governor powersave)"
             : "";
}

std::int64_t available_memory_bytes() { return kilobytes("/proc/meminfo", "MemAvailable"); }

std::int64_t peak_rss_bytes() { return kilobytes("/proc/self/status", "VmHWM"); }

void prefer_fast_cores() {}

std::int64_t unguarded_memory_bytes(int pid) {
  if (!kSanitized) return 0;
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::int64_t all_pages = 0, resident_pages = 0;
  file >> all_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

std::string own_path() {
  std::error_code missing;
  return std::filesystem::read_symlink("/proc/self/exe", missing).string();
}

std::string why_no_instruction_counts() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (fd < 0) return std::strerror(errno);
  close(static_cast<int>(fd));
  return "";
}

}  // namespace cliffbench
