"""The report on made rows: what is written."""

import csv
import json
import pathlib
import re

from report import made, render
from report.made import call, files_of, lines_of, seen
from report.read import files, load
from report.say import closing, kept, table, troubles

ROOT = pathlib.Path(__file__).parent.parent.parent


def test_the_page_shows_everything_and_escapes_it(folder):
    page = render.write(load.load(folder), folder).read_text()
    assert "<script>alert" not in page and "made &lt;script&gt;" in page
    for text in (
        "1 of 1 claim holds.",
        "4.00x [3.60, 4.40]",
        "2 and 2 made 5",
        "never measured",
        "too few rounds",
        "undecided",
        "(not ended)",
        "with local changes",
        "Not run for this folder",
        'href="rows.jsonl"',
        "make report RUN=",
    ):
        assert text in page, text
    assert (
        page.count("<img") == page.count('<figure class="narrow">') == 3
    )  # loaded when their heading is opened
    assert "@import" not in page
    assert re.findall(r'src="([^"]+)"', page) == [
        f"figures/{name}.svg" for name in ("made-x-scaling-n", "made-x-stages", "order")
    ]
    order = [
        page.index(f'id="{name}"')
        for name in (
            *("rest", "troubles", "controls", "made-x", "order", "gate", "machines", "how", "raw"),
            "all",
        )
    ]
    assert order == sorted(order)
    assert len(list((folder / "figures").glob("*.svg"))) == 3


def test_what_this_machine_cannot_run_is_said_with_the_reason(folder):
    lost = made.claim(
        id="l",
        text="steeper elsewhere",
        where={"n": "1"},
        measured=False,
        seen=None,
        verdict="not_measured",
        words="not measured here",
        reason="no such library here",
    )
    (folder / "verdicts.jsonl").write_text(lines_of(made.verdicts() + [lost]))
    page = render.write(load.load(folder), folder).read_text()
    assert "steeper elsewhere (no such library here)" in page
    assert "steeper elsewhere (no such library here)" in (folder / "report.md").read_text()


def test_the_tables_in_markdown_are_tables(folder):
    render.write(load.load(folder), folder)
    lines = (folder / "report.md").read_text().splitlines()
    tables = [
        row
        for row in range(1, len(lines))
        if lines[row].startswith("|") and not lines[row - 1].startswith("|")
    ]
    assert len(tables) >= 2
    for head in tables:
        columns = lines[head].count(" |")
        assert (
            columns > 1
            and lines[head + 1] == "|" + "---|" * columns
            and lines[head + 2].startswith("|")
        ), lines[head]


def test_same_rows_same_bytes(folder, tmp_path):
    render.write(load.load(folder), folder)
    again = made.write(tmp_path / "again" / "run")
    render.write(load.load(again), again)
    assert files_of(again) == files_of(folder)


def test_every_id_of_a_page_is_its_only_one(folder):
    for page in (
        render.write(load.load(folder), folder),
        *(ROOT / "results/published").glob("*/report.html"),
    ):
        ids = re.findall(r' id="([^"]+)"', page.read_text())
        assert len(ids) == len(set(ids)), [name for name in ids if ids.count(name) > 1]


def test_the_gate_s_validation_is_a_table_and_a_figure(folder):
    files.write_json(
        folder / "validation.json",
        {"date": "2026-01-02", "machine": {"cpu": "c"}, "rows": [made.VALIDATED]},
    )
    page = render.write(load.load(folder), folder).read_text()
    assert (
        "3 of 300" in page
        and "1.00 % [0.340 %, 2.89 %]" in page
        and "figures/validation.svg" in page
    )


def test_a_run_in_which_nothing_worked_still_has_a_page(folder):
    broken = [
        record
        for record in made.verdicts()
        if record["kind"] in ("summary", "set") or record.get("status") == "wrong_output"
    ]
    (folder / "verdicts.jsonl").write_text(lines_of(broken))
    page = render.write(load.load(folder), folder).read_text()
    assert "<svg" not in page and "2 and 2 made 5" in page and "1 rows: " in page


def test_many_rows_keep_the_page_small_and_say_so(tmp_path):
    folder = made.write_many(tmp_path / "many", 30_000)
    run = load.load(folder)
    page = render.write(run, folder).read_text()
    assert len(page.encode()) < 200_000
    rounds = table.facts(run, [], table.rows(run), "", {})["rows"]
    assert {len(one) for one in rounds[-375:]} == {table.ROUNDS}
    assert "Of 30000 trials a panel shows at most 200 within 0.7x and 1.4x" in page
    assert sum(len(part.rows) for part in run.parts) == 30_000
    assert (
        len({id(row.params) for row in run.parts[0].rows}) == 125
    )  # shared, so that they fit into memory


