"""The last lines of make bench: what they answer, and what they say of trouble; on made rows."""

import pytest

from report import made
from report.made import FIX, STORY, seen
from report.read import files, load
from report.say import closing, story


def closed(folder, width=0):
    return closing.text(load.load(folder), "Report: there", width)


def lines_of(folder, *records):
    """A run with these verdicts beside the first two lines."""
    return made.write(folder, [*made.verdicts()[:2], *records])


CELLS = [
    made.cell(variant, size, seconds)
    for size, variant, seconds in (
        ("1", "baseline", 1.0),
        ("1", "fast", 0.1),
        ("2", "baseline", 8.28),
        ("2", "fast", 0.2),
    )
]
RATIOS = [made.ratio("fast", "1", seen(10)), made.ratio("fast", "2", seen(41.4, lo=40.4, hi=42.4))]
MISSING = {"measured": False, "seen": None, "verdict": "not_measured"}


@pytest.fixture
def told(tmp_path, monkeypatch):
    other = FIX.replace("regex filter", "clone avoidance").replace('"fast"', '"gone"')
    (tmp_path / "issues.toml").write_text(STORY + FIX + other)
    monkeypatch.setattr(story, "FILE", tmp_path / "issues.toml")


def test_each_fix_is_answered_at_each_of_its_points_and_then_where_the_report_is(tmp_path, told):
    folder = lines_of(tmp_path / "run", *CELLS, *RATIOS)
    assert closed(folder, 120).splitlines()[-6:] == [
        "What each fix saves on this machine:",
        "  regex filter: a page",
        "    1 things            1.00 s -> 100 ms  10.0x [9.00, 11.0]",
        "    2 things            8.28 s -> 200 ms  41.4x [40.4, 42.4]",
        "Not measured in this run: clone avoidance (a page).",
        "Report: there",
    ]
    narrow = closed(folder, 40)
    assert "  2 things: 8.28 s -> 200 ms, 41.4x\n" in narrow
    assert all(len(line) <= 40 for line in narrow.splitlines() if "[" not in line)


def test_a_ratio_of_few_rounds_says_so(tmp_path, told):
    few = made.ratio("fast", "2", {"n": 3, "median": 41.4})
    assert "41.4x (3 rounds)\n" in closed(lines_of(tmp_path / "run", *CELLS, few), 120)


def test_of_a_run_without_a_fix_it_says_what_the_patches_save(tmp_path):
    text = closed(lines_of(tmp_path / "run", *CELLS, *RATIOS), 120)
    assert (
        "baseline is slowest:\n  made@x fast, n:2  8.28 s -> 200 ms  41.4x [40.4, 42.4]\n" in text
    )
    none = closed(lines_of(tmp_path / "none", CELLS[0]))
    assert "This run measured no patch together with its baseline.\n" in none


@pytest.mark.parametrize("stops", [1, 6])
def test_a_bound_is_one_here_too(tmp_path, stops):
    stopped = {"wall_s": {"n": stops, "median": 1, "bound": True, "stopped": stops}}
    cells = [made.cell("baseline", "1", 0.5), made.cell("fast", "1", 1, status="timeout") | stopped]
    ratio = made.ratio("fast", "1", {"n": stops, "median": None, "hi": 0.5, "stopped": stops})
    text = closed(lines_of(tmp_path / "run", *cells, ratio), 120)
    assert f"500 ms -> >= 1.00 s  <= 0.500x ({stops} stopped run" in text


CROSSES = {"verdict": "undecided", "lo": 3.8, "hi": 4.1, "seen": seen(4)}
HOSTED = "a virtual macOS decides only claims of 2x and more"


@pytest.mark.parametrize(
    ("claims", "line"),
    [
        ([CROSSES, CROSSES], "Undecided: 2 with an interval across the claimed bound"),
        (
            [{"verdict": "undecided", "seen": {"n": 3, "median": 41.4}}],
            "Undecided: 1 with too few rounds for an interval",
        ),
        ([{"verdict": "undecided", "reason": HOSTED}], f"Undecided: 1 as {HOSTED}"),
        (
            [MISSING | {"by_machine": True, "reason": "it is so"}, MISSING],
            "Not measured here: 1 claim, as it is so; 1 claim about sizes or variants that this run left out",
        ),
        (
            [{"verdict": "refuted", "as_expected": False, "text": "a claim"}],
            "Not as expected: refuted (4.00x [3.60, 4.40], claimed >= 2x): a claim",
        ),
    ],
)
def test_why_a_claim_is_open_or_otherwise_than_expected(tmp_path, claims, line):
    claims = [made.claim(id=f"c{number}", **more) for number, more in enumerate(claims)]
    assert f"\n{line}\n" in closed(lines_of(tmp_path / "run", *CELLS, *claims), 120)


def test_what_is_broken_is_counted_and_what_is_unexpected_takes_two_lines(tmp_path):
    crashed = made.cell("other", "1", 0, status="crash", reason="ended by signal 11")
    wrong = {"verdict": "refuted", "as_expected": False, "text": "a claim of very many words " * 4}
    claims = [made.claim(id=f"no{number}", **wrong) for number in range(18)]
    text = closed(lines_of(tmp_path / "run", *CELLS, *RATIOS, crashed, *claims), 120)
    assert "\nWrong or broken: 1 cell, first other of made@x at n:1: crash: ended by" in text
    assert "17 more in the report" in " ".join(text.split())


def test_a_busy_machine_says_so(tmp_path):
    folder = lines_of(tmp_path / "run", *CELLS)
    mine = made.session(load_before=[1.5, 0, 0])
    mine["machine"] |= {"cpu": "A CPU"}
    files.write_json(folder / "sessions/r.1.json", mine)
    assert "A CPU, 2 cores; load 1.50 at the start (busy: times are noisy)\n" in closed(folder)
