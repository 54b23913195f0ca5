"""Lets the tests import the package `report` from wherever they are started."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
