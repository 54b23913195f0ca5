"""On which Halides a test runs, and where it cannot."""

import sys

import pytest
from comparison import HALIDES, importable

EACH_HALIDE = pytest.mark.parametrize("halide", HALIDES, ids=lambda path: path.name)
NEEDS_HALIDE = pytest.mark.skipif(sys.platform != "linux" or not HALIDES or not importable(HALIDES[0]),
                                  reason="the unpacked Halide wheel is for another Python, or this is not Linux")
