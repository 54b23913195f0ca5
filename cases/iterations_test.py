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


def digests(program, names, *flags):
    """{name: its digests}. A process a point: what Halide names depends on what a process compiled before."""
    points = collections.defaultdict(list)
    for name in names:
        points[name.rpartition("/variant:")[0]].append(name)
    found = collections.defaultdict(set)
    for run in (run for own in points.values() for run in measured(program, own, *flags)):
        reason = run.get("error_message", "")
        assert not reason or reason.startswith("skipped: "), f"{run['name']}: {reason}"
        found[re.sub(r"/(iterations|repeats):[0-9]+", "", run["name"])].add(reason or run.get("label", ""))
    return found


def smallest(program, plan):
    """The names of the profile `verify` by whether they are slow: every variant, of a slow one a single cell."""
    subprocess.run([BUILD / "cliffbench", "plan", program, "--profile", "verify", "--out", plan], check=True, capture_output=True)
    cells = collections.defaultdict(list)
    for cell in json.loads(plan.read_text())["cells"]:
        cells[cell["program"], cell["variant"]].append(cell["name"])
    first = [names[0] for names in cells.values()]
    times = {re.sub(r"/iterations:[0-9]+", "", run["name"]): run.get("real_time", 0) / 1000
             for run in measured(program, first, "--benchmark_min_time=1x")}  # they report milliseconds
    slow = [names[0] for names in cells.values() if times[names[0]] > SLOW_S]
    return {True: slow, False: [name for names in cells.values() if names[0] not in slow for name in names]}


PROGRAMS = sorted(path for path in (BUILD / "cases").glob("*") if path.is_file() and os.access(path, os.X_OK))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_the_digest_does_not_depend_on_the_iterations(program, tmp_path):
    chosen = smallest(program, tmp_path / "plan.json")
    assert any(chosen.values())
    for slow, names in chosen.items():
        if not names:
            continue
        once = digests(program, names, "--benchmark_min_time=1x")
        assert once.keys() == set(names)
        assert [name for name, found in once.items() if len(found) > 1] == []
        if slow:
            assert digests(program, names, "--benchmark_min_time=2x") == once
        else:
            assert digests(program, names, "--benchmark_min_time=3x") == once
            assert digests(program, names, "--benchmark_min_time=0.01", "--benchmark_repetitions=2") == once
