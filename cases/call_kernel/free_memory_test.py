"""The axis free_memory: where memory is kept a call touches no new page; where it is returned, thousands."""

import json
import os
import pathlib
import platform
import subprocess

import pytest

PROGRAM = pathlib.Path(os.environ["CLIFFBENCH_BUILD"]) / "cases/call_kernel"
CALL = "freivalds/field:m31/dims:small/P:1/heap:in_order/free_memory:{}/call:{}/object:same/threads:1"
glibc_only = pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or "CLIFFBENCH_SANITIZED" in os.environ,
                                reason="only glibc's malloc can be asked to return memory")


def page_faults(point, place):
    """A call's page faults; the length of the place's name moves the heap."""
    place.mkdir(exist_ok=True)
    out = place / "result.json"
    subprocess.run([PROGRAM, f"--benchmark_filter=^{point}/variant:baseline$", "--benchmark_min_time=0",
                    f"--benchmark_out={out}", "--benchmark_out_format=json"], check=True, capture_output=True)
    [result] = json.loads(out.read_text())["benchmarks"]
    return result["cliff:page_faults"]


@glibc_only
@pytest.mark.parametrize("call", ["repeat", "first"])
def test_only_where_memory_is_returned_are_pages_touched(call, tmp_path):
    kept, returned = (page_faults(CALL.format(free_memory, call), tmp_path / free_memory) for free_memory in ("kept", "returned"))
    assert kept < 500 and returned > 5000, (kept, returned)


@glibc_only
def test_a_call_with_outputs_touches_as_many_pages_whatever_its_paths(tmp_path):
    """At 64x64 glibc's own thresholds, left alone, settle in one of two states: about 3,100 or 4,300 faults."""
    point = "mul_line/field:m31/dims:64x64/free_memory:{}/threads:1"
    places = [tmp_path / ("x" * length) for length in (1, 20, 40, 60)]
    kept, returned = ([page_faults(point.format(free_memory), place) for place in places] for free_memory in ("kept", "returned"))
    assert max(kept) < 50 and min(returned) > 5000 and max(returned) - min(returned) < 50, (kept, returned)


@glibc_only
def test_a_circuit_pays_once_for_what_it_keeps_and_not_at_each_call_for_what_calls_give_back(tmp_path):
    point = "circuit_building/field:m31/dims:small/free_memory:{}/layers:12"
    kept, returned = (page_faults(point.format(free_memory), tmp_path) for free_memory in ("kept", "returned"))
    assert 50_000 < kept < returned / 2, (kept, returned)
