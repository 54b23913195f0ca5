#pragma once

/// The libraries that a program is linked with.

#include <filesystem>
#include <optional>
#include <vector>

namespace cliffbench {

/// The files that the dynamic loader loads before the program begins, as the loader itself answers
/// (`--list`): all libraries that it needs, directly or not, where this environment has them, and
/// the loader. None of a static program. Nothing where that is not known: what is no ELF program of
/// this kind of machine (a script, any program on macOS), or lacks a library. What a program opens
/// later (dlopen) is not among them.
[[nodiscard]] std::optional<std::vector<std::filesystem::path>> linked_libraries(
    const std::filesystem::path& program);

}  // namespace cliffbench
