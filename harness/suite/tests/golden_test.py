"""What a change must not change unseen: the published run's verdicts, the judge's table, each case's declaration."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import golden
import pytest
from built import BUILD, ROOT, call, check_lines
from made_run import lines_of, made_run, row

GOLDEN = pathlib.Path(__file__).parent / "golden"


def rounded(value):
    """Another processor's logarithm may differ in the last digit."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list) else value


def digest(values):
    return hashlib.sha256(json.dumps(rounded(values), sort_keys=True).encode()).hexdigest()[:16]


@pytest.mark.parametrize("run", [path.name for path in sorted((ROOT / "results/published").iterdir()) if path.is_dir()])
def test_a_published_run_keeps_its_verdicts(run, tmp_path):
    copy = shutil.copytree(ROOT / "results/published" / run, tmp_path / "run")
    (copy / "verdicts.jsonl.gz").unlink()
    judged = call("judge", copy)
    summary, lines = lines_of(copy)
    said = [f"exit {judged.returncode}\n{summary['sentence']}\ntable {digest(judged.stdout.rpartition(chr(10) * 2)[0])}\n"]
    for program in sorted({line.get("program", "") for line in lines}):
        mine = [line for line in lines if line.get("program", "") == program]
        for kind in sorted({line["kind"] for line in mine}):
            of_kind = [line for line in mine if line["kind"] == kind]
            said.append(f"{program or '-'} {kind} {len(of_kind)} {digest(of_kind)}\n")
    golden.check(GOLDEN / f"{run}.txt", "".join(said))


def rows_of_all_kinds():
    """Six rounds; each variant is what its name says."""
    for size in (1, 2, 4, 8):
        for number in range(1, 7):
            point, wave = {"n": str(size), "mode": "a"}, 1 + 0.01 * (number % 3)
            yield row("baseline", point, number, size * 1e-3, stages={"copy": size * 6e-4})
            yield row("control", point, number, size * 1e-3 * wave * (3 if size == 8 else 1 + 0.1 * (number % 3) if size == 4 else 1))
            yield row("fast", point, number, size * 2.5e-4 * wave, page_faults=9000, stages={"copy": size * 1e-4})
            yield row("slow", point, number, None, status="timeout", reason="stopped at the limit of 100 s")
            yield row("liar", point, number, 1e-4, digest="another")
            yield row("absent", point, number, None, status="skipped", reason="this machine has no such library")
            if size == 1:
                yield row("broken", point, number, None, status="crash", reason="ended by signal 11 (Segmentation fault)")


LONG = "four times as fast, in a claim of so many words that not even 120 columns hold it, and all of them are printed"
SAME = {"text": "control takes as long", "variant": "control", "range": {"lo": 0.9, "hi": 1.1}, "control": True}
CLAIMS = [{"id": "same"} | SAME, {"id": "four", "text": LONG, "range": {"lo": 3.5, "hi": 4.5}},
          {"id": "ten", "text": "ten times as fast", "range": {"lo": 10, "hi": None}, "where": {"n": "1"}},
          {"id": "not", "text": "not faster", "range": {"lo": 0, "hi": 1}, "where": {"n": "1"}, "expected": "refuted"},
          {"id": "edge", "text": "on the edge", "range": {"lo": 3.95, "hi": None}, "where": {"n": "1"}},
          {"id": "long", "text": "takes over 90 s", "quantity": "time", "variant": "slow", "against": "", "where": {"n": "1"},
           "range": {"lo": 90, "hi": None}},
          {"id": "share", "text": "copies for most of its time", "quantity": "share", "variant": "baseline", "against": "",
           "of": "copy", "where": {"n": "1"}, "range": {"lo": 0.5, "hi": 1}},
          {"id": "linear", "text": "grows linearly", "quantity": "exponent", "variant": "fast", "against": "", "axis": "n",
           "range": {"lo": 0.9, "hi": 1.1}},
          {"id": "library", "text": "twice as slow elsewhere", "variant": "absent"}, {"id": "lie", "text": "a lie", "variant": "liar"},
          {"id": "other", "text": "not chosen", "where": {"n": "16"}},
          {"id": "m1", "text": "faster on an M1", "machine": "Apple M1"}]


def test_the_table_of_a_run_with_everything_that_can_happen(tmp_path):
    variants = ("baseline", "control", "fast", "slow", "liar", "absent", "broken")
    run = made_run(tmp_path / "run", rows_of_all_kinds(), claims=CLAIMS, variants=variants,
                   axes=(("n", ("1", "2", "4", "8", "16")), ("mode", ("a", "b"))))
    texts = [f"exit {call('judge', run).returncode}\n"]
    check_lines(run)
    for columns in ("", "80"):
        said = call("judge", run, env=os.environ | {"COLUMNS": columns}).stdout.replace(str(tmp_path), "PLACE")
        texts.append(f"\n---- COLUMNS={columns}\n{said}")
        assert all(len(line) <= 80 for line in said.splitlines()) or not columns
    golden.check(GOLDEN / "judge.txt", "".join(texts))


def test_each_case_declares_what_it_declared():
    """Those that are built here; without what a build decides. The new file keeps the lines of the others."""
    path = GOLDEN / "describe.txt"
    kept = dict(line.split() for line in path.read_text().splitlines()) if path.exists() else {}
    seen = {}
    for program in sorted((BUILD / "cases").glob("*")):
        if not program.is_file() or not os.access(program, os.X_OK):
            continue
        for line in subprocess.run([program, "--describe"], capture_output=True, text=True, check=True).stdout.splitlines():
            declared = json.loads(line)
            name = f"{declared['case']}@{declared['subject']['name']}"
            seen[name] = digest({key: value for key, value in declared.items() if key not in ("build", "libraries", "readme", "subject")})
    golden.check(path, "".join(f"{name} {value}\n" for name, value in sorted((kept | seen).items())))
