#pragma once

/// Mistyped words: which one was meant.

#include <string>
#include <string_view>
#include <vector>

namespace cliffbench {

/// The known word that needs the fewest letters changed, put in, left out or exchanged with their
/// neighbours (optimal string alignment) to become `typed`; "" where each needs more than a third
/// of its letters.
[[nodiscard]] std::string nearest(std::string_view typed, const std::vector<std::string>& known);

/// "there is no axis 'bufers'; did you mean 'buffers'?", or, where none is near, what there is.
[[nodiscard]] std::string no_such(std::string_view what, std::string_view typed,
                                  const std::vector<std::string>& known);

}  // namespace cliffbench
