"""A case is an ordinary Google Benchmark program: each variant gives one digest, for one iteration and for several, for as
many as the library chooses, and with repetitions."""

import collections
import re

import pytest
from programs import PROGRAMS, by_point, in_turn, verified_cells

SLOW_S = 0.03  # such a trial is not repeated more often than it must


def plain_name(run):
    return re.sub(r"/(iterations|repeats):[0-9]+", "", run["name"])


def digests(runs):
    """{name: its digests}"""
    found = collections.defaultdict(set)
    for run in runs:
        reason = run.get("error_message", "")
        assert not reason or run.get("label") == "skipped", f"{run['name']}: {reason}"
        found[plain_name(run)].add(reason or run.get("label", ""))
    return found


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
