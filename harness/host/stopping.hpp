#pragma once

/// How the user stops what is being measured.

namespace cliffbench {

/// Asks a running `run_process` (process.hpp) to stop its child and return `by_user`
/// (async-signal-safe).
void request_stop();
/// From here on INT, TERM, HUP and QUIT request it; so they do from the first process on.
void stop_on_signals();
[[nodiscard]] bool stop_requested();

/// Whether a child that this signal ended was ended by what stops us as well (a shutdown, a job's
/// end), though it may have come there first: waits 0.2 s for ours.
[[nodiscard]] bool asked_to_end(int signal);

}  // namespace cliffbench
