"""On which Halides a test runs, and where it cannot."""

import os
import sys

import pytest
from comparison import HALIDES, importable

EACH_HALIDE = pytest.mark.parametrize("halide", HALIDES, ids=lambda path: path.name)
NEEDS_HALIDE = pytest.mark.skipif(sys.platform != "linux" or not HALIDES or not importable(HALIDES[0]),
                                  reason="the unpacked Halide wheel is for another Python, or this is not Linux")
ALL = "CLIFFBENCH_ALL" in os.environ and "CI" not in os.environ  # in make test-all; else, and in CI, by turns


def by_turns(names):
    """Parametrizes `halide` and `name`: each name on one Halide, the next on the next Halide; ALL: each on each."""
    turns = [(halide, name) for number, name in enumerate(names) for index, halide in enumerate(HALIDES)
             if ALL or index == number % len(HALIDES)]
    return pytest.mark.parametrize(("halide", "name"), turns, ids=lambda value: getattr(value, "name", value))
