#pragma once

#include <sys/resource.h>

namespace cliffbench {

/// User and system time together.
[[nodiscard]] inline double cpu_seconds(const rusage& usage) {
  const auto seconds = [](timeval time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace cliffbench
