"""A spoiled result ends as wrong output, and its digest differs: no case's own check can be taken out unseen."""

import os

import pytest
from programs import PROGRAMS, by_point, in_turn, measured, verified_cells

UNCHECKED = [("emit_listing", "no_file"), ("stale_kernel", "")]  # nothing to compare
TEXT = "/format:Text/"  # has a digest of its own
SLIPS = {1: "", 2: "the assembly pane has no code"}  # the second of those that write a page


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_a_spoiled_result_is_wrong(program, slip, tmp_path, monkeypatch):
    cells = in_turn(program, verified_cells(program, tmp_path / "plan.json"))
    names = [names[0] for (case, variant), names in cells.items()
             if not any(case.startswith(unchecked) and variant.startswith(part) for unchecked, part in UNCHECKED)]
    names += [name for own in cells.values() for name in own if TEXT in name and name not in names][:1]
    if slip == 2:
        names = [name for name in names[:1] if name.startswith("conceptual_stmt/")]
    firsts = list({(name.partition("/")[0], TEXT in name): name for name in reversed(names)}.values())
    right = {run["name"]: run.get("label", "") for run in by_point(program, firsts, "--benchmark_min_time=1x")}
    monkeypatch.setenv("CLIFFBENCH_SPOIL", str(slip))
    spoiled = by_point(program, names, "--benchmark_min_time=1x")
    ends = {"skipped": "", "wrong": SLIPS[slip]}  # by the status, which the label begins with
    status = [run.get("label", "").partition(" ")[0] for run in spoiled]
    assert [run["name"] for run, end in zip(spoiled, status) if end not in ends or not run["error_message"].startswith(ends[end])] == []
    assert [run["name"] for run in spoiled if run.get("label", "none").removeprefix("wrong ") == right.get(run["name"])] == []


SIZES = ["little", "small", "medium"] + ["default"] * ("CLIFFBENCH_ALL" in os.environ)
RECORDS = {  # what no other variant's output can show to be wrong
    "circuit_building/field:m31/dims:tiny/free_memory:kept/layers:12/variant:baseline": "24 calls 1275909898344744349",
    "stale_kernel/sequence:same_slot/free_memory:kept/variant:baseline": "recorded 0 1, computed 10 4",
    "stale_kernel/sequence:same_slot/free_memory:kept/variant:pointer_cache": "recorded 0 0, computed 10 4",
    "mul_line/field:m31/dims:16x16/free_memory:kept/threads:1/variant:copy_and_multiply": "",  # nor wrong
} | {  # the kernels' sizes and data
    f"{kernel}/field:m31/dims:{size}/P:1/heap:scattered/free_memory:kept/call:first/object:same/threads:1/variant:all": digest
    for kernel, digests in {"freivalds": "9781049474241e6c b4c78dd765420d88 70b910db4a9dbff3 e072ec4a5c1b0520",
                            "pre_attn_sln": "821957deec08532c cccd14ab92490e94 1c5f3617fc94e895 819e78c517b07130"}.items()
    for size, digest in zip(SIZES, digests.split())
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_digest_is_of_what_was_recorded(name):
    [program] = [path for path in PROGRAMS if path.name == "call_kernel"]
    assert [run.get("label", "") for run in measured(program, [name], "--benchmark_min_time=1x")] == [RECORDS[name]]
