"""A ratio says, beside its interval, that a control of its point moved or that rounds were added."""

from report import made, render
from report.made import lines_of
from report.read import files, load
from report.say import closing


def test_a_ratio_whose_control_moved_is_marked_wherever_it_stands(folder):
    said = "baseline 116 page faults a call, fast 4"
    lines = [
        line | {"control_moved": True, "counters": said}
        if line["kind"] == "ratio" and line["params"] == {"n": "1"}
        else line
        for line in made.verdicts()
    ]
    (folder / "verdicts.jsonl").write_text(lines_of(lines))
    run = load.load(folder)
    assert run.parts[0].moved() == [{"n": "1"}]
    assert "made@x fast, n:8" in closing.made_answers(run, 100)[1]
    page = render.write(run, folder).read_text()
    assert "4.00x [3.60, 4.40], control moved" in page and page.count(said) == 1, "with its claim"
    assert page.count("A control moved at n:1: the ratios there decide nothing.") == 2 * 2, (
        "the caption and the alternative text of two figures"
    )


def test_rounds_that_a_later_run_added_are_said_in_one_sentence(folder):
    rows = made.rows()
    again = [
        row | {"run": "s", "round": 2}
        for row in rows
        if row["variant"] == "fast" and row["params"]["n"] in "12"
    ]
    (folder / "rows.jsonl").write_text(lines_of(rows + again))
    files.write_json(
        folder / "sessions/s.1.json", made.session(run="s", started="2026-01-01T01:00:00Z")
    )
    verdicts = [
        line | {"sessions": {"made@x": ["r.1", "s.1"]}} if line["kind"] == "set" else line
        for line in made.verdicts()
    ]
    (folder / "verdicts.jsonl").write_text(lines_of(verdicts))
    page = render.write(load.load(folder), folder).read_text()
    assert (
        "2 of the trials were added by the later run s to 2 cells that had been measured already"
        in page
    )
    assert "2 of the trials were added" in (folder / "report.md").read_text()
