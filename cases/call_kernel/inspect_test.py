"""call_kernel --inspect: answers as JSON, refusals as one sentence."""

import json
import os
import pathlib
import subprocess

import pytest

PROGRAM = pathlib.Path(os.environ["CLIFFBENCH_BUILD"]) / "cases/call_kernel"
GOLDEN = pathlib.Path(__file__).parent / "golden"


def inspect(*words):
    return subprocess.run([PROGRAM, "--inspect", *words], capture_output=True, text=True)


def test_prints_a_golden_kernel():
    for line in (GOLDEN / "kernels.jsonl").read_text().splitlines()[::3]:
        wanted = json.loads(line)
        dims = ",".join(map(str, wanted["dims"]))
        result = inspect(wanted["kernel"], "--dims", dims, "--field", wanted["field"])
        assert (result.returncode, json.loads(result.stdout)) == (0, wanted)


def test_prints_a_listing():
    result = inspect("mul_line", "--dims", "2,3", "--listing")
    assert result.returncode == 0
    assert result.stdout.strip() in (GOLDEN / "listings.txt").read_text()


@pytest.mark.parametrize("words, sentence", [
    (["ad", "--dims", "2"], "there is no kernel 'ad'; it is one of freivalds, pre_attn_sln, add"),
    (["add"], "add has the dims N, positive integers"),
    (["freivalds", "--dims", "1,2,3"], "freivalds has the dims m,k,n_q,n_kv, positive integers"),
    (["freivalds", "--dims", "0,2,3,4"], "freivalds has the dims m,k,n_q,n_kv, positive integers"),
    (["pre_attn_sln", "--dims", "1,2,9,9"], "limbs of at most 31 bits, 63 bits together"),
    (["add", "--dims", "two"], "two"),
    (["add", "--dims", "2", "--field", "gf2"], "m31"),
    ([], "kernel is required"),
])
def test_refuses_in_one_sentence(words, sentence):
    result = inspect(*words)
    assert result.returncode == 2 and sentence in result.stderr and result.stdout == ""
    assert "terminate" not in result.stderr
