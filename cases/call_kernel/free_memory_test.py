"""The axis free_memory: where memory is kept a call touches no new page, where it is returned it touches thousands."""

import json
import os
import pathlib
import platform
import subprocess

import pytest

PROGRAM = pathlib.Path(os.environ["CLIFFBENCH_BUILD"]) / "cases/call_kernel"
POINT = "freivalds/field:m31/dims:small/P:1/heap:in_order/free_memory:{}/call:{}/object:same/threads:1/variant:baseline"
glibc_only = pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or "CLIFFBENCH_SANITIZED" in os.environ,
                                reason="only glibc's malloc can be asked to return memory")


def page_faults(free_memory, call, place):
    out = place / f"{free_memory}-{call}.json"
    subprocess.run([PROGRAM, f"--benchmark_filter=^{POINT.format(free_memory, call)}$", "--benchmark_min_time=0",
                    f"--benchmark_out={out}", "--benchmark_out_format=json"], check=True, capture_output=True)
    [result] = json.loads(out.read_text())["benchmarks"]
    return result["cliff:page_faults"]


@glibc_only
@pytest.mark.parametrize("call", ["repeat", "first"])
def test_only_where_memory_is_returned_are_pages_touched(call, tmp_path):
    kept, returned = (page_faults(free_memory, call, tmp_path) for free_memory in ("kept", "returned"))
    assert kept < 500 and returned > 5000, (kept, returned)
