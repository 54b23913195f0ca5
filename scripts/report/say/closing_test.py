"""The last lines of make bench: what they answer, what they say of trouble, and that they are few; on made rows."""

import json
import re

import pytest

from report import made
from report.made import STORY, seen
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


@pytest.fixture
def told(tmp_path, monkeypatch):
    (tmp_path / "issues.toml").write_text(STORY)
    monkeypatch.setattr(story, "FILE", tmp_path / "issues.toml")


def test_an_issue_is_answered_by_its_ways_out(tmp_path, told):
    text = closed(lines_of(tmp_path / "run", *CELLS, *RATIOS), 120)
    assert "An issue: why?\n  2 things; be fast: 8.28 s -> 200 ms (41.4x [40.4, 42.4])\n" in text
    assert text.startswith("1 of 1 claim holds.\n") and text.endswith("Report: there\n")
    assert "; load 0.00 at the start\n" in text


def test_a_busy_machine_says_so(tmp_path):
    folder = lines_of(tmp_path / "run", *CELLS)
    mine = made.session(load_before=[1.5, 0, 0])
    files.write_json(
        folder / "sessions/r.1.json", mine | {"machine": mine["machine"] | {"cpu": "A CPU"}}
    )
    assert "Machine: A CPU, 2 cores; load 1.50 at the start (busy: times are noisy)\n" in closed(
        folder
    )


def test_another_way_out_is_told_too_and_without_pairs_it_says_so(tmp_path, told):
    of_y = {"program": "made@y"}
    other = [cell | of_y for cell in CELLS]
    folder = lines_of(tmp_path / "run", *CELLS, *RATIOS, *other)
    line = json.loads((folder / "verdicts.jsonl").read_text().splitlines()[1])
    with_sessions = line | {"sessions": {"made@x": ["r.1"], "made@y": ["r.1"]}}
    whole = (
        (folder / "verdicts.jsonl").read_text().replace(json.dumps(line), json.dumps(with_sessions))
    )
    (folder / "verdicts.jsonl").write_text(whole)
    files.write_json(folder / "programs/made@y.json", made.declaration())
    assert "; none such: 200 ms (41.4x [33.9, 50.6], not paired)" in closed(folder, 200)


def test_why_there_is_no_answer_is_said(tmp_path, told):
    unmeasured = made.cell("fast", "1", 0, status="skipped", reason="there is no compiler for it")
    skipped = [
        CELLS[0],
        {
            key: value
            for key, value in unmeasured.items()
            if key not in ("wall_s", "cpu_s", "rss_bytes")
        },
    ]
    missing = made.claim(
        measured=False, seen=None, verdict="not_measured", reason="there is no compiler for it"
    )
    text = closed(lines_of(tmp_path / "run", *skipped, missing, missing | {"id": "d"}), 120)
    assert (
        "An issue: why?\n  no answer: fast of made@x at n:1: skipped: there is no compiler for it\n"
        in text
    )
    assert "Not measured here: 2 claims, as there is no compiler for it\n" in text
    text = closed(lines_of(tmp_path / "none", CELLS[0]), 120)
    assert (
        "no answer: this run did not measure baseline of made@x together with fast of made@x"
        in text
    )


def test_there_is_room_for_every_question_before_more_of_one(tmp_path, told):
    long = (
        '[[issue.way]]\nproblem = "the same"\ndo = "a long answer that says again what was said before"\n'
        'before = "made@x baseline"\nafter = "made@x fast"\n'
    )
    second = STORY.replace("An issue: why?", "Issue 8: and there?").replace(
        'name = "made"', 'name = "second"'
    )
    story.FILE.write_text(STORY + long * 30 + second)
    text = closed(lines_of(tmp_path / "run", *CELLS, *RATIOS), 80)
    assert "Issue 8: and there?\n  2 things; be fast: 8.28 s -> 200 ms" in text
    assert text.count("\n") <= 20 and text.count("a long answer") == 0


def test_who_chose_the_claims_leaves_room_for_both_issues(tmp_path, told):
    """As in `make bench`, where an answer has two lines and what was not measured three."""
    do = "have a circuit that is built once and then called by its id, so that a repeat does nothing at all"
    long = STORY.replace("be `fast`", do)
    story.FILE.write_text(
        long
        + long.replace("An issue: why?", "Issue 8: and there?").replace(
            'name = "made"', 'name = "second"'
        )
    )
    claims = [
        made.claim(
            id=f"{source}{number}",
            source=source,
            verdict=verdict,
            as_expected=True,
            origin=source.split(",")[0],
        )
        for source, held, refuted in (
            ("theirs", 2, 0),
            ("theirs, ours", 3, 3),
            ("ours", 15, 1),
            ("ours, after the first measurements here", 5, 0),
        )
        for number, verdict in enumerate(["held"] * held + ["refuted"] * refuted)
    ]
    missing = [
        made.claim(
            id=reason,
            measured=False,
            seen=None,
            verdict="not_measured",
            reason=reason + " and many words" * 4,
        )
        for reason in (
            "this run did not measure it",
            "it is claimed of another machine",
            "there is no compiler for it",
        )
    ]
    text = closed(lines_of(tmp_path / "run", *CELLS, *RATIOS, *claims, *missing), 100)
    assert (
        "An issue: why?\n" in text
        and "Issue 8: and there?\n" in text
        and "more question" not in text
    ), text
    assert (
        "6 an issue's statement, with our bound (3 held, 3 refuted)" in " ".join(text.split())
        and text.count("\n") <= 14
    )
    wrong = made.claim(
        id="wrong", verdict="refuted", as_expected=False, text="a claim of very many words " * 3
    )
    text = closed(lines_of(tmp_path / "worse", *CELLS, *RATIOS, *claims, *missing, wrong), 100)
    assert (
        "Issue 8: and there?\n" in text
        and "Not as expected: refuted" in text
        and "Claims:" not in text
    ), text


