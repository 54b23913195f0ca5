"""What a plan expects of its cells: what they took in the newest run here, else in a published one, else nothing."""

import json
import shutil

import pytest
from built import call, rows, sentence
from made_case import made_case

AXES = (("n", ("1", "2")),)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A place with one run of n = 1 below results/local."""
    place = tmp_path_factory.mktemp("past")
    program = made_case(place / "made", axes=AXES)
    result = call("run", program, "--axis", "n=1", "--rounds", 2, "--out", "results/local/first", cwd=place)
    assert result.returncode == 0 and "4 trials; how long they take is unknown" in result.stdout
    return place, program


@pytest.fixture
def place(measured, tmp_path):
    shutil.copytree(measured[0] / "results", tmp_path / "results")
    return tmp_path


def costs(place, program, *words):
    assert call("plan", program, *words, "--out", "plan.json", cwd=place).returncode == 0
    return {cell["name"]: cell["cost"] for cell in json.loads((place / "plan.json").read_text())["cells"]}


def test_a_cell_is_expected_to_take_what_it_took(measured, place):
    program = measured[1]
    seen = costs(place, program)
    for name, cost in seen.items():
        own = [row for row in rows(place / "results/local/first") if row["name"] == name]
        assert (cost is None) == ("n:2" in name) == (not own)
        if own:
            assert cost["wall_s"] == pytest.approx(sum(row["process_s"] for row in own) / len(own))
    result = call("run", program, "--dry-run", cwd=place)
    assert "4 cells, 24 trials, about 0:0" in result.stdout and ", and 12 trials never measured before" in result.stdout


def test_published_rows_stand_in_and_this_machine_comes_first(measured, place):
    published = place / "results/published/there"
    shutil.copytree(place / "results/local/first", published)
    here = costs(place, measured[1])
    shutil.rmtree(place / "results/local")
    assert costs(place, measured[1]) == here
    (published / "rows.jsonl").write_text("no row\n{}\n")
    assert set(costs(place, measured[1]).values()) == {None}


def test_a_run_says_how_far_off_it_was(measured, place):
    result = call("run", measured[1], "--axis", "n=1", "--rounds", 1, "--out", "results/local/second", cwd=place)
    assert result.returncode == 0 and "took 0:0" in result.stdout and "; the estimate was 0:0" in result.stdout


def test_what_the_machine_cannot_hold_is_refused_before_measuring(measured, place):
    before = rows(place / "results/local/first")
    lines = [{key: value for key, value in row.items() if key != "check"} | {"process_rss_bytes": 10**15} for row in before]
    (place / "results/local/first/rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = call("run", measured[1], "--out", "results/local/second", cwd=place)
    assert result.returncode == 13 and "needs about 1000000 GB of memory" in sentence(result)
    assert not (place / "results/local/second/plan.json").exists()
