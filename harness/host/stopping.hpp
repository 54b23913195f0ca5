#pragma once

/// How what is being measured is ended: the user stops it, and what a trial left behind outside its
/// group (a daemon) must not run beside the next.

#include <filesystem>

namespace cliffbench {

/// From here on INT, TERM, HUP and QUIT ask a running `run_process` (process.hpp) to stop its child
/// and return `by_user`; so they do from the first process on.
void stop_on_signals();
[[nodiscard]] bool stop_requested();

/// Whether a child that this signal ended was ended by what stops us as well (a shutdown, a job's
/// end), though it may have come there first: waits 0.2 s for ours.
[[nodiscard]] bool asked_to_end(int signal);

// Linux only; elsewhere nothing happens.

/// From now on what a trial left behind becomes a child of this process. Children that it has at
/// the first call (of a shell that became it) are nobody's trials: they are left alone.
void adopt_orphans();

/// Ends all other children of this process and waits for them. `run_process` does it.
void end_orphans();

/// Ends what the trials of a killed runner left behind: processes whose TMPDIR lies in `scratch`
/// (absolute).
void end_leftovers(const std::filesystem::path& scratch);

}  // namespace cliffbench
