"""Made-up case programs for tests: scripts that describe themselves and answer as Google Benchmark programs do."""

import json
import pathlib
import sys

from records import declaration

# Most of a test's time is the start of these scripts, so a trial imports next to nothing.
SCRIPT = """#!{python} -ISE
import os, sys, time
if "--describe" in sys.argv:
    import json, re
    {describe}
    print(json.dumps(describe(json.loads({description!r}))))
    sys.exit()
flags = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
wanted = flags["--benchmark_filter"][1:-1]
around = len(wanted) - len(wanted.lstrip("("))  # pairs of parentheses, which mean nothing
name = wanted[around:len(wanted) - around].replace("\\\\\\\\", "\\0").replace("\\\\", "").replace("\\0", "\\\\")
out = flags["--benchmark_out"]
def write(**fields):
    result = dict(name=name, run_type="iteration", iterations=1, real_time=1e6, cpu_time=1e6, time_unit="ns", label="same")
    found = ", ".join(f'"{{key}}": {{in_json(value)}}' for key, value in (result | fields).items())
    with open(out, "w") as file:
        file.write('{{"benchmarks": [{{' + found + "}}]}}")
def in_json(value):
    if type(value) is str and value.isascii() and value.isprintable() and not set(value) & set('"\\\\'):
        return f'"{{value}}"'
    if type(value) is int or (type(value) is float and value - value == 0):
        return repr(value)
    import json
    return json.dumps(value)
def say(letter):
    os.write(int(os.environ["CLIFFBENCH_READY_FD"]), letter)
say(b"r")
{body}
say(b"d")
"""


def made_case(path, body="write()", axes=(("n", ("1", "2")),), variants=("baseline", "fast"), claims=(), name="made",
              subject="thing", limit_s=20, describe="describe = lambda whole: whole"):
    """Writes the program. `body` is Python that calls write(...) with fields of its one result, or misbehaves;
    `name` is the benchmark's name there."""
    description = declaration(axes, variants, claims, name, subject, limit_s)
    path = pathlib.Path(path)
    path.write_text(SCRIPT.format(python=sys.executable, description=json.dumps(description), describe=describe, body=body))
    path.chmod(0o755)
    return path


# Times that depend on the trial alone, so that two runs of one seed give the same numbers.
STEADY = """
n, mode = (int(part.split(":")[1]) for part in name.split("/")[1:3])
base = 1e6 * n ** 2 * mode
write(real_time=base / (3 if "fast" in name else 1), **{"stage:copy": base * 4e-10})"""
STEADY_CLAIMS = [{"id": "faster", "range": {"lo": 2.0, "hi": None}},
                 {"id": "square", "quantity": "exponent", "variant": "baseline", "axis": "n", "range": {"lo": 1.9, "hi": 2.1}},
                 {"id": "wrong", "range": {"lo": 5.0, "hi": None}, "expected": "refuted"}]


def steady_cases(place, count):
    """Programs made0, made1, ... of 24 cells each, whose exponent is claimed along n: three blocks of 8 cells."""
    return [made_case(place / f"made{i}", STEADY, axes=(("n", ("1", "2", "4", "8")), ("mode", ("1", "2", "3"))),
                      claims=STEADY_CLAIMS, limit_s=5, name=f"made{i}")
            for i in range(count)]
