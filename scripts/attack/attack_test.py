"""Some of the attacks, group by group: a thirtieth, in CI a tenth (all of them by hand: make attack)."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
BUILD = os.environ.get("CLIFFBENCH_BUILD", HERE.parent.parent / "build")
PART = os.environ.get("CLIFFBENCH_ATTACK_PART", "10" if os.environ.get("CI") else "30")


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc and makes file systems: Linux only")
@pytest.mark.parametrize("group", ["records", "words", "programs", "disks", "stops", "pages", "text"])
def test_no_attack_succeeds(group):
    result = subprocess.run([sys.executable, HERE, "--build", BUILD, "--part", PART, "--group", group], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="root alone has a home that nobody may enter")
def test_it_starts_where_only_root_may_enter(tmp_path):
    home = tmp_path / "root"
    for name in ("scripts", "harness"):
        shutil.copytree(HERE.parent.parent / name, home / "project" / name, ignore=shutil.ignore_patterns("__pycache__"))
    home.chmod(0o700)
    words = ["--build", BUILD, "--group", "words", "--list"]
    result = subprocess.run([sys.executable, home / "project/scripts/attack", *words], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout.startswith("words: "), result.stdout + result.stderr
