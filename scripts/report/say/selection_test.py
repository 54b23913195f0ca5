"""Which point of a case is shown; on made cells."""

import types

import pytest

from report import made
from report.read import load
from report.say import ladder, selection


def best(folder, cells, claims=(), quantity="ratio"):
    [part, *_] = load.load(folder).parts
    of_these = types.SimpleNamespace(
        patches=lambda: ["fast"], claims=claims, declared=part.declared
    )
    key = selection.best_point(of_these, [made.cell(*cell) for cell in cells], "baseline", quantity)
    return dict(key)["n"] if key else None


@pytest.mark.parametrize(
    ("cells", "point"),
    [
        ([("fast", "1", 1.0), ("slow", "1", 1.0)], None),  # nothing to compare with
        ([("fast", "2", 1.0), ("slow", "2", 1.0), ("baseline", "1", 1.0)], "1"),
        (
            [("baseline", "1", 1.0), ("fast", "1", 1.0), ("baseline", "2", 1.0)],
            "1",
        ),  # more variants
        (  # more patches
            [
                ("baseline", "1", 1.0),
                ("fast", "1", 1.0),
                ("baseline", "2", 1.0),
                ("slow", "2", 1.0),
            ],
            "1",
        ),
        ([("baseline", "2", 1.0), ("baseline", "1", 9.0)], "2"),  # larger
    ],
)
def test_the_point_is_the_one_of_which_most_is_known(folder, cells, point):
    assert best(folder, cells) == point
    assert best(folder, cells[::-1]) == point


def test_a_claimed_point_comes_first(folder):
    cells = [("baseline", "1", 1.0), ("baseline", "2", 1.0)]
    claimed = made.claim(where={"n": "1"}, measured=True, control=False, against="baseline")
    assert best(folder, cells, [claimed]) == "1"
    for other in (
        {"measured": False},
        {"control": True},
        {"against": "fast"},
        {"of": "work"},
        {"quantity": "time"},
    ):
        assert best(folder, cells, [claimed | other]) == "2"
    share = claimed | {"quantity": "share", "against": "", "of": "work"}
    assert best(folder, cells, [share], "share") == "1"


def test_without_a_baseline_there_is_no_ladder(folder):
    [part, *_] = load.load(folder).parts
    assert ladder.ladder(part, "x")
    part.cells = [cell for cell in part.cells if cell["variant"] != "baseline"]
    assert ladder.ladder(part, "x") is None
