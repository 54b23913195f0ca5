#pragma once

/// How measured processes are ended: when the user stops a run, and when a trial left a process
/// outside its group (a daemon), which must not run beside the next trial.

#include <filesystem>

namespace cliffbench {

/// From here on INT, TERM, HUP and QUIT ask a running `run_process` (process.hpp) to stop its child
/// and return `by_user`; so they do from the first process on.
void stop_on_signals();
[[nodiscard]] bool stop_requested();

/// Whether the signal that ended a child was meant for us too (a shutdown, the end of a job). It
/// may have reached the child first, so this waits 0.2 s for ours.
[[nodiscard]] bool asked_to_end(int signal);

// Linux only; elsewhere nothing happens.

/// From now on processes that a trial leaves behind become children of this process. The children
/// that it has at the first call (from a shell that became this process) are left alone.
void adopt_orphans();

/// Ends all other children of this process and waits for them. `run_process` does it.
void end_orphans();

/// Ends what the trials of a killed runner left behind: processes whose TMPDIR lies in `scratch`
/// (absolute).
void end_leftovers(const std::filesystem::path& scratch);

}  // namespace cliffbench
