#pragma once

/// The actions of each patch of the table (patches.def) on the way from a module to its page.

#include <Halide.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "patches/halide/choice.hpp"
#include "patches/halide/contents.hpp"
#include "patches/halide/scratch_file.hpp"

#define HEADERS_OF_PATCHES
#include "patches/halide/patches.def"
#undef HEADERS_OF_PATCHES

namespace patches::halide {

inline constexpr LongLine kLongLine = HALIDE_VERSION_MAJOR < 21 ? kHalide19 : kHalide21;

/// Makes the viewer's page for a listing.
using Printer = std::function<std::string(const std::string& listing_path)>;

/// A patch: its card, and its action at each stage, or nullptr.
struct Stages {
  const cliffbench::Patch& card;
  bool Choice::* chosen;
  void (*before)(const Halide::Module&, const Describe&, const Warn&) = nullptr;
  Halide::Module (*listed)(const Halide::Module&) =
      nullptr;  ///< the module that the listing is made from
  /// Makes the page when the viewer is to search something other than the listing. If several
  /// chosen patches have this action, the last one counts.
  std::string (*searched)(const std::string& listing_path, const Printer& printed) = nullptr;
  void (*finished)(std::string& page, const Halide::Target&) = nullptr;
};

inline Halide::Module without_runtime_if_it_may(const Halide::Module& module) {
  return can_be_lean(module.target()) ? without_runtime(module) : module;
}

inline void say_lean_if_it_is(std::string& page, const Halide::Target& target) {
  if (can_be_lean(target)) say_lean(page);
}

inline std::string search_cut_lines(const std::string& listing_path, const Printer& printed) {
  const ScratchFile shorter;
  std::ifstream in(listing_path, std::ios::binary);
  std::ofstream out(shorter.path(), std::ios::binary);
  cut_long_lines(in, out, kLongLine);
  out.flush();
  if (in.bad() || !out) throw NoRoom("no room for the cut listing");
  return printed(shorter.path());
}

inline std::string search_marker_lines(const std::string& listing_path, const Printer& printed) {
  ScratchFile shorter;
  const std::string listing = contents_of(listing_path);
  const MarkerLines lines = marker_lines(listing, kLongLine);
  shorter.append(lines.text);
  std::string page = with_whole_listing(printed(shorter.path()), lines, listing, kLongLine);
  return page.empty() ? printed(listing_path) : page;  // empty: a viewer of another make
}

inline const Stages kPatches[] = {
#define PATCH(name, constant, ...) {.card = constant, .chosen = &Choice::name, __VA_ARGS__},
#include "patches/halide/patches.def"
#undef PATCH
};

[[nodiscard]] inline std::vector<cliffbench::Patch> cards() {
  std::vector<cliffbench::Patch> all;
  for (const Stages& patch : kPatches) all.push_back(patch.card);
  return all;
}

/// The chosen patches' actions at a stage, in the table's order: acts_of(choice, &Stages::listed).
template <typename Act>
[[nodiscard]] std::vector<Act> acts_of(const Choice& choice, Act Stages::* stage) {
  std::vector<Act> acts;
  for (const Stages& patch : kPatches) {
    if (choice.*patch.chosen && patch.*stage) acts.push_back(patch.*stage);
  }
  return acts;
}

/// Runs the actions before a page; `describe` names a buffer for the user, `warn` takes the advice.
inline void begin_page(const Halide::Module& module, const Choice& choice,
                       const Describe& describe = as_in_cxx, const Warn& warn = warn_on_stderr) {
  for (auto* before : acts_of(choice, &Stages::before)) before(module, describe, warn);
}

}  // namespace patches::halide
