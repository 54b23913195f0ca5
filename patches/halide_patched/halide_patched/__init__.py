"""Makes Halide's (conceptual) stmt HTML pages in the time of the pipeline's code, not of its embedded data:

    import halide_patched        # before or after `import halide`, in any process
    halide_patched.off()         # undone; halide_patched.on() does it again
    halide_patched.status()      # is this process patched, which Halide, and if not, why

Programs in C++, and all that a command starts: `python -m halide_patched --help`."""

from halide_patched.attach import Status, off, on, status

__all__ = ["Status", "off", "on", "status"]


def __getattr__(name):
    """`active`: whether pages are patched in this process."""
    if name == "active":
        return status().active
    raise AttributeError(f"module 'halide_patched' has no attribute {name!r}")


on()
