"""Runs a program that uses Halide with the patches of its viewer: see `python -m halide_patched --help`."""

import os
import sys

# The launcher sets it for the program and all that it starts.
active = "HALIDE_PATCHES" in os.environ

# Only the loader can put something before libHalide, so importing this is too late for the importing process.
if not active and sys.argv[:1] != ["-m"] and not os.path.basename((sys.argv or [""])[0]).startswith("halide-patched"):
    print("halide_patched: importing it patches nothing; start the program with it, as python -m halide_patched x.py, or a "
          "notebook's server, as python -m halide_patched -m jupyter lab", file=sys.stderr)
