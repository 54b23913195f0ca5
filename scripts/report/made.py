"""A made run for the tests: no number in it was measured."""

import contextlib
import io
import json
import pathlib
import runpy
import subprocess
from unittest import mock

import records

from report.read import files

CASE = {
    "machine": "m1",
    "date": "2026-01-01",
    "commit": "abc+",
    "program": "made@x",
    "case": "made",
    "subject": "x",
}
SCRIPT = pathlib.Path(__file__).parent.parent / "report.py"
LABEL = "made <script>alert(1)</script>"
# Declares an issue about the made run.
STORY = """
[[issue]]
name = "made"
title = "An issue"
url = "https://example.org/1"
asks = "Why?"
answer = "{n} things take {before}, then {after}: {ratio}."
why = "Because of `it`."
programs = ["made@x"]
shown = ["made@x"]
at = {}
axis = "n"
x = "things"
series = [{ cell = "made@x baseline", says = "before" }, { cell = "made@x fast", says = "after" },
          { cell = "made@y all", says = "no such" }]
advice = ["Change `it`."]
[[issue.way]]
problem = "{n} things"
do = "be `fast`"
before = "made@x baseline"
after = "made@x fast"
best = 1
[[issue.way]]
do = "none such"
before = "made@x baseline"
after = "made@y fast"
"""

# A fix of it, at two points.
FIX = """
[[fix]]
name    = "regex filter"
by      = "an issue"
what    = "a page"
against = "the baseline"
program = "made@*"
before  = "baseline"
after   = "fast"
at      = { n = "1", of_another_program = "2" }
asks    = []
says    = "{n} things"
spread  = "by number of things"
also    = [{ says = "2 things", at = { n = "2" } }]
"""


