#include "harness/core/host/machine_macos_parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

/// The word after `key` on the line of `pmset -g` that starts with it; "" when there is none.
std::string setting(std::string_view pmset, std::string_view key) {
  std::istringstream lines{std::string(pmset)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, value;
    if (words >> name >> value && name == key) return value;
  }
  return "";
}

}  // namespace

std::string core_kinds_text(const std::vector<CoreKind>& kinds) {
  if (kinds.size() < 2) return "";
  std::vector<std::string> counts;
  for (const CoreKind& kind : kinds) {
    std::string name = kind.name;
    if (name.empty()) name = counts.empty() ? "performance" : "efficiency";
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    counts.push_back(fmt::format("{} {}", kind.cores, name));
  }
  return joined(counts);
}

std::string caches_text(const std::vector<CoreKind>& kinds) {
  if (kinds.empty()) return "";
  std::vector<std::string> caches;
  const CoreKind& fastest = kinds.front();
  if (fastest.l1d_bytes > 0) caches.push_back(fmt::format("L1d {}K", fastest.l1d_bytes / 1024));
  if (fastest.l2_bytes > 0) caches.push_back(fmt::format("L2 {}K", fastest.l2_bytes / 1024));
  return joined(caches);
}

std::string power_sentence(std::string_view pmset_batt, std::string_view pmset,
                           std::uint64_t thermal_level) {
  if (pmset_batt.find("Now drawing from 'Battery Power'") != std::string_view::npos) {
    return "the machine runs on battery";
  }
  if (setting(pmset, "lowpowermode") == "1" || setting(pmset, "powermode") == "1") {
    return "the machine is in low-power mode";
  }
  constexpr std::array kPressures = {"", "moderate", "heavy", "trapping", "sleeping"};
  if (thermal_level == 0) return "";
  return fmt::format("the processors are throttled by heat (thermal pressure {})",
                     thermal_level < kPressures.size() ? kPressures[thermal_level] : "unknown");
}

}  // namespace cliffbench
