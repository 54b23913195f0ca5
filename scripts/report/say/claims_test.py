"""Claims are counted by who chose their figure, and an exponent stands beside those from each size to the next; on made rows."""

import pathlib

import pytest

from report import made, render
from report.read import load
from report.say import claims, growth, table

PUBLISHED = sorted(
    (pathlib.Path(__file__).parents[3] / "results/published").glob("*/rows.jsonl.gz")
)
EXPONENT = {
    "variant": "all",
    "axis": "n",
    "of": "",
    "where": {"a": "b", "c": "d"},
    "sizes": [77, 17673, 9991689],
    "local": [made.seen(-0.0057), made.seen(0.9947)],
}


def test_each_group_is_counted_apart_in_page_and_markdown(tmp_path):
    records = [
        made.claim(),
        made.claim(id="b", figure_by="bounded", verdict="undecided", words="undecided"),
        made.claim(id="c2", origin="ours", figure_by="after"),
    ]
    folder = made.write(
        tmp_path / "run", [*made.verdicts()[:2], *records, made.cell("baseline", "1", 1.0)]
    )
    run = load.load(folder)
    assert [(one["says"].split()[0], one["claims"], one["held"]) for one in claims.groups(run)] == [
        ("an", 1, 1),
        ("an", 1, 0),
        ("ours,", 1, 1),
    ]
    assert claims.GROUPS["after"] in render.write(run, folder).read_text()
    text = (folder / "report.md").read_text()
    assert "| 1: an issue's statement as it stands | 1 | 0 | 0 | 0 |" in text


def test_what_is_tested_is_said_as_in_a_declaration():
    assert claims.tested(made.claim()) == "fast ratio against baseline >= 2x"
    slope = made.claim(quantity="exponent", of="viewer", axis="n", against="", range_text="<= 1.2")
    assert claims.tested(slope) == "fast exponent of viewer along n <= 1.2"


def test_an_exponent_says_its_sizes_and_those_from_each_to_the_next():
    asked = made.claim(quantity="exponent", variant="all", axis="n", where={"c": "d"})
    assert (
        growth.words([EXPONENT], asked)
        == "sizes 77, 17.7k, 9.99M; from each to the next: -0.01, 0.99"
    )
    assert (
        growth.words([EXPONENT], asked | {"quantity": "ratio"})
        == ""
        == growth.words([EXPONENT], asked | {"variant": "x"})
    )
    assert growth.words([EXPONENT | {"local": [None, {"n": 0, "median": None}]}], asked).endswith(
        "unknown, unknown"
    )


@pytest.mark.parametrize("rows", PUBLISHED, ids=lambda path: path.parent.name)
def test_every_claimed_exponent_of_a_published_run_shows_its_steps(rows):
    run = load.load(rows.parent)
    asked = [
        (part, claim) for part, claim in claims.measured(run) if claim["quantity"] == "exponent"
    ]
    assert len(asked) > 5 and all(growth.words(part.exponents, claim) for part, claim in asked)
    assert sum(one["claims"] for one in claims.groups(run)) == run.summary["claims"]


@pytest.mark.parametrize("rows", PUBLISHED, ids=lambda path: path.parent.name)
def test_no_two_claims_of_a_published_run_have_one_anchor(rows):
    run = load.load(rows.parent)
    anchors = [row["anchor"] for row in table.rows(run) if row["anchor"]]
    assert len(anchors) > 50 and len(set(anchors)) == len(anchors)
