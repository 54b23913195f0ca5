"""Lets the tests import the package `report` and what publishes from wherever they are started."""

import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent / "release")]
