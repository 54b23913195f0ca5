"""The issues, the ladders, the sentence on trust, runs side by side; on made rows."""

import pytest

from report import made, render
from report.made import STORY, call, seen
from report.read import load
from report.say import claims, ladder, story, table


@pytest.fixture
def told(tmp_path, monkeypatch):
    """A story about the made run; a ratio with an interval at 1 alone, a bound at 8."""
    (tmp_path / "issues.toml").write_text(STORY)
    monkeypatch.setattr(story, "FILE", tmp_path / "issues.toml")


def test_a_ratio_that_no_round_pairs_has_an_interval_only_if_both_times_have_one():
    assert story.quotient(seen(8), seen(2)) == {
        "n": 6,
        "median": 4,
        "lo": 7.2 / 2.2,
        "hi": 8.8 / 1.8,
    }
    bare = {"n": 1, "median": 2}
    assert story.quotient(seen(8), bare) == story.quotient({"n": 1, "median": 8}, seen(2))
    assert story.quotient(seen(8), bare) == {"n": 1, "median": 4}


def test_an_issue_is_told_at_the_point_where_most_is_known(folder, told):
    [issue] = story.issues(load.load(folder))
    assert issue["told"][0]["answer"] == "1 things take 4.00 s, then 1.00 s: 4.00x [3.60, 4.40]."
    assert [(way["problem"], way["after"], way["paired"]) for way in issue["told"][0]["ways"]] == [
        ("1 things", "1.00 s", True)
    ]


def test_the_page_begins_with_the_issue(folder, told):
    page = render.write(load.load(folder), folder).read_text()
    order = [
        page.index(text)
        for text in (
            "How far to trust it",
            "Why?",
            "1 things take 4.00 s",
            "<svg",
            "What to do",
            "be <code>fast</code>",
            "Because of",
            "What we tested of the issue",
            "Change <code>it</code>",
            "Each patch alone",
            "Stages",
            'id="all"',
        )
    ]
    assert order == sorted(order)
    assert {"hero-made.svg", "hero-made-dark.svg"} <= {
        path.name for path in (folder / "figures").iterdir()
    }
    text = (folder / "report.md").read_text()
    assert (
        "**1 things take 4.00 s, then 1.00 s" in text
        and "![An issue: " in text
        and "| 1 things | 4.00 s | 1.00 s |" in text
    )


def test_an_issue_of_which_nothing_was_measured_is_not_told(folder):
    assert story.issues(load.load(folder)) == []


@pytest.mark.parametrize(
    "text, said",
    [
        ("With 1 embedded 2x2 matrices", "With 1 embedded 2x2 matrix"),
        ("1 matrices of", "1 matrix of"),
        ("Halide 21, 8 matrices", "Halide 21, 8 matrices"),
        ("11 matrices", "11 matrices"),
    ],
)
def test_one_is_singular(text, said):
    assert story.filled(text, {}) == said


def test_two_programs_are_compared_by_their_medians():
    assert story.quotient(seen(10.0), seen(2.0)) == {
        "n": 6,
        "median": 5,
        "lo": pytest.approx(9 / 2.2),
        "hi": pytest.approx(11 / 1.8),
    }
    assert story.quotient({"n": 1, "median": 9, "bound": True, "stopped": 1}, seen(3.0))["bound"]


def test_a_ladder_goes_from_the_baseline_over_each_patch_to_what_is_there_for_comparison(folder):
    [part] = load.load(folder).parts
    part.cells.append(made.cell("other", "1", 0.5))
    part.declared["patches"][0]["name"] = "p"
    rows = ladder.ladder(part, "x")["rows"]
    assert [(row["name"], row["time"], row["ratio"], row["memory"]) for row in rows] == [
        ("baseline", "4.00 s [3.60 s, 4.40 s]", "–", "4.00 MB"),
        ("fast", "1.00 s [900 ms, 1.10 s]", "4.00x [3.60, 4.40]", "1.00 MB"),
        ("other", "500 ms [450 ms, 550 ms]", "–", "0.500 MB"),
    ]
    assert rows[1]["cost"] == made.LABEL and rows[2]["reference"]
    both = [{"rows": rows}, ladder.ladder(part, "y")]
    ladder.say_costs_once(both)
    assert [one["rows"][1]["cost"] for one in both] == [made.LABEL, ""]


