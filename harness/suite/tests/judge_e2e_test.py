"""`cliffbench judge` beyond its table (golden_test.py): which controls move, stopped trials, the last lines of a bench."""

import html
import os
import re
import shutil
import subprocess
import sys

import pytest
from built import BUILD, ROOT, call, check_lines, sentence
from made_case import made_case
from made_run import SAME, everything, lines_of, made_run
from records import row
from report.say import units

LONG = "a_patch_with_a_name_of_more_than_eighteen_letters"
BODY = f"write(real_time=1e6 / (4 if {LONG!r} in name else 1))"
POINTS = (("n", ("1", "2")),)


def judged(run, code=0):
    result = call("judge", run, env=os.environ | {"COLUMNS": ""})
    assert result.returncode == code, result.stderr
    check_lines(run)
    return result.stdout


def test_the_report_shows_numbers_as_the_judge_does(tmp_path):
    """Both have a function for it: the report shows numbers that the judge gives no words to."""
    judged(everything(tmp_path / "run"), 13)
    _, lines = lines_of(tmp_path / "run")
    seen = [line for line in lines if line["kind"] == "claim" and line["seen"] and line["quantity"] in ("ratio", "exponent")]
    assert len(seen) > 6
    for claim in seen:
        assert claim["seen_text"] == units.interval(claim["seen"], unit="x" if claim["quantity"] == "ratio" else "")


def test_the_status_of_a_run_behind_a_link(material, tmp_path):
    """As results/local/latest is."""
    shutil.copytree(material / "run", tmp_path / "all/run")
    (tmp_path / "latest").symlink_to(tmp_path / "all/run")
    (tmp_path / "runs").symlink_to(tmp_path / "all")
    for link in (tmp_path / "latest", tmp_path / "runs"):
        status = call("status", link)
        assert status.returncode == 0 and " trials (100 %)" in status.stdout, status.stderr


# The control of n = 2 is slower by 8 to 38 %: by chance in 0.3 % of programs that equal themselves.
SLOWER = [1.08, 1.14, 1.20, 1.25, 1.31, 1.38]


@pytest.mark.parametrize("count, code, states", [(1, 14, (1, 0, 1)), (3, 0, (3, 3, 0))])
def test_a_control_moves_among_all_of_its_run_and_voids_its_point_alone(tmp_path, count, code, states):
    """One of two controls that shows this has moved; one of six does so by chance too often."""
    names = [f"made{i}" for i in range(count)]
    times = lambda variant, n, number: (  # noqa: E731
        SLOWER[number - 1] if (variant, n) == ("control", "2") else 0.25 if variant == "fast" else 1.0)
    rows = [row(variant, {"n": n}, number, times(variant, n, number), case=name)
            for name in names for n in ("1", "2") for number in range(1, 7) for variant in ("baseline", "control", "fast")]
    run = made_run(tmp_path / "run", rows, names, axes=POINTS, variants=("baseline", "control", "fast"),
                   claims=[SAME | {"id": "same", "where": {"n": "1"}}, {"id": "fast"}])
    judged(run, code)
    summary, lines = lines_of(run)
    assert tuple(summary["controls"][state] for state in ("within", "too_wide", "moved")) == states
    verdict = {line["where"]["n"]: line["verdict"] for line in lines if line.get("id") == "fast"}
    assert verdict == {"1": "held", "2": "unproven" if code else "held"}
    assert {line["params"]["n"] for line in lines if line.get("control_moved")} == ({"2"} if code else set())


@pytest.mark.parametrize("stops", [1, 6])
def test_terminal_and_page_show_the_same_bound_of_a_stopped_variant(tmp_path, stops):
    """It took longer than its limit of 1 s, the baseline 0.5 s: at most half as fast, and not "0 to 0.5"."""
    rows = [one for number in range(1, 7) for one in (
        row("baseline", {"n": "1"}, number, 0.5, limit_s=1),
        row("fast", {"n": "1"}, number, None, limit_s=1, cpu_s=None, digest="", reason="stopped",
            status="timeout" if number <= stops else "skipped"))]
    run = made_run(tmp_path / "run", rows, axes=(("n", ("1",)),), claims=[{"expected": "refuted"}])
    said = judged(run)
    _, lines = lines_of(run)
    [claim] = [line for line in lines if line["kind"] == "claim"]
    bound = f"<= 0.500x ({stops} stopped run{'s' if stops > 1 else ''})"
    assert claim["seen"] == {"n": stops, "median": None, "hi": 0.5, "stopped": stops} | ({"lo": 0} if stops == 6 else {})
    assert claim["seen_text"] == units.interval(claim["seen"], unit="x") == bound
    assert subprocess.run([BUILD / "cliffbench", "report", run], capture_output=True).returncode == 0
    page = re.sub("(?s)<script.*?</script>", "", html.unescape((run / "report.html").read_text()))
    assert (said.count(bound), page.count(bound)) == (2, 3)  # of ratio and claim; the page also begins with it
    assert not re.search(r"\[0[.,]|\b0 to 0.5", said + page)


def test_a_bench_ends_with_what_the_patches_save_and_0_whatever_it_found(tmp_path):
    """scripts/bench in a tree of its own: one made case, one that is not built here."""
    for folder in ("scripts/setup", "cases/made", "cases/absent", "results/local", "build/cases"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(ROOT / "scripts/bench", tmp_path / "scripts/bench")
    shutil.copy(BUILD / "cliffbench", tmp_path / "build/cliffbench")
    (tmp_path / "scripts/setup/python").write_text(f'#!/bin/sh\nshift\nexec {sys.executable} {ROOT}/scripts/report.py "$@"\n')
    (tmp_path / "scripts/setup/python").chmod(0o755)
    (tmp_path / "build/build.ninja").write_text("build made: phony cases/made@thing\n")
    broken = [{"text": "four times as fast", "variant": LONG} | {"range": {"lo": 9.0, "hi": None}}]
    made_case(tmp_path / "build/cases/made", BODY, variants=("baseline", LONG), claims=broken)
    result = subprocess.run([tmp_path / "scripts/bench", "quick"], capture_output=True, text=True, env=os.environ | {"COLUMNS": ""})
    assert result.returncode == 0, result.stderr
    lines = result.stdout.partition("\nreport: ")[2].splitlines()[2:]
    assert lines[0].startswith("0 of 2 claims hold, 2 refuted; 2 verdicts not as expected")
    saved = lines[lines.index("What the patches save, where the baseline is slowest:") + 1]
    assert saved.startswith(f"  made {LONG}, n:") and "1.00 ms -> 250 µs  4.00x [4.00, 4.00]" in saved
    assert any(line.startswith("Not as expected: refuted (4.00x") for line in lines)
    assert lines[-2].startswith("Report: results/local/") and lines[-2].endswith("/report.html")
    assert lines[-1].startswith("Not built here, so not measured: absent ")
    assert (tmp_path / "results/local/latest/verdicts.jsonl").exists()


def test_a_claim_about_a_stage_that_no_row_has_is_refused(material):
    result = call("judge", material / "run", "--claim", "made baseline share of nothing >= 1%")
    assert result.returncode == 2 and "is about the stage 'nothing'; these rows have copy" in sentence(result)