VALIDATED = {
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


def seen(median, n=6, **more):
    return {"n": n, "median": median, "lo": median * 0.9, "hi": median * 1.1} | more


def lines_of(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def cell(variant, size, wall_s, **more):
    return (
        CASE
        | {
            "kind": "cell",
            "variant": variant,
            "params": {"n": size},
            "status": "ok",
            "counts": {"ok": 6},
            "checked": "digest",
            "reason": "",
            "limit_s": 9,
            "wall_s": seen(wall_s),
            "cpu_s": seen(wall_s),
            "rss_bytes": seen(wall_s * 1e6),
            "stages": {},
        }
        | more
    )


def row(variant, size, wall_s, round=1, **more):
    return (
        records.row(variant, {"n": size}, round, wall_s, subject="x", limit_s=9)
        | {"position": 0, "digest": ""}
        | more
    )


def claim(**more):
    return (
        CASE
        | {
            "kind": "claim",
            "id": "c",
            "text": LABEL,
            "quantity": "ratio",
            "of": "",
            "axis": "",
            "variant": "fast",
            "against": "baseline",
            "where": {"n": "1"},
            "lo": 2,
            "hi": None,
            "range_text": ">= 2x",
            "seen_text": "4.00x [3.60, 4.40]",
            "control": False,
            "origin": "theirs",
            "figure_by": "issue",
            "expected": "held",
            "source": "an issue",
            "seen": seen(4),
            "verdict": "held",
            "words": "held",
            "reason": "",
            "measured": True,
            "by_machine": False,
            "as_expected": True,
        }
        | more
    )


def ratio(variant, size, found, role="patch"):
    return CASE | {
        "kind": "ratio",
        "variant": variant,
        "params": {"n": size},
        "against": "baseline",
        "role": role,
        "ratio": found,
    }


def declaration(**more):
    variants = [
        {
            "name": variant,
            "role": role,
            "why": "",
            "patches": ["p"] * (role == "patch"),
            "equals": "",
        }
        for variant, role in (("baseline", "baseline"), ("fast", "patch"), ("other", "reference"))
    ]
    fields = ("name", "before", "after", "cost", "source", "left_out")
    return (
        records.declaration(limit_s=9)
        | {
            "why": LABEL,
            "readme": "cases/made.md",
            "file": "made@x",
            "profiles": [],
            "subject": {"name": "x", "version": "1", "sha256": "ab"},
            "build": {"compiler": "c", "flags": "-O2", "commit": "abc", "dirty": True},
            "variants": variants,
            "stages_from": "baseline",
            "axes": [{"name": "n", "unit": "things", "values": list("1248")}],
            "patches": [dict.fromkeys(fields, LABEL)],
        }
        | more
    )


def session(**more):
    return records.session(machine=records.MACHINE | {"cpu": LABEL}) | more


def verdicts():
    """Four sizes, a stop, a skipped size, a wrong output, claims of two verdicts."""
    return [
        {
            "kind": "summary",
            "schema": 1,
            "runs": ["r"],
            "machines": ["m1"],
            "sentence": "1 of 1 claim holds.",
            "exit": 0,
            "left_out": [],
            "claims": 3,
            "held": 1,
            "undecided": 1,
            "controls": dict.fromkeys(("within", "too_wide", "moved"), 0),
        }
        | dict.fromkeys(("refuted", "unproven", "not_measured", "unexpected", "wrong_output"), 0),
        {
            "kind": "set",
            "machine": "m1",
            "date": "2026-01-01",
            "commit": "abc+",
            "sessions": {"made@x": ["r.1"]},
            "exit": 0,
            "sentence": "1 of 1 claim holds.",
        },
        claim(),
        claim(
            id="d",
            where={"n": "2"},
            verdict="undecided",
            words="undecided",
            seen=None,
            reason="too few rounds",
        ),
        claim(
            id="e",
            text="never measured",
            where={"n": "16"},
            measured=False,
            seen=None,
            verdict="undecided",
            words="undecided",
        ),
        *(
            cell(
                "baseline",
                size,
                float(size) * 4,
                stages={"a": seen(3 * float(size)), "b": seen(float(size))},
            )
            for size in "124"
        ),
        cell("baseline", "8", 0, status="timeout")
        | {"wall_s": {"n": 1, "median": 9, "bound": True, "stopped": 1}},
        *(cell("fast", size, float(size), stages={"a": seen(float(size))}) for size in "1248"),
        {
            key: value
            for key, value in cell(
                "other", "1", 1, status="wrong_output", reason="2 and 2 made 5"
            ).items()
            if key not in ("wall_s", "cpu_s", "rss_bytes")
        },
        ratio("fast", "1", seen(4)),
        ratio("fast", "8", {"n": 1, "median": 38, "bound": True, "stopped": 1}),
        CASE
        | {
            "kind": "exponent",
            "variant": "baseline",
            "axis": "n",
            "of": "",
            "where": {},
            "exponent": seen(1.9),
            "sizes": [1, 2, 4, 8],
            "local": [],
        },
    ]


def rows():
    made = [
        row(v, s, float(s), position=place)
        for place, (v, s) in enumerate((v, s) for v in ("baseline", "fast") for s in "124")
    ]
    return made + [
        row("baseline", "8", None, status="timeout"),
        row("fast", "8", 8.0),
        row("other", "8", None, status="skipped"),
    ]


def write(folder, found=None, trials=None):
    for part in ("programs", "sessions", "cases"):
        (folder / part).mkdir(parents=True)
    files.write_json(folder / "programs/made@x.json", declaration())
    files.write_json(folder / "sessions/r.1.json", session())
    (folder / "verdicts.jsonl").write_text(lines_of(found or verdicts()))
    (folder / "rows.jsonl").write_text(lines_of(trials or rows()))
    return folder


def write_three_sets(folder):
    """The same rows as if made on two dates of one machine and on an Apple M1."""
    write(folder)
    found, trials = verdicts()[:1], []
    for run, machine, cpu, arch, date in (
        ("r", "m1", LABEL, "x86_64", "2026-01-01"),
        ("s", "m1", LABEL, "x86_64", "2026-02-01"),
        ("t", "m2", "Apple M1 Pro", "arm64", "2026-03-01"),
    ):
        mine = session(run=run, started=f"{date}T00:00:00Z")
        mine["machine"] |= {"id": machine, "cpu": cpu, "arch": arch}
        files.write_json(folder / f"sessions/{run}.1.json", mine)
        found += [
            record
            | {"machine": machine, "date": date}
            | ({"sessions": {"made@x": [f"{run}.1"]}} if record["kind"] == "set" else {})
            for record in verdicts()[1:]
        ]
        trials += [record | {"run": run} for record in rows()]
    (folder / "verdicts.jsonl").write_text(lines_of(found))
    (folder / "rows.jsonl").write_text(lines_of(trials))
    return folder


def write_many(folder, count):
    """`count` rows of 375 cells."""
    points = [str(size) for size in range(1, 126)]
    variants = ["baseline", "fast", "other"]
    trials = [
        row(
            variants[place % 3],
            points[place % 125],
            1 + (place * 7919 % 1000) / 1000,
            position=place,
            round=place // 375,
        )
        for place in range(count)
    ]
    found = verdicts()[:3] + [
        cell(variant, point, 1.5, counts={"ok": count // 375})
        for variant in variants
        for point in points
    ]
    found += [ratio("fast", point, seen(1.1)) for point in points]
    return write(folder, found, trials)


def files_of(folder):
    """The written files, by name; a bitmap, whose bytes are its library's, only as its first bytes."""
    written = [
        path
        for path in sorted(folder.rglob("*"))
        if path.name.startswith("report.") or path.suffix == ".csv" or path.parent.name == "figures"
    ]
    return {
        path.relative_to(folder): path.read_bytes()[: 8 if path.suffix == ".png" else None]
        for path in written
    }


def call(*words):
    """The result of scripts/report.py. In this process: to import what draws takes longer than to draw most pages."""
    words, code, out, err = [str(SCRIPT), *map(str, words)], 0, io.StringIO(), io.StringIO()
    with (
        mock.patch("sys.argv", words),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            runpy.run_path(str(SCRIPT), run_name="__main__")
        except SystemExit as end:
            code = end.code
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())
