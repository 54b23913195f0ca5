"""What the attempts damage: one judged run, one gate with a regression, one plan, and made-up programs."""

import dataclasses
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "harness/e2e"))
from made_case import made_case  # noqa: E402

FAKE = (ROOT / "harness/test_data/fake_benchmark.py").read_text()
FAST = ["--trust-times", "--instructions", "never", "--seed", "1"]
# Times that depend on the trial alone: the verdicts of two runs are the same.
STEADY = """
n = int(name.split("n:")[1].split("/")[0])
write(real_time=1e6 * n ** 2 / (3 if "fast" in name else 1), **{"stage:copy": 4e-4 * n ** 2})"""
CLAIMS = [{"id": "faster", "range": {"lo": 2.0, "hi": None}},
          {"id": "quiet", "variant": "control", "range": {"lo": 0.9, "hi": 1.1}, "control": True},
          {"id": "square", "quantity": "exponent", "variant": "baseline", "axis": "n", "range": {"lo": 1.9, "hi": 2.1}},
          {"id": "tenfold", "range": {"lo": 10.0, "hi": None}, "expected": "refuted"}]


def fake(folder, name="fake", **settings):
    """A made-up Google Benchmark program in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable} -ISE\nSETTINGS = {settings}\n" + FAKE)
    path.chmod(0o755)
    return path


def steady(path, **made):
    return made_case(path, STEADY, axes=(("n", ("1", "2", "4", "8")),), variants=("baseline", "control", "fast"), claims=CLAIMS,
                     name="steady", limit_s=60, **made)


@dataclasses.dataclass
class Material:
    program: pathlib.Path  # cliffbench
    case: pathlib.Path
    run: pathlib.Path
    gate: pathlib.Path
    plan: pathlib.Path
    base: pathlib.Path
    head: pathlib.Path
    verdicts: list
    rulings: list


def sides(place, material):
    """The words for both sides of a gate, copied: they count their runs in files beside them."""
    return ["--base", place.copy(material.base.parent, "base") / "fake", "--head", place.copy(material.head.parent, "head") / "fake"]


def verdicts_of(folder):
    """What was decided of each claim, with the interval that decided it."""
    lines = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    return [(line["id"], line["verdict"], line.get("seen")) for line in lines if line["kind"] == "claim"]


def rulings_of(folder):
    lines = [json.loads(line) for line in (folder / "rulings.jsonl").read_text().splitlines()]
    return [(line["name"], line["ruling"], line["pairs"]) for line in lines if line["kind"] == "ruling"]


def make(program, folder):
    """Measures everything once; `folder` is new."""
    def call(expected, *words):
        result = subprocess.run([program, *map(str, words)], capture_output=True, text=True, cwd=folder, timeout=300)
        if result.returncode != expected:
            raise SystemExit(f"attack: {words[0]} ended with {result.returncode}, not {expected}: {result.stdout}{result.stderr}")

    case = steady(folder / "steady")
    run, gate, plan = folder / "run", folder / "gate", folder / "plan.json"
    base, head = fake(folder / "base"), fake(folder / "head", ms=1.1)
    call(0, "run", case, "--rounds", 6, "--seed", 3, "--out", run)
    call(0, "judge", run)
    call(0, "plan", case, "--rounds", 6, "--seed", 3, "--out", plan)
    call(10, "gate", "--base", base, "--head", head, "--out", gate, *FAST)
    return Material(program, case, run, gate, plan, base, head, verdicts_of(run), rulings_of(gate))
