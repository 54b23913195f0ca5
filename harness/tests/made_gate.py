"""Made-up sides of a gate for tests, how it is called on them, and what it ruled."""

import json
import shutil

from built import BUILD, call

FAKE = BUILD / "test_cases/fake_benchmark"  # its source says which settings there are
FAST = ["--instructions", "never", "--time-unchanged"]
# A stand-in for valgrind; `each` is a Python expression for the instructions of an iteration.
VALGRIND = """#!{python} -ISE
import os, subprocess, sys
words = sys.argv[1:]
log = next(word for word in words if word.startswith("--log-file=")).split("=", 1)[1]
program = [word for word in words if not word.startswith(("--tool", "--cache", "--log-file"))]
count = int(next(word for word in program if "min_time" in word).split("=")[1].rstrip("x") or 1) or 1
file = {file!r}
number = int(open(file).read()) + 1 if os.path.exists(file) else 1
open(file, "w").write(str(number))
code = subprocess.run(program).returncode
each = {each}
open(log, "w").write("I refs: %d" % (1000000 + each * count))
sys.exit(code)
"""


def unchanged(base, head, out, *words):
    """A gate that may find both sides the same."""
    return call("gate", "--base", base, "--head", head, "--out", out, "--seed", 1, *words)


def gate(base, head, out, *words, seed=1, **kwargs):
    return call("gate", "--base", base, "--head", head, "--out", out, "--seed", seed, *FAST, *words, **kwargs)


def program(folder, name="fake", **settings):
    """A made-up program in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!{FAKE}\n{json.dumps(settings)}\n")
    path.chmod(0o755)
    return path


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text + "\n")
    path.chmod(0o755)
    return path


def rebuilt(path, folder):
    """A copy that does the same and is another file."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = shutil.copy2(path, folder)
    with open(copy, "ab") as file:
        file.write(b"x")  # behind its end: nothing reads it
    return copy


def rulings(folder):
    summary, *found = map(json.loads, (folder / "rulings.jsonl").read_text().splitlines())
    assert summary["kind"] == "gate" and all(line["kind"] == "ruling" for line in found)
    return summary, found


def ruling(folder):
    _, [only] = rulings(folder)
    return only


def runs_of(path):
    return int(path.with_name(path.name + ".runs").read_text())
