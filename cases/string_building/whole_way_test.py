"""The whole way of a small real case: measured, judged, reported. Work is asserted, never a time."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
CLIFFBENCH = pathlib.Path(os.environ["CLIFFBENCH_BUILD"]).absolute() / "cliffbench"
SIZES, VARIANTS, ROUNDS = ["1000", "2000", "4000", "8000"], ["baseline", "control", "append_in_place", "reserve_first"], 6


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("string_building") / "run"
    result = subprocess.run([CLIFFBENCH, "run", "string_building", "--profile", "demo", "--limit", "600", "--out", folder],
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return folder


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_cell_is_measured_in_every_round_and_all_variants_build_the_same_text(measured):
    rows = lines(measured / "rows.jsonl")
    places = {(row["params"]["lines"], row["variant"], row["round"]) for row in rows}
    assert len(places) == len(rows) == len(SIZES) * len(VARIANTS) * ROUNDS
    assert {row["status"] for row in rows} == {"ok"}
    digests = {(row["params"]["lines"], row["digest"]) for row in rows}
    assert len(digests) == len({digest for _, digest in digests}) == len(SIZES)


def test_every_claim_is_decided_or_says_why_not_and_the_report_shows_it(measured):
    judged = subprocess.run([CLIFFBENCH, "judge", measured], capture_output=True, text=True)
    assert judged.returncode in (0, 11, 14), judged.stderr  # the machine decides whether it holds
    claims = [line for line in lines(measured / "verdicts.jsonl") if line["kind"] == "claim"]
    assert {claim["id"] for claim in claims} == {"quadratic", "append_helps", "control_same"}
    assert all(claim["verdict"] == "held" or claim["reason"] for claim in claims)
    reported = subprocess.run([sys.executable, ROOT / "scripts/report.py", measured], capture_output=True, text=True)
    assert reported.returncode == 0, reported.stderr
    page = (measured / "report.html").read_text()
    for text in ["append_in_place is at least 20x faster than text = text + line", "text = text + line", *VARIANTS]:
        assert text in page
