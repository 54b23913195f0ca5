"""Plain and patched runs leave the same, whatever else is made in the call or the process: on each Halide."""


import pytest
from comparison import BUILD, PIPELINES, PYTHON, Pair, environment
from marks import EACH_HALIDE, NEEDS_HALIDE
from programs import CALLS

pytestmark = NEEDS_HALIDE


@pytest.mark.parametrize("calls", CALLS.values(), ids=CALLS.keys())
@EACH_HALIDE
def test_all_that_a_process_leaves_is_the_same(halide, calls, tmp_path):
    pair = Pair(tmp_path, [PYTHON, "-c", PIPELINES + calls], environment(halide))
    assert pair.done["plain"].returncode == 0, pair.done["plain"].stderr
    assert pair.differences() == []


# A generator, its outputs and its targets. `make launcher-matrix` runs all combinations.
GENERATED = [
    ("smooth", "static_library,c_header,registration,stmt_html,conceptual_stmt_html", "x86-64-linux-avx-avx2-f16c-fma-sse41"),
    ("smooth", "stmt_html,stmt,c_header", "x86-64-linux-sse41"),
    ("pyramid", "static_library,c_header,stmt_html", "x86-64-linux-avx-avx2-f16c-fma-sse41,x86-64-linux-sse41,x86-64-linux"),
    ("pyramid", "stmt_html,stmt,object,bitcode,llvm_assembly", "x86-64-linux-avx2-fma,x86-64-linux"),
    ("layer", "object,conceptual_stmt_html,assembly", "x86-64-linux-sse41,x86-64-linux"),
]


@pytest.mark.parametrize(("generator", "outputs", "target"), GENERATED, ids=lambda words: str(words)[:40])
@EACH_HALIDE
def test_generators_with_several_outputs_and_targets(halide, generator, outputs, target, tmp_path):
    program = BUILD / f"comparison_generators-{halide.name.removeprefix('halide-')}"
    pair = Pair(tmp_path, [program, "-g", generator, "-f", "fn", "-e", outputs, "-o", ".", f"target={target}"],
                environment(halide))
    assert pair.done["plain"].returncode == 0, pair.done["plain"].stderr
    assert pair.differences() == []
