#pragma once

/// Processes that a trial left behind outside its group (a daemon) must not run beside the next.

#include <filesystem>

namespace cliffbench {

/// From now on such processes become children of this one. Linux only; elsewhere nothing happens.
/// Children that this process has at the first call (of a shell that became it) are nobody's
/// trials: they are left alone.
void adopt_orphans();

/// Ends what the trials of a killed runner left behind: processes whose TMPDIR lies in `scratch`
/// (absolute). Linux only.
void end_leftovers(const std::filesystem::path& scratch);

/// Ends all other children of this process and waits for them; returns how many. `run_process`
/// does it (process.hpp).
int end_orphans();

}  // namespace cliffbench