def test_too_few_rounds_are_said(tmp_path, told):
    three = {"n": 3, "median": 41.4}
    open_claim = made.claim(verdict="undecided", words="undecided", seen=three)
    text = closed(
        lines_of(
            tmp_path / "run",
            *CELLS[2:],
            made.ratio("fast", "2", three),
            open_claim,
            open_claim | {"id": "d"},
        ),
        120,
    )
    assert (
        "(41.4x, 3 rounds, no interval)" in text
        and "Undecided: 2 with too few rounds for an interval\n" in text
    )


def test_what_this_machine_does_not_decide_is_said(tmp_path):
    reason = "a virtual macOS decides only claims of 2x and more"
    claims = [
        made.claim(verdict="undecided", reason=reason, seen=seen(4)),
        made.claim(verdict="undecided", lo=3.8, hi=4.1, seen=seen(4)),
        made.claim(
            measured=False,
            seen=None,
            verdict="not_measured",
            reason="it is claimed of Apple M1 only",
        ),
        made.claim(
            measured=False,
            seen=None,
            verdict="not_measured",
            reason="this run did not measure fast at n:9",
        ),
    ]
    text = " ".join(closed(lines_of(tmp_path / "run", *CELLS, *claims), 120).split())
    assert f"Undecided: 1 as {reason}, 1 with an interval across the claimed bound Not" in text
    assert (
        "Not measured here: 1 claim, as it is claimed of Apple M1 only; "
        "1 claim about sizes or variants that this run left out Machine"
    ) in text


def test_of_a_run_without_an_issue_it_says_what_the_patches_give(tmp_path):
    text = closed(lines_of(tmp_path / "run", *CELLS, *RATIOS), 120)
    assert (
        "What do the patches give, where the baseline is slowest?\n"
        "  made@x: 8.28 s -> 200 ms with fast (41.4x [40.4, 42.4]) at n:2\n"
    ) in text
    assert "No answer: this run measured no patch together with its baseline.\n" in closed(
        lines_of(tmp_path / "none", CELLS[0])
    )


@pytest.mark.parametrize("stops", [1, 6])
def test_a_bound_is_one_here_too(tmp_path, stops):
    stopped = {"wall_s": {"n": stops, "median": 1, "bound": True, "stopped": stops}}
    cells = [made.cell("baseline", "1", 0.5), made.cell("fast", "1", 1, status="timeout") | stopped]
    ratio = made.ratio("fast", "1", {"n": stops, "median": None, "hi": 0.5, "stopped": stops})
    text = closed(lines_of(tmp_path / "run", *cells, ratio), 120)
    assert f"made@x: 500 ms -> >= 1.00 s with fast (<= 0.500x ({stops} stopped run" in text


@pytest.mark.parametrize("width", [80, 100, 120])
def test_it_is_short_and_fits_the_terminal_whatever_went_otherwise(tmp_path, told, width):
    words = "a claim of very many words that would fill a line of any terminal "
    claims = [
        made.claim(
            id=f"no{number}",
            text=words * 2,
            verdict="refuted",
            as_expected=False,
            seen_text="4.00x [3.60, 4.40]",
        )
        for number in range(18)
    ]
    claims += [
        made.claim(text=words, verdict="undecided", lo=3.8, seen=seen(4)),
        made.claim(control=True, as_expected=False, verdict="refuted"),
        made.claim(
            text=words,
            measured=False,
            seen=None,
            verdict="not_measured",
            reason="this run did not measure gone at n:1",
        ),
    ]
    crashed = made.cell("other", "1", 0, status="crash", reason="ended by signal 11")
    story.FILE.write_text(
        STORY
        + "".join(
            STORY.replace("An issue: why?", f"Issue {number}: {words}?") for number in range(9)
        )
    )
    text = closed(lines_of(tmp_path / "run", *CELLS, *RATIOS, crashed, *claims), width)
    lines = text.splitlines()
    assert len(lines) <= (20 if width < 100 else 18) and all(
        len(line) <= width for line in lines
    ), text
    assert "…" not in text and "17 more in the report" in " ".join(text.split())
    assert re.search(r"^\.\.\. and \d more questions in the report$", text, re.MULTILINE)
    for start in (
        "An issue",
        "Wrong or broken: 1 cell, first other of made@x at n:1: crash: ended",
        "Not as expected",
        "Undecided",
        "Not measured here",
        "Machine",
        "Report",
    ):
        assert any(line.startswith(start[: width - 10]) for line in lines), start
