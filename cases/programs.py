"""The programs of the cases, run by tests."""

import collections
import json
import os
import pathlib
import re
import subprocess

BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", pathlib.Path(__file__).parent.parent / "build")).absolute()
BUILT = sorted(path for path in (BUILD / "cases").glob("*") if path.is_file() and os.access(path, os.X_OK))
# Of several Halides `make test` runs the first.
HALIDES = sorted({halide for path in BUILT for halide in re.findall(r"@halide-[\d.]+", path.name)})
LEFT_OUT = () if "CLIFFBENCH_ALL" in os.environ else HALIDES[1:]
PROGRAMS = [path for path in BUILT if not any(halide in path.name for halide in LEFT_OUT)]


def declared(program):
    """What it declares: its cases, as `--describe` prints them."""
    lines = subprocess.run([program, "--describe"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def measured(program, names, *flags):
    """The report's runs of these benchmarks; every one must end well."""
    escaped = [re.sub(r"([.\[()*+?{|^$\\])", r"\\\1", name) for name in names]  # a POSIX expression takes no other escapes
    filter_ = f"--benchmark_filter=^({'|'.join(escaped)})(/(iterations|repeats):[0-9]+)*$"
    result = subprocess.run([program, filter_, "--benchmark_format=json", *flags], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return [run for run in json.loads(result.stdout)["benchmarks"] if run["run_type"] != "aggregate"]


def by_point(program, names, *flags):
    """The runs of these benchmarks. A process a point: what Halide names depends on what a process compiled before."""
    points = collections.defaultdict(list)
    for name in names:
        points[name.rpartition("/variant:")[0]].append(name)
    return [run for own in points.values() for run in measured(program, own, *flags)]


def verified_cells(program, plan):
    """{variant: the names of its cells} of the profile `verify`"""
    subprocess.run([BUILD / "cliffbench", "plan", program, "--profile", "verify", "--out", plan], check=True, capture_output=True)
    cells = collections.defaultdict(list)
    for cell in json.loads(plan.read_text())["cells"]:
        cells[cell["program"], cell["variant"]].append(cell["name"])
    return cells


def in_turn(program, cells):
    """Two subjects of one case (their versions end the name) measure every second variant each."""
    def case(path):
        return re.sub(r"-[0-9.]+$", "", path.name)
    same = [path for path in PROGRAMS if case(path) == case(program)]
    return dict(list(cells.items())[same.index(program)::len(same)])
