#include "harness/host/machine_macos_parse.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

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

void add_cache(std::string& text, const char* name, std::int64_t bytes) {
  if (bytes <= 0) return;
  text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(bytes / 1024) + "K";
}

}  // namespace

std::string core_kinds_text(const std::vector<CoreKind>& kinds) {
  if (kinds.size() < 2) return "";
  std::string text;
  for (size_t i = 0; i < kinds.size(); ++i) {
    std::string name = kinds[i].name;
    if (name.empty()) name = i == 0 ? "performance" : "efficiency";
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    text += (i ? ", " : "") + std::to_string(kinds[i].cores) + " " + name;
  }
  return text;
}

std::string caches_text(const std::vector<CoreKind>& kinds) {
  std::string text;
  if (kinds.empty()) return text;
  add_cache(text, "L1d", kinds.front().l1d_bytes);
  add_cache(text, "L2", kinds.front().l2_bytes);
  return text;
}

bool on_battery(std::string_view pmset_batt) {
  return pmset_batt.find("Now drawing from 'Battery Power'") != std::string_view::npos;
}

bool low_power_mode(std::string_view pmset) {
  return setting(pmset, "lowpowermode") == "1" || setting(pmset, "powermode") == "1";
}

std::string thermal_word(std::uint64_t level) {
  constexpr std::array<const char*, 5> kWords = {"", "moderate", "heavy", "trapping", "sleeping"};
  return level < kWords.size() ? kWords[level] : "unknown";
}

std::string power_sentence(std::string_view pmset_batt, std::string_view pmset,
                           std::uint64_t thermal_level) {
  if (on_battery(pmset_batt)) return "the machine runs on battery";
  if (low_power_mode(pmset)) return "the machine is in low-power mode";
  const std::string heat = thermal_word(thermal_level);
  return heat.empty() ? "" : "the processors are throttled by heat (thermal pressure " + heat + ")";
}

}  // namespace cliffbench
