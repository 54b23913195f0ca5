"""scripts/publish.py FOLDER [--to results/published]     checks a run and copies it to <date>-<machine>/ there.

Refused: a run that cannot be judged, whose verdicts are not what the judge says now, in which a verdict differs
from its expectation, something crashed or was wrong, or a control moved; rows of a machine that is marked as
synthetic or emulated; programs built with local changes, or of several commits; a merged folder (publish each run).
Exit: 0 copied, 2 usage, 11, 13 or 14 as the judge's, 13 when the run may not be published.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent
BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", ROOT / "build"))
KEPT = ("plan.json", "rows.jsonl", "verdicts.jsonl", "report.html", "report.md", "sessions", "programs", "cases", "figures")


class Refused(Exception):
    """One sentence, and the exit code."""

    def __init__(self, sentence, code=13):
        super().__init__(sentence)
        self.code = code


def records(folder, name):
    found = []
    for path in sorted((folder / name).glob("*.json")):
        try:
            found.append(json.loads(path.read_text()))
        except ValueError:
            raise Refused(f"{path} is not JSON") from None
    if not found:
        raise Refused(f"{folder} has no {name}/*.json: it is no folder of a run", 2)
    return found


def check_machine(sessions):
    """The one machine of the run."""
    machines = [session.get("machine", {}) for session in sessions]
    for machine in machines:
        if machine.get("synthetic"):
            raise Refused("its machine is synthetic: made for a test, never measured")
        if machine.get("emulated"):
            raise Refused("it ran under emulation: such times are never rows")
    if len({machine.get("id") for machine in machines}) != 1:
        raise Refused("it holds rows of several machines; publish the run of each by itself")
    if not machines[0].get("cpu"):
        raise Refused("its session does not name the machine's processor")
    return machines[0]


def check_versions(programs):
    for program in programs:
        name = program.get("file", program.get("case"))
        if program.get("schema") != 1:
            raise Refused(f"the declaration of {name} has schema {program.get('schema')}, not 1")
        if program["build"]["dirty"]:
            raise Refused(f"{name} was built with local changes: commit them and run again")
        if not program["subject"]["version"]:
            raise Refused(f"{name} does not name the version of its subject")
    commits = {program["build"]["commit"] for program in programs}
    if len(commits) != 1 or commits == {"unknown"}:
        raise Refused(f"its programs are of {len(commits)} commits ({', '.join(sorted(commits))}): build anew and run again")


def check_rows(folder, sessions):
    known = {(session["run"], session["session"]) for session in sessions}
    lines = (folder / "rows.jsonl").read_text().splitlines() if (folder / "rows.jsonl").exists() else []
    for number, line in enumerate(lines, 1):
        row = json.loads(line)
        if (row["run"], row["session"]) not in known:
            raise Refused(f"rows.jsonl line {number} belongs to no session of this run")
    return len(lines)


def check_verdicts(folder):
    """The judge reads every row by the schema, and compares digests."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "run"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("figures", "scratch"))
        judged = subprocess.run([BUILD / "cliffbench", "judge", copy], capture_output=True, text=True)
        if judged.returncode:
            words = (judged.stderr.strip() or judged.stdout.strip()).splitlines()
            raise Refused(f"the judge ends with {judged.returncode}: {words[-1] if words else 'it says nothing'}", judged.returncode)
        kept = folder / "verdicts.jsonl"
        if not kept.exists() or kept.read_text() != (copy / "verdicts.jsonl").read_text():
            raise Refused(f"verdicts.jsonl is not what the judge says of these rows; run: cliffbench judge {folder}")


def name_of(machine, sessions):
    """2026-11-21-apple-m1, ...-virtual"""
    date = min(session["started"] for session in sessions)[:10]
    words = re.sub(r"\(r\)|\(tm\)|processor|cpu|@", " ", machine["cpu"].lower())
    slug = re.sub(r"[^a-z0-9.]+", "-", words).strip("-")
    virtual = "-virtual" if machine.get("virtualised") and "virtual" not in slug else ""
    return f"{date}-{slug}{virtual}"


def publish(folder, to):
    sessions = records(folder, "sessions")
    machine = check_machine(sessions)
    check_versions(records(folder, "programs"))
    rows = check_rows(folder, sessions)
    check_verdicts(folder)
    target = to / name_of(machine, sessions)
    if target.exists():
        raise Refused(f"{target} is there already; remove it first if this run replaces it", 2)
    unfinished = target.with_name(target.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    for name in KEPT:
        source = folder / name
        if source.is_dir():
            shutil.copytree(source, unfinished / name)
        elif source.exists():
            shutil.copy2(source, unfinished / name)
    unfinished.rename(target)
    return target, rows


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path, default=ROOT / "results/published")
    given = parser.parse_args(arguments)
    try:
        target, rows = publish(given.folder.resolve(), given.to)
    except Refused as refused:
        print(f"publish: not published: {refused}", file=sys.stderr)
        return refused.code
    except (KeyError, TypeError, ValueError) as error:
        print(f"publish: not published: {given.folder} is no folder of a run that this program reads ({error!r})", file=sys.stderr)
        return 13
    print(f"{rows} rows copied to {target}; to commit them:\n  git add {target} && git commit -m 'results: {target.name}'")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
