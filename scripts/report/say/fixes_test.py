"""The table of fixes that page and README begin with; on made rows, and on what is published."""

import pathlib
import re

import pytest

from report import made, render
from report.draw.figure import fixes as forest
from report.made import FIX, STORY, lines_of, seen
from report.read import load
from report.say import fixes, story, units

ROOT = pathlib.Path(__file__).parents[3]
TWO = [made.ratio("fast", "1", seen(4)), made.ratio("fast", "2", seen(8))]


@pytest.fixture
def told(tmp_path, monkeypatch):
    (tmp_path / "issues.toml").write_text(STORY + FIX)
    monkeypatch.setattr(story, "FILE", tmp_path / "issues.toml")


def words(run):
    return [
        [one["words"] for one in row["cells"]] for fix in fixes.fixes(run) for row in fix["rows"]
    ]


def test_a_fix_has_a_row_a_point_and_says_its_range(tmp_path, told):
    kept = [line for line in made.verdicts() if line["kind"] != "ratio"]
    folder = made.write(tmp_path / "run", kept + TWO)
    run = load.load(folder)
    assert [one["says"] for one in fixes.platforms(run)] == ["x86-64"]
    [fix] = fixes.fixes(run)
    assert [row["says"] for row in fix["rows"]] == ["1 things", "2 things"]
    assert words(run) == [["4.00x [3.60, 4.40]"], ["8.00x [7.20, 8.80]"]]
    text = (render.write(run, folder).parent / "report.md").read_text()
    assert "| **4.00x to 8.00x**, by number of things |" in text
    assert "| | 1 things | 4.00&nbsp;s → 1.00&nbsp;s: **4.00x [3.60,&nbsp;4.40]** |" in text
    axes = forest.draw(run, fixes.fixes(run)).axes[0]
    assert {"regex filter", "a page:", "1 things", "2 things", "4.00x", "8.00x"} <= {
        text.get_text() for text in axes.texts
    }


def test_the_controls_beside_the_fixes_are_counted(tmp_path, told):
    def said(**verdicts):
        lines = [line for line in made.verdicts() if line["kind"] != "ratio"] + TWO
        lines += [
            made.claim(id=n, control=True, variant="control", where={"n": n[1:]}, verdict=verdict)
            for n, verdict in verdicts.items()
        ]
        run = load.load(made.write(tmp_path / "".join(verdicts) / "run", lines))
        return fixes.controls(fixes.fixes(run), [0])

    stands = "A control, the program against itself, stands at the points of"
    assert said() == f"{stands} 0 of these 2 ratios."
    assert said(n2="undecided") == f"{stands} 1 of these 2 ratios: 1 too wide to tell."
    both = said(n1="held", n2="refuted")
    assert both == f"{stands} 2 of these 2 ratios: 1 within range, 1 moved."
    assert fixes.controls([], [0]) == ""


def test_a_fix_without_a_point_is_shown_at_the_largest(tmp_path, told):
    text = story.FILE.read_text().replace('{ n = "1", of_another_program = "2" }', "{}")
    story.FILE.write_text(re.sub(r"(?m)^also .*\n", "", text))
    kept = [line for line in made.verdicts() if line["kind"] != "ratio"]
    for number, ratios in enumerate((TWO, TWO[::-1])):
        run = load.load(made.write(tmp_path / str(number), kept + ratios))
        assert words(run) == [["8.00x [7.20, 8.80]"]]


def test_a_platform_without_a_number_is_no_column_and_a_point_without_one_no_row(tmp_path, told):
    run = load.load(made.write_three_sets(tmp_path / "run"))
    assert [(one["says"], one["code"]) for one in fixes.platforms(run)] == [
        ("x86-64 2026-01-01", ""),
        ("x86-64 2026-02-01", ""),
        ("Apple M1 Pro", ""),
    ]
    assert words(run) == [["4.00x [3.60, 4.40]"] * 3]


def test_a_virtual_mac_is_named_so(folder, told):
    run = load.load(folder)
    run.machines["m1"] |= {"cpu": "Apple M1 (Virtual)", "arch": "arm64", "virtualised": True}
    assert [one["says"] for one in fixes.platforms(run)] == ["M1, virtual"]


def test_a_void_program_has_no_number(folder, told):
    run = load.load(folder)
    run.parts[0].void = "measured something else"
    assert (
        words(run)[0][0] == units.VOID and not fixes.fixes(run)[0]["rows"][0]["cells"][0]["ratio"]
    )


def test_what_is_known_of_an_m1_is_told_unless_its_program_is_void(folder, told):
    known = '[[known]]\nprogram = "made@x"\nclaim = "c"\nsays = "on an M1"\n'
    story.FILE.write_text(STORY + FIX + known)
    run = load.load(folder)
    assert [one["seen"] for one in fixes.known(run)] == ["4.00x [3.60, 4.40]"]
    run.parts[0].void = "measured something else"
    assert not fixes.known(run)
    run.parts[0].void = ""
    run.parts[0].claims[0]["measured"] = False
    assert not fixes.known(run)


def test_a_number_whose_control_moved_says_so(folder, told):
    moved = [
        line | {"control_moved": True} if line["kind"] == "ratio" else line
        for line in made.verdicts()
    ]
    (folder / "verdicts.jsonl").write_text(lines_of(moved))
    assert words(load.load(folder))[0] == ["4.00x [3.60, 4.40], control moved"]


def test_where_nothing_of_any_fix_was_measured_there_is_no_table(folder, told):
    story.FILE.write_text(STORY + FIX.replace("made@*", "elsewhere@*"))
    assert fixes.fixes(load.load(folder)) == []


def test_a_point_far_from_what_is_shown_is_found(tmp_path, told):
    cells = [made.cell(variant, size, 1.0) for size in "124" for variant in ("baseline", "fast")]
    ratios = [*TWO, made.ratio("fast", "4", seen(30))]
    run = load.load(made.write(tmp_path / "run", [*made.verdicts()[:2], *cells, *ratios]))
    assert fixes.hidden(run, story.declared("fix")[0]) == [({"n": "4"}, 30)]


@pytest.mark.parametrize("rows", sorted((ROOT / "results/published").glob("*/rows.jsonl.gz")))
def test_of_a_published_run_no_point_answers_differently_by_more_than_a_third_unseen(rows):
    run = load.load(rows.parent)
    assert [fix["name"] for fix in fixes.fixes(run) if fix["several"]]
    hidden = {
        fix["name"]: found for fix in story.declared("fix") if (found := fixes.hidden(run, fix))
    }
    assert hidden == {}


@pytest.mark.parametrize(
    "page",
    [*(ROOT / "results/published").rglob("*.md"), ROOT / "patches/halide/upstream/README.md"],
    ids=lambda path: path.parent.name,
)
def test_no_name_of_a_program_becomes_an_address_of_mail(page):
    prose = re.sub(r"`[^`\n]*`|\]\([^)]*\)|!\[[^]]*\]", "", page.read_text())
    assert re.findall(r"\S*\w@\w\S*", prose) == []
