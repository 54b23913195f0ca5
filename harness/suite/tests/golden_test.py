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
from made_run import everything, lines_of

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


@pytest.mark.parametrize("run", [path.parent.name for path in sorted(ROOT.glob("results/published/*/rows.jsonl.gz"))])
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


def test_the_table_of_a_run_with_everything_that_can_happen(tmp_path):
    run = everything(tmp_path / "run")
    texts = [f"exit {call('judge', run).returncode}\n"]
    check_lines(run)
    for columns in ("", "80"):
        said = call("judge", "run", env=os.environ | {"COLUMNS": columns}, cwd=tmp_path).stdout
        texts.append(f"\n---- COLUMNS={columns}\n{said}")
        assert all(len(line) <= 80 for line in said.splitlines()) or not columns
    golden.check(GOLDEN / "judge.txt", "".join(texts))


def test_each_case_declares_what_it_declared():
    """Those that are built here, without what a build decides. A new file keeps the lines of the others and has new ones."""
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
    if "CLIFFBENCH_BLESS" not in os.environ:
        seen = {name: value for name, value in seen.items() if name in kept}
    golden.check(path, "".join(f"{name} {value}\n" for name, value in sorted((kept | seen).items())))
