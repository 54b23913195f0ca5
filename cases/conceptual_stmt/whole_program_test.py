"""The variants that are whole programs give the baseline's page, and each notices a page that was made in the other way."""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "cases"))
import programs  # noqa: E402

PROGRAMS = [path for path in programs.PROGRAMS if re.fullmatch(r"conceptual_stmt@halide-[^+]*", path.name)]
LAUNCHER = [programs.BUILD / "halide-patched", "--"]
WITH, WITHOUT = "the page was made with patches", "the page was made without patches"


def runs(program, cells, prefix=(), **environment):
    done = subprocess.run(
        [*prefix, program, f"--benchmark_filter=^conceptual_stmt/{cells}$", "--benchmark_min_time=0", "--benchmark_format=json"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["benchmarks"]


def result(program, variant, prefix=(), **environment):
    one, = runs(program, f"buffers:2/size:96x64/format:HTML/target:host/variant:{variant}", prefix, **environment)
    if one.get("label") == "skipped":
        pytest.skip(one["error_message"])
    return one


@functools.cache
def digest_of_baseline(program):
    return result(program, "baseline")["label"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
@pytest.mark.parametrize(
    "variant, prefix, environment, wrong",
    [
        ("launcher_baseline", [], {}, ""),
        ("launcher", [], {}, ""),
        ("import_baseline", [], {}, ""),
        ("import", [], {}, ""),
        ("launcher_baseline", LAUNCHER, {}, WITH),
        ("import_baseline", LAUNCHER, {}, WITH),
        ("import", [], {"HALIDE_PATCHES": "none"}, WITHOUT),
    ],
)
def test_the_page(program, variant, prefix, environment, wrong):
    seen = result(program, variant, prefix, **environment)
    assert seen.get("error_message", "") == wrong
    if not wrong:
        assert seen["label"] == digest_of_baseline(program)
        assert seen["cliff:page_faults"] > 2000  # its child's


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_what_halide_does_in_one_call_has_no_stages(program):
    variants = "(baseline|control|image_param|one_func|staged|all)"
    seen = runs(program, f"buffers:1/size:96x64/format:HTML/target:host/variant:{variants}")
    assert len(seen) == 6
    staged = {run["name"].rpartition(":")[2] for run in seen if any(counter.startswith("stage:") for counter in run)}
    assert staged == {"staged", "all"}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
@pytest.mark.parametrize(
    "point, reason", [("format:HTML/target:arm-64-osx", "only for this machine"), ("format:Text/target:host", "writes no")]
)
def test_the_jit_is_skipped_where_it_cannot_run(program, point, reason):
    [run] = runs(program, f"buffers:1/size:96x64/{point}/variant:jit")
    assert run["label"] == "skipped" and reason in run["error_message"]
