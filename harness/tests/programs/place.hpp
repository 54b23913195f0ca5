#pragma once

/// Where this process's heap, stack and environment begin, as 0 or 1: a program whose time depends
/// on one of them has two speeds.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

extern char** environ;

inline std::map<std::string, double> places() {
  // The heap aligns to 16; the library's State, above us on the stack, to a cache line (from 1.9).
  const auto bit = [](const void* address, std::uintptr_t unit) {
    return static_cast<double>(reinterpret_cast<std::uintptr_t>(address) / unit % 2);
  };
  const char on_stack = 0;
  void* on_heap = std::malloc(4000);
  std::size_t environment = 0;
  for (char** entry = environ; *entry; ++entry) environment += std::strlen(*entry);
  const std::map<std::string, double> found = {
      {"heap", bit(on_heap, 16)},
      {"stack", bit(&on_stack, 64)},
      {"environment", static_cast<double>(environment % 2)}};
  std::free(on_heap);
  return found;
}