NARROW, WIDE = seen(1, lo=0.95, hi=1.05), seen(1, lo=0.8, hi=1.05)


@pytest.mark.parametrize(
    "more, words",
    [
        (
            [],
            "of what the issues say, 2 points were judged: 1 held, 0 were refuted, 1 is open; no control was measured.",
        ),
        (
            [("control", "held", NARROW)],
            "; no control moved. Controls (one program against itself): 1 of 1 within 10 %.",
        ),
        (
            [("control", "undecided", WIDE)],
            "More than half of the controls were too noisy to tell, so small differences prove nothing. Controls",
        ),
        (
            [("control", "held", NARROW), ("control", "undecided", WIDE)],
            "; no control moved. Controls (one program against itself): 1 of 2 within 10 %, 1 too noisy to tell.",
        ),
        (
            [("control", "refuted", WIDE)],
            "; 1 of 1 controls moved, and nothing at its point is decided. Controls",
        ),
        (
            [("staged", "held", NARROW), ("fast", "held", WIDE), ("fast", "held", NARROW)],
            "Compositions (the same work, composed otherwise): 1 of 1 within 10 %, medians 1.00x. "
            "Negative controls (patches that must change nothing): 1 of 2 within 10 %, medians 1.00x to 1.00x.",
        ),
    ],
)
def test_how_far_to_trust_a_run_counts_the_kinds_of_control_apart(folder, more, words):
    run = load.load(folder)
    run.parts[0].declared["variants"] += [
        {"name": name, "role": "control", "patches": []} for name in ("control", "staged")
    ]
    run.parts[0].claims += [
        made.claim(control=True, origin="ours", variant=variant, verdict=verdict, seen=interval)
        for variant, verdict, interval in more
    ]
    assert words in claims.trust(run, *run.sets)


def test_a_way_that_differs_at_another_point_says_both_and_the_best_measured_leads(folder, told):
    more = '[[issue.way]]\ndo = "be gone"\nbefore = "made@x baseline"\nafter = "made@x gone"\nbest = 2\n'
    other = STORY.replace(
        'axis = "n"',
        'axis = "n"\nalso = [{ says = "two", at = { n = "2" } }, { says = "four", at = { n = "4" } }]',
    )
    story.FILE.write_text(other + more)
    run = load.load(folder)
    for cell in run.parts[0].cells:
        if cell["params"] == {"n": "2"} and cell["variant"] == "fast":
            cell["wall_s"] = seen(1.0)
    [told_one] = story.issues(run)[0]["told"]
    assert [one["says"] for one in told_one["ways"][0]["also"]] == ["two"]
    assert told_one["answer"].endswith(": 4.00x [3.60, 4.40].")


def test_two_folders_stand_side_by_side(folder, told, tmp_path):
    def faster(record):
        of_claim = (
            {"seen": seen(8), "seen_text": "8.00x [7.20, 8.80]"} if record.get("id") == "c" else {}
        )
        of_cell = (
            {"wall_s": seen(0.5)}
            if record["kind"] == "cell" and record["variant"] == "fast"
            else {}
        )
        return record | of_claim | of_cell

    other = made.write(tmp_path / "other", [faster(record) for record in made.verdicts()])
    result = call(folder, other, "--out", tmp_path / "both")
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "both/report.html").read_text()
    assert "was 4.00x [3.60, 4.40] on run, <b>changed</b>" in page
    run = load.beside(load.named([folder, other]))
    found = [row for row in table.rows(run) if row["what"] == made.LABEL and row["at"] == "n:1"]
    assert [(row["set"], row["seen"]) for row in found] == [
        ("run", "4.00x [3.60, 4.40]"),
        ("other", "8.00x [7.20, 8.80]"),
    ]
    assert [told["ways"][0]["after"] for told in story.issues(run)[0]["told"]] == [
        "1.00 s",
        "500 ms",
    ]
    assert call(folder, other, "--splice", tmp_path / "x").returncode == 2
