"""The report on made rows: what is loaded, what is drawn, what is written."""

import json
import pathlib
import subprocess
import sys

import pytest

from report import draw, load, render, units

SCRIPT = pathlib.Path(__file__).parent.parent / "report.py"
CASE = {"machine": "m1", "program": "made@x", "case": "made", "subject": "x"}


def seen(median, n=6, **more):
    return {"n": n, "median": median, "lo": median * 0.9, "hi": median * 1.1} | more


def lines_of(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def cell(variant, size, wall_s, **more):
    return CASE | {"kind": "cell", "variant": variant, "params": {"n": size}, "status": "ok", "counts": {"ok": 6},
                   "checked": "digest", "reason": "", "limit_s": 9, "wall_s": seen(wall_s), "cpu_s": seen(wall_s),
                   "rss_bytes": seen(wall_s * 1e6), "stages": {}} | more


def row(variant, size, wall_s, **more):
    return {"schema": 1, "run": "r", "session": 1, "program": "made@x", "variant": variant, "params": {"n": size},
            "name": f"made/n:{size}/variant:{variant}", "status": "ok", "limit_s": 9, "wall_s": wall_s} | more


def made(folder, name="made <script>alert(1)</script>"):
    """A small run: four sizes, a stop, a wrong output, a control, a claim of each verdict."""
    for part in ("programs", "sessions", "cases"):
        (folder / part).mkdir(parents=True)
    variants = [{"name": variant, "role": role, "why": "", "patches": [], "equals": ""}
                for variant, role in (("baseline", "baseline"), ("fast", "patch"), ("other", "reference"))]
    declared = {"schema": 1, "case": "made", "why": name, "subject": {"name": "x", "version": "1", "sha256": "ab"},
                "build": {"compiler": "c", "flags": "-O2", "commit": "abc", "dirty": True}, "variants": variants,
                "stages_from": "baseline", "axes": [],
                "patches": [dict.fromkeys(("name", "before", "after", "cost", "source", "left_out"), name)]}
    (folder / "programs/made@x.json").write_text(json.dumps(declared))
    session = {"schema": 1, "run": "r", "session": 1, "command": "cliffbench run", "seed": 3, "started": "2026-01-01",
               "load_before": [0, 0, 0],
               "machine": {"id": "m1", "cpu": name, "arch": "x86_64", "cores": 2, "caches": "", "memory_bytes": 8e9,
                           "os": "Debian", "kernel": "6", "virtualised": False}}
    (folder / "sessions/r.1.json").write_text(json.dumps(session))
    claim = CASE | {"kind": "claim", "id": "c", "text": name, "quantity": "ratio", "of": "", "variant": "fast",
                    "against": "baseline", "where": {}, "lo": 2, "hi": None, "control": False, "origin": "theirs",
                    "expected": "held", "source": "an issue", "seen": seen(4), "verdict": "held", "words": "held",
                    "reason": "", "measured": True, "as_expected": True}
    verdicts = [
        {"kind": "summary", "schema": 1, "runs": ["r"], "machines": ["m1"], "sentence": "1 of 1 claim holds.", "exit": 0},
        claim, claim | {"verdict": "undecided", "words": "undecided", "seen": None, "reason": "not measured"},
        *(cell("baseline", size, float(size) * 4, stages={"a": seen(3 * float(size)), "b": seen(float(size))})
          for size in "124"),
        cell("baseline", "8", 0, status="timeout") | {"wall_s": {"n": 1, "median": 9, "bound": True, "stopped": 1}},
        *(cell("fast", size, float(size), stages={"a": seen(float(size))}) for size in "1248"),
        {key: value for key, value in cell("other", "1", 1, status="wrong-output", reason="2 and 2 made 5").items()
         if key not in ("wall_s", "cpu_s", "rss_bytes")},
        CASE | {"kind": "ratio", "variant": "fast", "params": {"n": "1"}, "against": "baseline", "role": "patch",
                "ratio": seen(4)},
        CASE | {"kind": "ratio", "variant": "fast", "params": {"n": "8"}, "against": "baseline", "role": "patch",
                "ratio": {"n": 1, "median": 38, "bound": True, "stopped": 1}},
        CASE | {"kind": "exponent", "variant": "baseline", "axis": "n", "of": "", "where": {}, "exponent": seen(1.9),
                "sizes": [1, 2, 4, 8]},
    ]
    (folder / "verdicts.jsonl").write_text(lines_of(verdicts))
    rows = [row(v, s, float(s)) for v in ("baseline", "fast") for s in "124"]
    rows += [row("baseline", "8", None, status="timeout"), row("fast", "8", 8.0)]
    (folder / "rows.jsonl").write_text(lines_of(rows))
    return folder


@pytest.fixture
def folder(tmp_path):
    return made(tmp_path / "run")


def test_the_page_shows_everything_and_escapes_it(folder):
    page = render.write(load.load(folder), folder).read_text()
    assert "<script" not in page and "made &lt;script&gt;" in page
    for text in ("1 of 1 claim holds.", "4.00x [3.60, 4.40]", "no run yet", "no run from such a machine has been contributed", "2 and 2 made 5", "not measured",
                 "✓ held", "? undecided", "&#39;^made/n:1/variant:fast$&#39;", "(not ended)", "with local changes"):
        assert text in page, text
    assert page.count("<svg") == 4 and "src=" not in page and "@import" not in page
    assert "&gt;= 38.0x (1 stopped run)" in page  # in a figure
    assert (folder / "report.md").read_text().count("![") == 4
    assert len(list((folder / "figures").glob("*.svg"))) == 4


def test_same_rows_same_bytes(folder, tmp_path):
    first = render.write(load.load(folder), folder).read_bytes()
    again = made(tmp_path / "again")
    assert render.write(load.load(again), again).read_bytes() == first


def drawn_lines(figure):
    return [(list(line.get_xdata()), list(line.get_ydata())) for line in figure.axes[0].lines]


def test_scaling_draws_samples_medians_intervals_and_stops(folder):
    run = load.load(folder)
    figure = draw.scaling(run.exponents, run.cells, run.rows, draw.styles(run.programs["made@x"]), run.programs["made@x"])
    lines = drawn_lines(figure)
    assert ([1.0], [1.0]) in lines and ([8.0], [9]) in lines  # a sample; the stop at its limit
    assert ([1.0, 2.0, 4.0], [4.0, 8.0, 16.0]) in lines  # medians, without the stopped size
    assert ([2.0, 2.0], [8.0 * 0.9, 8.0 * 1.1]) in lines
    [label] = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert label == "baseline: exponent 1.90 [1.71, 2.09]"


def test_stages_are_stacked(folder):
    cells = [one for one in load.load(folder).cells if one["params"]["n"] == "4" and one["stages"]]
    bars = [(bar.get_x(), bar.get_width()) for bar in draw.stages(cells, "baseline").axes[0].patches]
    assert bars == [(0, 12), (0, 4), (12, 4), (4, 0)]  # a of baseline and fast, then b


def test_ratios_without_an_interval_draw_no_bar(folder):
    run = load.load(folder)
    lines = drawn_lines(draw.ratios(run.ratios, draw.styles(run.programs["made@x"])))
    assert [line for line in lines if len(line[0]) == 2 and line[0][0] == 3.6] == [([3.6, 4.4], [1, 1])]
    assert ([38], [0]) in lines and not any(line[1] == [0, 0] for line in lines)


def test_memory_bars(folder):
    cells = [one for one in load.load(folder).cells if one["params"]["n"] == "2"]
    figure = draw.memory(cells, draw.styles(load.load(folder).programs["made@x"]))
    assert [bar.get_width() for bar in figure.axes[0].patches] == [8, 2]


def test_a_run_in_which_nothing_worked_still_has_a_page(folder):
    verdicts = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    broken = [record for record in verdicts if record["kind"] == "summary" or record.get("status") == "wrong-output"]
    (folder / "verdicts.jsonl").write_text(lines_of(broken))
    page = render.write(load.load(folder), folder).read_text()
    assert "<figure" not in page and "2 and 2 made 5" in page


def test_every_variant_has_its_own_look():
    variants = [{"name": f"v{i}", "role": "patch" if i else "baseline"} for i in range(10)]
    looks = [tuple(style.values()) for style in draw.styles({"variants": variants}).values()]
    assert len(set(looks)) == 10 and looks[0][0] == draw.INK


@pytest.mark.parametrize("value, text", [(12.345, "12.3"), (9.996, "10.0"), (1234, "1234"), (0.0123, "0.0123"), (0, "0")])
def test_three_digits(value, text):
    assert units.digits(value) == text


def test_open_and_missing_intervals():
    assert units.interval({"n": 3, "median": 2.0}) == "2.00"
    assert units.interval(seen(2.0, hi=None)) == "2.00 [1.80, open]"
    assert units.interval(None) == "–"


def call(*words):
    return subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True)


def test_bad_folders_are_one_sentence_and_a_code(folder):
    assert call().returncode == 2
    missing = call(folder / "nowhere")
    assert missing.returncode == 13 and "cannot read" in missing.stderr and missing.stderr.count("\n") == 1
    session = folder / "sessions/r.1.json"
    kept = session.read_text()
    session.write_text("{}")
    assert "has no 'machine'" in call(folder).stderr
    session.write_text(kept)
    (folder / "rows.jsonl").write_text("{}\n")
    schema = call(folder)
    assert schema.returncode == 13 and "has schema None, this program reads schema 1" in schema.stderr
    (folder / "rows.jsonl").write_text("garbage\n")
    assert "rows.jsonl line 1 is not a JSON object" in call(folder).stderr


def test_an_unfinished_last_row_is_left_out_with_a_note(folder):
    with (folder / "rows.jsonl").open("a") as file:
        file.write('{"schema":1,"ru')
    result = call(folder)
    assert result.returncode == 0 and "is unfinished and was left out" in result.stdout
    assert "is unfinished and was left out" in (folder / "report.html").read_text()
