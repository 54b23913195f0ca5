"""Makes Halide's (conceptual) stmt HTML pages in the time of the pipeline's code, not of its embedded data:

    import halide_patched        # before or after `import halide`, in any process
    halide_patched.off()         # undone; halide_patched.on() does it again

Programs in C++, and all that a command starts: `python -m halide_patched --help`."""

import sys

from halide_patched import attach
from halide_patched.attach import off, on

__all__ = ["off", "on"]


def __getattr__(name):
    """`active`: whether pages are patched in this process."""
    if name == "active":
        return attach.is_active()
    raise AttributeError(f"module 'halide_patched' has no attribute {name!r}")


# The commands of this package patch what they start, not themselves.
if sys.argv[:1] != ["-m"] and not attach.is_command((sys.argv or [""])[0]):
    on()
