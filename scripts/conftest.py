"""Lets the tests import the package `report`, what publishes, and what harness/tests makes up, from wherever they are started."""

import pathlib
import sys

SCRIPTS = pathlib.Path(__file__).parent
sys.path[:0] = [str(SCRIPTS), str(SCRIPTS / "release"), str(SCRIPTS.parent / "harness/tests")]
