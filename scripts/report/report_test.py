"""The report on made rows: what is written."""

import json
import pathlib
import re

from report import made, render
from report.draw import figures
from report.made import call, files_of, lines_of, seen
from report.read import files, load
from report.say import claims, evidence, troubles

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
        "made/n:1/variant:baseline$",
        "(not ended)",
        "with local changes",
        "Not run for this folder",
        'href="rows.jsonl"',
        "make report RUN=",
    ):
        assert text in page, text
    assert (
        page.count("<img") == page.count('<figure class="narrow">') == 5
    )  # loaded when their heading is opened
    assert "@import" not in page
    assert re.findall(r'src="([^"]+)"', page) == [
        f"figures/{name}.svg"
        for name in ("made-x-ratios", "made-x-scaling-n", "made-x-stages", "made-x-rounds", "order")
    ]
    order = [
        page.index(f'id="{name}"')
        for name in (
            "claims",
            "rest",
            "troubles",
            "controls",
            "made-x",
            "order",
            "gate",
            "machines",
            "how",
            "raw",
        )
    ]
    assert order == sorted(order)
    assert len(list((folder / "figures").glob("*.svg"))) == 5


def test_a_control_that_is_too_wide_is_not_shown_as_quiet(folder):
    """Each of three controls says what the judge said of it; none is shown as held that was not."""
    same = {"lo": 0.9, "hi": 1.1, "control": True, "origin": "ours", "text": "takes as long"}
    controls = [
        made.claim(id=name, **same, seen=seen(1, lo=low, hi=high), verdict=verdict, words=words)
        for name, low, high, verdict, words in (
            ("q", 0.95, 1.05, "held", "control quiet"),
            ("w", 0.5, 0.99, "undecided", "control too wide"),
            ("m", 0.5, 0.8, "refuted", "control MOVED"),
        )
    ]
    (folder / "verdicts.jsonl").write_text(lines_of(made.verdicts() + controls))
    run = load.load(folder)
    cells = {
        row["claim"]["id"]: row["cells"][0]
        for row in claims.table(run, ["made@x"], claims.is_control)["rows"]
    }
    assert [
        (cells[name]["symbol"], cells[name]["tone"], cells[name]["words"]) for name in "qwm"
    ] == [
        ("✓", "held", "control quiet"),
        ("?", "undecided", "control too wide"),
        ("✗", "refuted", "control MOVED"),
    ]
    assert "says nothing of the machine" in cells["w"]["reason"] and not cells["q"]["reason"]
    assert [
        trouble["what"] for trouble in troubles.troubles(run) if trouble["kind"] == "moved"
    ] == ["takes as long (at n:1)"]
    assert not [
        trouble
        for trouble in troubles.troubles(run)
        if trouble["kind"] == "undecided" and trouble["what"].startswith("takes")
    ]
    page = render.write(run, folder).read_text()
    assert page.count("control too wide") == 1


def test_a_measurement_names_each_value_that_is_not_the_usual_one(folder):
    run = load.load(folder)
    for part in run.parts:
        table = evidence.measurements(run, part)
        usual = dict(word.split(":", 1) for word in table["usual"].split())
        points = [
            usual | dict(word.split(":", 1) for word in row["at"].split()) for row in table["rows"]
        ]
        assert (
            points == [cell["params"] for cell in part.cells]
            and len({str(point) for point in points}) > 1
        )


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


def test_drawing_with_several_processes_gives_the_same(folder, monkeypatch):
    one = figures.draw_all(load.load(folder))
    monkeypatch.setattr(figures, "WORTH", 1)
    assert figures.draw_all(load.load(folder)) == one


def test_two_dates_have_a_since_column_and_machines_a_column_each(tmp_path):
    folder = made.write_three_sets(tmp_path / "three")
    run = load.load(folder)
    page = render.write(run, folder).read_text()
    assert (
        "x86-64 2026-02-01, since x86-64 2026-01-01" in page
        and "was 4.00x [3.60, 4.40]; intervals overlap" in page
    )
    assert (
        "no run on an Apple M1" not in page and page.count("verdict, Apple M1 Pro</th>") == 1
    )  # its column is there
    table = claims.table(run, ["made@x"], claims.is_theirs)
    assert [len(row["cells"]) for row in table["rows"]] == [3, 3] and [
        len(row["since"]) for row in table["rows"]
    ] == [1, 1]


