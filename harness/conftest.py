import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "tests"))
from built import FAULTS, call  # noqa: E402
from made_case import STEADY, made_case  # noqa: E402
from made_gate import program  # noqa: E402


@pytest.fixture
def side(tmp_path):
    """side("base", ms=1.1) makes a program below tmp_path."""
    return lambda where, **settings: program(tmp_path / where, **settings)


class Material(type(pathlib.Path())):
    """The folder, and the words that name both sides of the gate."""

    @property
    def sides(self):
        return ["--base", self / "base/fake", "--head", self / "head/fake"]


@pytest.fixture(scope="session")
def material(tmp_path_factory):
    """A judged run and a gate with a regression, whose times depend on the trial alone."""
    place = Material(tmp_path_factory.mktemp("material"))
    case = made_case(place / "made", STEADY, axes=(("n", ("1", "2")), ("mode", ("1",))), claims=[{}])
    assert call("run", case, "--rounds", 6, "--seed", 1, "--out", place / "run").returncode == 0
    assert call("judge", place / "run").returncode == 0
    for side, ms in (("base", 1.0), ("head", 1.1)):
        program(place / side, ms=ms)
    gate = call("gate", *place.sides, "--out", place / "gate", "--seed", 1, "--instructions", "never")
    assert gate.returncode == 10, gate.stderr
    return place


@pytest.fixture(scope="session")
def faulty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults") / "run"
    result = call("run", FAULTS, "--axis", "size=1", "--rounds", 1, "--memory-limit", "100MB", "--out", folder)
    assert result.returncode == 0, result.stderr
    return folder
