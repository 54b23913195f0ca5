"""The table of fixes that page and README begin with; on made rows."""

import pytest

from report import made, render
from report.draw.figure import fixes as forest
from report.made import STORY, lines_of
from report.read import load
from report.say import fixes, story, units

FIX = """
[[fix]]
name    = "regex filter"
by      = "an issue"
what    = "a page of {n} things"
against = "the baseline"
program = "made@*"
before  = "baseline"
after   = "fast"
at      = { n = "1", of_another_program = "2" }
"""


@pytest.fixture
def told(tmp_path, monkeypatch):
    (tmp_path / "issues.toml").write_text(STORY + FIX)
    monkeypatch.setattr(story, "FILE", tmp_path / "issues.toml")


def words(run):
    [fix] = fixes.fixes(run)
    return [one["words"] for one in fix["cells"]]


def test_each_platform_has_a_column_and_an_apple_m1_is_never_left_out(folder, told):
    run = load.load(folder)
    [column, made_here, apple] = [column["says"] for column in fixes.platforms(run)]
    assert (made_here, apple) == (f"M1 code, made on {column}", "Apple M1")
    [fix] = fixes.fixes(run)
    assert fix["what"] == "a page of 1 things" and words(run) == [
        "4.00x [3.60, 4.40]",
        "–",
        "not measured yet",
    ]
    assert (fix["cells"][0]["before"], fix["cells"][0]["after"]) == ("4.00 s", "1.00 s")
    assert (
        "4.00&nbsp;s → 1.00&nbsp;s: **4.00x [3.60,&nbsp;4.40]**"
        in (render.write(run, folder).parent / "report.md").read_text()
    )


def test_what_has_no_time_stands_beside_the_scale(folder, told):
    run = load.load(folder)
    run.parts[0].void = "measured something else"
    axes = forest.draw(run, fixes.fixes(run)).axes[0]
    hollow = [
        line
        for line in axes.lines
        if line.get_markerfacecolor() == "none" and len(line.get_xdata())
    ]
    assert [line.get_xdata()[0] for line in hollow] == [
        1 - forest.BAND / 2
    ] * 2  # void here, and not measured on an M1
    assert all(line.get_transform() == axes.get_yaxis_transform() for line in hollow)


def test_a_run_of_an_apple_m1_fills_its_column(tmp_path, told):
    run = load.load(made.write_three_sets(tmp_path / "run"))
    assert [(column["set"] is not None, column["code"]) for column in fixes.platforms(run)] == [
        (True, ""),
        (True, "m1"),
        (True, ""),
        (True, "m1"),
        (True, ""),
    ]
    assert words(run) == ["4.00x [3.60, 4.40]", "–"] * 2 + ["4.00x [3.60, 4.40]"]


def test_a_virtual_mac_is_named_so_and_fills_no_apple_m1_s_column(folder, told):
    run = load.load(folder)
    run.machines["m1"] |= {"cpu": "Apple M1 (Virtual)", "arch": "arm64", "virtualised": True}
    assert [column["says"] for column in fixes.platforms(run)] == ["M1, virtual", "Apple M1"]


def test_a_void_program_has_no_number(folder, told):
    run = load.load(folder)
    run.parts[0].void = "measured something else"
    assert words(run)[0] == units.VOID and fixes.fixes(run)[0]["cells"][0]["ratio"] is None


def test_a_number_whose_control_moved_says_so(folder, told):
    moved = [
        line | {"control_moved": True} if line["kind"] == "ratio" else line
        for line in made.verdicts()
    ]
    (folder / "verdicts.jsonl").write_text(lines_of(moved))
    assert words(load.load(folder))[0] == "4.00x [3.60, 4.40], control moved"


def test_where_nothing_of_any_fix_was_measured_there_is_no_table(folder, told):
    story.FILE.write_text(STORY + FIX.replace("made@*", "elsewhere@*"))
    assert fixes.fixes(load.load(folder)) == []
