"""A run expects its cells to take the time that they took in the newest run here, else in a published one; else it expects
nothing."""

import shutil

import pytest
from built import call, rows, sealed
from made_case import made_case


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A place with one run of n = 1 below results/local."""
    place = tmp_path_factory.mktemp("past")
    program = made_case(place / "made")
    result = call("run", program, "--axis", "n=1", "--rounds", 2, "--out", "results/local/first", cwd=place)
    assert result.returncode == 0 and "4 trials; how long they take is unknown" in result.stdout
    return place, program


@pytest.fixture
def place(measured, tmp_path):
    shutil.copytree(measured[0] / "results", tmp_path / "results")
    return tmp_path


def pretend(place, run, **values):
    """Rewrites the rows of a run with other values."""
    kept = [sealed(row | values) for row in rows(place / run)]
    (place / run / "rows.jsonl").write_text("".join(f"{line}\n" for line in kept))


def estimate(place, program):
    result = call("run", program, "--dry-run", cwd=place)
    assert result.returncode == 0 and result.stdout.count("\n") == 1, result.stderr
    return result.stdout


def test_a_cell_is_expected_to_take_what_it_took(measured, place):
    pretend(place, "results/local/first", process_s=20)
    assert "4 cells, 24 trials, about 4:00 by earlier runs" in estimate(place, measured[1])
    assert estimate(place, measured[1]).endswith(", and 12 trials never measured before\n")


def test_published_rows_stand_in_and_this_machine_comes_first(measured, place):
    published = place / "results/published/there"
    shutil.copytree(place / "results/local/first", published)
    pretend(place, "results/published/there", process_s=20)
    pretend(place, "results/local/first", process_s=10)
    assert "about 2:00 by earlier runs" in estimate(place, measured[1])
    shutil.rmtree(place / "results/local")
    assert "about 4:00 by earlier runs" in estimate(place, measured[1])
    (published / "rows.jsonl").write_text("no row\n{}\n")
    assert "how long they take is unknown" in estimate(place, measured[1])