def test_the_short_report_is_spliced_between_markers(folder, tmp_path):
    file = tmp_path / "README.md"
    file.write_text(
        f"before\n<!-- report: an M1 by {folder.as_posix()} -->\nstale words\n<!-- end -->\nafter\n"
    )
    assert call(folder, "--splice", file).returncode == 0
    text = file.read_text()
    assert (
        text.startswith("before\n")
        and text.endswith("<!-- end -->\nafter\n")
        and "stale" not in text
    )
    assert call(folder, "--splice", file).returncode == 0 and file.read_text() == text
    file.write_text("nothing")
    missing = call(folder, "--splice", file)
    assert (
        missing.returncode == 13
        and "has no lines <!-- report:" in missing.stderr
        and missing.stderr.count("\n") == 1
    )


def test_what_a_stopped_run_needs_is_time():
    assert "--limit" in troubles.more_of(
        {"n": 1, "stopped": 1}
    ) and "--rounds 6" in troubles.more_of({"n": 3})
    assert "--rounds 6" in troubles.more_of(None) and "--rounds 12" in troubles.more_of({"n": 6})


def test_the_last_lines_are_whole_where_no_terminal_has_a_width(folder, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    result = call(folder, "--closing")
    page = folder / "report.html"
    last = closing.text(load.load(folder), f"Report: {page}", 0).rstrip()
    assert result.stdout.endswith(f"\n{last}\n")
    assert "2 with too few rounds" not in last and "1 with too few rounds" in last


def row_of(run, **wanted):
    [found] = [row for row in table.rows(run) if wanted.items() <= row.items()]
    return found


def test_the_table_has_each_claim_and_each_cell_in_the_judges_words(folder):
    same = {"lo": 0.9, "hi": 1.1, "control": True, "origin": "ours", "text": "takes as long"}
    more = [
        made.claim(id=words, **same, seen=seen(1, lo=low, hi=high), verdict=verdict, words=words)
        for low, high, verdict, words in (
            (0.95, 1.05, "held", "control quiet"),
            (0.5, 0.99, "undecided", "control too wide"),
            (0.5, 0.8, "refuted", "control MOVED"),
        )
    ]
    counted = {"page_faults": {"n": 6, "median": 59967, "lo": 59000, "hi": 61000}}
    cells = ("cell", "fast")
    found = [
        line | (counted if (line["kind"], line.get("variant")) == cells else {})
        for line in made.verdicts()
    ]
    found[2] |= {"range_text": "a range as said", "seen_text": "an interval as said"}
    (folder / "verdicts.jsonl").write_text(lines_of(found + more))
    run = load.load(folder)
    rows = table.rows(run)
    kinds = [row["kind"] for row in rows]
    assert kinds == ["issue"] * 2 + ["control"] * 3 + ["cell"] * 9
    words = [(row["symbol"], row["tone"], row["words"]) for row in rows if row["kind"] == "control"]
    assert words == [
        ("✓", "held", "control quiet"),
        ("?", "undecided", "control too wide"),
        ("✗", "refuted", "control MOVED"),
    ]
    assert (
        row_of(run, words="control too wide")["reason"]
        and not row_of(run, words="control quiet")["reason"]
    )
    cell = row_of(run, kind="cell", what="fast", at="n:1")
    assert (cell["seen"], cell["memory"], cell["faults"]) == (
        "4.00x [3.60, 4.40]",
        "1.00 MB",
        "59,967",
    )
    assert not cell["reason"]
    assert row_of(run, what="other", kind="cell")["reason"] == "2 and 2 made 5"
    assert cell["rounds"] == [1.0] and row_of(run, what="baseline", at="n:8")["rounds"] == []
    moved = [one["what"] for one in troubles.troubles(run) if one["kind"] == "moved"]
    assert moved == ["takes as long (at n:1)"]
    page = render.write(run, folder).read_text()
    assert (
        "tested: fast ratio against baseline a range as said; an issue" in page
        and "<td>an interval as said<br>" in page
    )
    assert page.count("control too wide") == 2 and "59,967 faults" in page


def test_beside_the_page_every_cell_and_claim_is_a_line_of_csv(folder):
    run = load.load(folder)
    render.write(run, folder)
    cells, found = (
        list(csv.DictReader((folder / name).read_text().splitlines()))
        for name in ("cells.csv", "claims.csv")
    )
    assert len(cells) == len(run.parts[0].cells) and len(found) == len(run.parts[0].claims)
    stopped = [
        cells[3][name] for name in ("point", "variant", "status", "wall_s_median", "wall_s_low")
    ]
    assert stopped == ["n:8", "baseline", "timeout", "9", ""]
    assert (found[0]["point"], found[0]["claimed_low"], found[0]["verdict"]) == ("n:1", "2", "held")


def test_a_cell_shows_the_rounds_that_ended_well_beside_each_other(folder):
    rows = [
        made.row("baseline", "1", 4.0, round=1),
        made.row("baseline", "1", 5.0, round=2, status="wrong_output"),
        made.row("fast", "1", 1.0, round=1),
        made.row("fast", "1", 2.0, round=2),
        made.row("other", "1", None, round=3, status="timeout"),
    ]
    (folder / "rows.jsonl").write_text(lines_of(rows))
    [part] = load.load(folder).parts
    point = (("n", "1"),)
    assert table.rounds_of(part) == {("baseline", point): [4, None], ("fast", point): [1, 2]}


def test_a_claim_of_a_stage_has_the_rounds_that_give_the_judges_median(folder):
    share = made.claim(
        id="s", quantity="share", of="a", against="", variant="baseline", seen=seen(0.75)
    )
    wrong = share | {"id": "w", "seen": seen(0.5)}
    (folder / "verdicts.jsonl").write_text(lines_of(made.verdicts() + [share, wrong]))
    rows = [made.row("baseline", "1", 4.0, round=number, stages={"a": 3.0}) for number in (1, 2)]
    (folder / "rows.jsonl").write_text(lines_of(rows))
    shares = [
        row["rounds"] for row in table.rows(load.load(folder)) if row["variant"] == "baseline"
    ]
    assert shares[:2] == [[0.75, 0.75], []]


def test_of_two_dates_the_later_says_what_was_and_whether_it_changed(tmp_path):
    folder = made.write_three_sets(tmp_path / "three")
    found = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    for line in found:
        if line.get("date") == "2026-02-01" and line.get("id") == "c":
            line |= {"seen": seen(8), "words": "refuted", "verdict": "refuted"}
    (folder / "verdicts.jsonl").write_text(lines_of(found))
    run = load.load(folder)
    before = [row["before"] for row in table.rows(run) if row["what"] == made.LABEL][:3]
    was = {
        "words": "4.00x [3.60, 4.40]",
        "apart": True,
        "of": "x86-64 2026-01-01",
        "verdict": "held",
    }
    assert before == [None, was, None]
    page = render.write(run, folder).read_text()
    assert "was 4.00x [3.60, 4.40] on x86-64 2026-01-01, verdict held, <b>changed</b>" in page
    assert "<td>Apple M1 Pro" in page and 'href="#m1"' not in page
    assert next(csv.reader((folder / "cells.csv").read_text().splitlines()))[:2] == [
        "machine",
        "date",
    ]


def test_a_published_page_shows_the_published_run_before_it(tmp_path):
    new = made.write(tmp_path / "2026-01-02-new")
    files.pack(new / "rows.jsonl", new / "rows.jsonl.gz")
    (new / "rows.jsonl").unlink()
    (tmp_path / "earlier").mkdir()
    for name, median in (("2026-01-01-old", 2), ("2025-01-01-older", 3), ("2026-02-01-newer", 9)):
        old = [
            line | {"seen": seen(median)} if line.get("id") == "c" else line
            for line in made.verdicts()
        ]
        run = load.load(made.write(tmp_path / name, old))
        files.write_json(tmp_path / f"earlier/{name}.json", kept.record_of(run, name))
    run = load.load(new)
    assert run.earlier["run"] == "2026-01-01-old"
    assert kept.counted(run) | {"claims": 1, "changed": 1, "date": "2026-01-01"} == kept.counted(
        run
    )
    assert row_of(run, what=made.LABEL, at="n:1")["before"]["apart"]
    assert "was 4.00x [3.60, 4.40], <b>changed</b>" in render.write(run, new).read_text()


def test_links_lead_onward_where_the_folder_is_in_the_repository(folder):
    [name] = [path.parent for path in (ROOT / "results/published").glob("*/report.html")][:1]
    run = load.load(name)
    found = render.links(run, name.relative_to(ROOT).as_posix())
    targets = [target for _, target in found["next"]] + [
        *found["readmes"].values(),
        *found["sources"].values(),
    ]
    assert len(targets) > 12 and all((name / target).is_file() for target in targets)
    assert not any(render.links(run, folder.as_posix()).values())
