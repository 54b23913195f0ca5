"""The page of a gate."""

import json
import subprocess
import sys

import pytest

from report import files, gate, made
from report.made_gate import LINE, THREE, ruling, written


def test_the_worst_stands_first_then_the_slowest(tmp_path):
    _, rulings = gate.load(written(tmp_path / "gate", *THREE))
    assert [line["name"] for line in rulings] == [made.LABEL, "count", "sort"]
    assert gate.change(rulings[0]) == pytest.approx(1 / 0.9 - 1)


def test_the_page_says_every_ruling_and_escapes_every_name(tmp_path):
    page = gate.write(written(tmp_path / "gate", *THREE), "a/folder").read_text()
    assert "is after slower than before?" in page and "1 REGRESSION, 2 ok." in page
    assert page.count("<tr role") == 4 and "+11.1 %" in page and "why sort" in page
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page


def test_a_gate_by_instructions_has_ratios_without_intervals(tmp_path):
    counted = {"metric": "instructions", "ratio": None, "pairs": 0}
    lines = [ruling("more", "regression", 1, **counted, instructions={"base": 100, "head": 125, "change": 0.25}),
             ruling("none", "inconclusive", 1, **counted)]
    _, rulings = gate.load(written(tmp_path / "gate", *lines))
    assert [gate.ratio(line) for line in rulings] == ["0.800x", "–"] and [gate.change(line) for line in rulings] == [0.25, None]
    assert gate.figure(LINE, rulings[1:]) is None
    assert "<svg" in gate.write(tmp_path / "gate", "gate").read_text()


def test_the_figure_draws_the_worst_and_the_table_has_all(tmp_path):
    many = [ruling(f"b{number}", "ok", 1.0) for number in range(gate.MOST + 7)]
    page = gate.write(written(tmp_path / "gate", *many, open=2), "some/gate").read_text()
    assert "7 more in the table" in page and f"Show all {gate.MOST + 7}" in page
    assert all(f">b{number}<" in page for number in range(gate.MOST + 7))
    assert "--resume some/gate" in page


@pytest.mark.parametrize(("lines", "sentence"), [
    (None, "is not there; write it with: cliffbench judge"),
    ([LINE | {"schema": 9}], "has schema 9"),
    ([LINE, ruling("sort", "splendid", 1)], "has a ruling 'splendid', which"),
])
def test_what_cannot_be_read_is_one_sentence(tmp_path, lines, sentence):
    folder = written(tmp_path / "gate")
    (folder / "rulings.jsonl").unlink()
    if lines:
        (folder / "rulings.jsonl").write_text(made.lines_of(lines))
    with pytest.raises(files.Unreadable, match=sentence):
        gate.write(folder, "gate")


def test_the_script_writes_the_page_of_a_gate(tmp_path):
    folder = written(tmp_path / "gate", *THREE)
    done = subprocess.run([sys.executable, made.SCRIPT, folder], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout == f"report: {folder / 'report.html'}\n"
    (folder / "rulings.jsonl").write_text(json.dumps(LINE) + "\n" + json.dumps({"ruling": "ok"}) + "\n")
    done = subprocess.run([sys.executable, made.SCRIPT, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 13 and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
