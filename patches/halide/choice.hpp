#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patches::halide {

/// The patches to apply; none by default.
struct Choice {
#define PATCH(name, ...) bool name = false;
#include "patches/halide/patches.def"
#undef PATCH
};

inline constexpr auto kPatchNames = std::to_array<std::pair<std::string_view, bool Choice::*>>({
#define PATCH(name, ...) {#name, &Choice::name},
#include "patches/halide/patches.def"
#undef PATCH
});

inline constexpr Choice kEveryPatch = [] {
  Choice every;
  for (const auto& [name, member] : kPatchNames) every.*member = true;
  return every;
}();

/// The patches among these names; the other names are patches of other libraries.
inline Choice choice_with(const std::vector<std::string>& names) {
  Choice choice;
  for (const auto& [name, member] : kPatchNames) {
    choice.*member = std::find(names.begin(), names.end(), name) != names.end();
  }
  return choice;
}

/// "regex_filter, lean_listing" -> those two; "all"; "none" and "" -> none. Throws
/// std::invalid_argument with a sentence for an unknown name.
inline Choice choice_of(std::string_view names) {
  if (names == "all") return kEveryPatch;
  Choice choice;
  if (names == "none") return choice;
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    std::string_view wanted = names.substr(0, comma);
    names.remove_prefix(std::min(comma + 1, names.size()));
    while (wanted.starts_with(' ')) wanted.remove_prefix(1);
    while (wanted.ends_with(' ')) wanted.remove_suffix(1);
    bool known = false;
    std::string all;
    for (const auto& [name, member] : kPatchNames) {
      if (name == wanted) known = choice.*member = true;
      all += (all.empty() ? "" : ", ") + std::string(name);
    }
    if (!known) {
      throw std::invalid_argument("'" + std::string(wanted) + "' is not a patch; the patches are " +
                                  all + "; or all, or none");
    }
  }
  return choice;
}

}  // namespace patches::halide
