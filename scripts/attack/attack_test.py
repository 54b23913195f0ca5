"""A tenth of the attacks, group by group (all of them by hand: make attack)."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
BUILD = os.environ.get("CLIFFBENCH_BUILD", HERE.parent.parent / "build")
PART = os.environ.get("CLIFFBENCH_ATTACK_PART", "10")


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc and makes file systems: Linux only")
@pytest.mark.parametrize("group", ["records", "words", "programs", "disks", "stops", "pages"])
def test_no_attack_succeeds(group):
    result = subprocess.run([sys.executable, HERE, "--build", BUILD, "--part", PART, "--group", group], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
