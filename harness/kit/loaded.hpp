#pragma once

/// The shared libraries that this process has loaded: what it measures is as much in them as in its
/// own file.

#include <string>
#include <vector>

namespace cliffbench {

/// Their paths, without this program's own; those that are no file (the kernel's, a system's cache)
/// are left out.
[[nodiscard]] std::vector<std::string> loaded_libraries();

}  // namespace cliffbench
