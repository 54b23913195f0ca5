"""Where a process's stack and heap begin is drawn for each process, alike for every variant and side. The system's own
randomisation is off here (as library 1.9.3 and later turn it off for themselves), so that nothing else moves them."""

import collections
import shutil
import subprocess

import pytest
from built import BUILD, CLIFFBENCH, linux_only, rows
from made_gate import FAST

STILL = ["setarch", "-R"]
still_only = pytest.mark.skipif(not shutil.which("setarch") or subprocess.run([*STILL, "true"], capture_output=True).returncode != 0,
                                reason="this system does not let a process turn address randomisation off")
pytestmark = [linux_only, still_only]


def states(folder):
    """{(variant, place): what was seen}"""
    found = collections.defaultdict(set)
    for row in rows(folder):
        for place, value in row["stages"].items():
            found[row["variant"], place].add(value)
    return found


def measured(*words):
    return subprocess.run([*STILL, CLIFFBENCH, *map(str, words)], capture_output=True, text=True, timeout=120)


PLACES = ["environment", "heap", "stack"]


def test_each_side_of_a_gate_has_every_layout_whatever_its_folder_is_called(tmp_path):
    folders = {"base": tmp_path / "b", "head": tmp_path / ("a long name for the other side of a change, " * 4).strip()}
    for folder in folders.values():
        folder.mkdir()
        shutil.copy(BUILD / "test_cases/placed", folder / "placed")
    words = [word for side, folder in folders.items() for word in (f"--{side}", folder / "placed")]
    result = measured("gate", *words, "--out", tmp_path / "gate", "--seed", 1, "--budget", "20s", *FAST)
    assert result.returncode == 0, result.stdout + result.stderr
    for variant in ("base", "head", "control"):
        for place in PLACES:
            assert states(tmp_path / "gate")[variant, place] == {0, 1}, (variant, place)


def test_each_variant_of_a_run_has_every_layout(tmp_path):
    result = measured("run", BUILD / "test_cases/placed_case", "--rounds", 12, "--seed", 1, "--out", tmp_path / "run")
    assert result.returncode == 0, result.stderr
    for variant in ("baseline", "control"):
        for place in PLACES:
            assert states(tmp_path / "run")[variant, place] == {0, 1}, (variant, place)


def test_the_same_seed_draws_the_same_layouts(tmp_path):
    for name in ("one", "two"):
        assert measured("run", BUILD / "test_cases/placed_case", "--rounds", 4, "--seed", 5, "--out", tmp_path / name).returncode == 0
    one, two = ([(row["variant"], row["stages"]["environment"]) for row in rows(tmp_path / name)] for name in ("one", "two"))
    assert one == two
