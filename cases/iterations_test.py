"""A case is an ordinary Google Benchmark program: each variant gives one digest, for one iteration and for several, for as
many as the library chooses, and with repetitions."""

import collections
import json
import os
import pathlib
import re
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", pathlib.Path(__file__).parent.parent / "build")).absolute()
SLOW_S = 0.03  # such a trial is not repeated more often than it must


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


def plain_name(run):
    return re.sub(r"/(iterations|repeats):[0-9]+", "", run["name"])


def digests(runs):
    """{name: its digests}"""
    found = collections.defaultdict(set)
    for run in runs:
        reason = run.get("error_message", "")
        assert not reason or reason.startswith("skipped: "), f"{run['name']}: {reason}"
        found[plain_name(run)].add(reason or run.get("label", ""))
    return found


def verified_cells(program, plan):
    """{variant: the names of its cells} of the profile `verify`"""
    subprocess.run([BUILD / "cliffbench", "plan", program, "--profile", "verify", "--out", plan], check=True, capture_output=True)
    cells = collections.defaultdict(list)
    for cell in json.loads(plan.read_text())["cells"]:
        cells[cell["program"], cell["variant"]].append(cell["name"])
    return cells


PROGRAMS = sorted(path for path in (BUILD / "cases").glob("*") if path.is_file() and os.access(path, os.X_OK))


def in_turn(program, cells):
    """Two subjects of one case (their versions end the name) measure every second variant each."""
    def case(path):
        return re.sub(r"-[0-9.]+$", "", path.name)
    same = [path for path in PROGRAMS if case(path) == case(program)]
    return dict(list(cells.items())[same.index(program)::len(same)])


def checked(program, names):
    """The runs of these benchmarks in two iterations, whose digests must be those of one. (That all cells of a digest agree when
    they are run once is asked of each trial of a run; so one of them is enough here.)"""
    runs = by_point(program, names, "--benchmark_min_time=2x")
    twice = digests(runs)
    assert twice.keys() == set(names)
    assert [name for name, found in twice.items() if len(found) > 1] == []
    one_of_each = {(name.rpartition("/variant:")[0], *found): name for name, found in twice.items()}.values()
    assert digests(by_point(program, one_of_each, "--benchmark_min_time=1x")) == {name: twice[name] for name in one_of_each}
    return runs


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_the_digest_does_not_depend_on_the_iterations(program, tmp_path):
    """Each variant measures its first cell, and a quick one all its cells, and the first with repetitions."""
    cells = in_turn(program, verified_cells(program, tmp_path / "plan.json"))
    runs = checked(program, [names[0] for names in cells.values()])
    slow = {plain_name(run) for run in runs if run.get("real_time", 0) / 1000 > SLOW_S}  # they report milliseconds
    quick = [names for names in cells.values() if names[0] not in slow]
    if quick:
        every = digests(checked(program, [name for names in quick for name in names]))
        repeated = digests(by_point(program, [names[0] for names in quick], "--benchmark_min_time=0.01", "--benchmark_repetitions=2"))
        assert repeated == {names[0]: every[names[0]] for names in quick}
