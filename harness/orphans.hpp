#pragma once

/// Processes that a trial left behind outside its group (a daemon) must not run beside the next.

#include <filesystem>

namespace cliffbench {

/// From now on such processes become children of this one. Linux only; elsewhere nothing happens.
void adopt_orphans();

/// Ends what the trials of a killed runner left behind: processes whose TMPDIR lies in `scratch`
/// (absolute). Linux only.
void end_leftovers(const std::filesystem::path& scratch);

/// Ends all children of this process and waits for them; returns how many. Not while a
/// `run_process` is running.
int end_orphans();

}  // namespace cliffbench