def test_a_claim_that_moved_says_so_in_the_since_column(tmp_path):
    folder = made.write_three_sets(tmp_path / "three")
    found = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    for line in found:
        if line.get("date") == "2026-02-01" and line.get("id") == "c":
            line |= {"seen": seen(8), "words": "refuted", "verdict": "refuted"}
    (folder / "verdicts.jsonl").write_text(lines_of(found))
    table = claims.table(load.load(folder), ["made@x"], claims.is_theirs)
    [since] = table["rows"][0]["since"]
    assert since["words"] == "was 4.00x [3.60, 4.40]; verdict was held; intervals do not overlap"
    assert since["apart"]


def test_the_gate_s_validation_is_a_table_and_a_figure(folder):
    row = {
        "series": "A/A",
        "slowdown_percent": 0,
        "method": "cliffbench gate",
        "alarms": 3,
        "decisions": 300,
        "low": 0.0034,
        "high": 0.0289,
        "mean_pairs": 20.1,
        "seconds_per_decision": 2.1,
    }
    files.write_json(folder / "validation.json", {"machine": {"cpu": "c"}, "rows": [row]})
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
    assert (
        "<svg" not in page
        and "2 and 2 made 5" in page
        and "This run measured none of our claims" in page
    )


def test_many_rows_keep_the_page_small_and_say_so(tmp_path):
    folder = made.write_many(tmp_path / "many", 100_000)
    run = load.load(folder)
    page = render.write(run, folder).read_text()
    assert len(page.encode()) < 1_000_000
    assert "Of 100000 samples at most 100 a panel are drawn" in page
    assert "Of 100000 trials a panel shows at most 200 within 0.7x and 1.4x" in page
    assert sum(len(part.rows) for part in run.parts) == 100_000
    assert (
        len({id(row.params) for row in run.parts[0].rows}) == 125
    )  # shared, so that they fit into memory


def test_all_measurements_are_in_the_page_unless_there_are_very_many(folder, monkeypatch):
    run = load.load(folder)
    shown = evidence.measurements(run, run.parts[0])
    assert len(shown["rows"]) == len(run.parts[0].cells) and shown["command"].startswith(
        "build/cases/made@x --benchmark_filter='^made/n:1"
    )
    monkeypatch.setattr(evidence, "ROWS", 1)
    run.parts[0].cells = run.parts[0].cells * 2
    assert len(evidence.measurements(run, run.parts[0])["rows"]) == 10


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


def test_the_first_screen_has_what_is_claimed_and_held_and_nothing_that_no_interval_shows(tmp_path):
    found = made.verdicts() + [made.cell("fast", "4", 2.0), made.ratio("fast", "4", seen(8))]

    def short(place, lines):
        return [
            line["ratio"]
            for line in claims.in_short(load.load(made.write(tmp_path / place, lines)))
        ]

    assert short("held", found) == ["4.00x [3.60, 4.40]"]
    elsewhere = [
        record | ({"verdict": "refuted"} if record["kind"] == "claim" else {}) for record in found
    ]
    assert short("refuted", elsewhere) == ["8.00x [7.20, 8.80]"]  # not the bound of one stopped run
    unsure = [
        record | ({"ratio": seen(1.05)} if record["kind"] == "ratio" else {}) for record in found
    ]
    assert short("unsure", unsure) == []


def test_what_a_stopped_run_needs_is_time():
    assert "--limit" in troubles.more_of(
        {"n": 1, "stopped": 1}
    ) and "--rounds 6" in troubles.more_of({"n": 3})
    assert "--rounds 6" in troubles.more_of(None) and "--rounds 12" in troubles.more_of({"n": 6})


def test_ranges_and_intervals_are_the_judges_words(tmp_path):
    found = [
        made.claim(range_text="a range as said", seen_text="an interval as said")
        if line["kind"] == "claim" and line["id"] == "c"
        else line
        for line in made.verdicts()
    ]
    assert call(made.write(tmp_path / "run", found)).returncode == 0
    page = (tmp_path / "run/report.html").read_text()
    assert "a range as said" in page and "an interval as said" in page


def test_page_faults_are_a_column_where_they_were_counted(folder):
    assert "page faults" not in render.write(load.load(folder), folder).read_text()
    counted = '"page_faults": {"n": 6, "median": 59967, "lo": 59000, "hi": 61000}, "rss_bytes"'
    (folder / "verdicts.jsonl").write_text(
        (folder / "verdicts.jsonl").read_text().replace('"rss_bytes"', counted, 1)
    )
    page = render.write(load.load(folder), folder).read_text()
    assert (
        '<th scope="col">page faults</th>' in page
        and "<td>59,967 [59,000, 61,000]</td>" in page
        and "<td>–</td>" in page
    )
