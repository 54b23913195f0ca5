#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace patches::halide {

/// Which patches to apply; none by default.
struct Choice {
  bool regex_filter = false;
  bool buffer_stub = false;
  bool lean_listing = false;
  bool marker_lines = false;
  bool embedded_buffer_warning = false;
};

inline constexpr auto kPatchNames = std::to_array<std::pair<std::string_view, bool Choice::*>>(
    {{"regex_filter", &Choice::regex_filter},
     {"buffer_stub", &Choice::buffer_stub},
     {"lean_listing", &Choice::lean_listing},
     {"marker_lines", &Choice::marker_lines},
     {"embedded_buffer_warning", &Choice::embedded_buffer_warning}});

inline constexpr Choice kEveryPatch = [] {
  Choice every;
  for (const auto& [name, member] : kPatchNames) every.*member = true;
  return every;
}();

/// "regex_filter,lean_listing" -> those two; "" -> none. Throws std::invalid_argument with a
/// sentence for a name that is none.
inline Choice choice_of(std::string_view names) {
  Choice choice;
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    const std::string_view wanted = names.substr(0, comma);
    names.remove_prefix(std::min(comma + 1, names.size()));
    bool known = false;
    std::string all;
    for (const auto& [name, member] : kPatchNames) {
      if (name == wanted) known = choice.*member = true;
      all += (all.empty() ? "" : ", ") + std::string(name);
    }
    if (!known) {
      throw std::invalid_argument("'" + std::string(wanted) + "' is no patch; they are " + all);
    }
  }
  return choice;
}

}  // namespace patches::halide
