"""Plain and patched runs leave the same, whatever else is made in the call or the process: by the launcher, and by
`import halide_patched` in both its ways. (Where not all are tried, scripts/test says when they are: CLIFFBENCH_ALL.)"""

import pytest
from comparison import BUILD, HALIDES, IMPORT, IMPORTED, PIPELINES, PYTHON, Pair, environment
from marks import ALL, EACH_HALIDE, NEEDS_HALIDE, by_turns
from programs import CALLS, LONG_CALLS, WAYS, WORDS, settings

pytestmark = NEEDS_HALIDE


def check(pair):
    assert pair.done["plain"].returncode == 0, pair.done["plain"].stderr
    assert pair.differences() == []


def check_calls(halide, calls, ways, sites, folder):
    pair = Pair(folder, [PYTHON, "-c", IMPORT + PIPELINES + calls], environment(halide))
    check(pair)
    for way in ways:
        check(pair.another(folder / way, settings(sites[way], halide), IMPORTED))


def ways_of(halide, number):
    """One way on the one Halide, the other on the other: both use the same library as the launcher."""
    return WAYS if ALL else [WAYS[(number + HALIDES.index(halide)) % 2]]


@pytest.mark.parametrize("name", CALLS, ids=str)
@EACH_HALIDE
def test_all_that_a_process_leaves_is_the_same(halide, name, sites, tmp_path):
    check_calls(halide, CALLS[name], ways_of(halide, list(CALLS).index(name)), sites, tmp_path)


@by_turns(LONG_CALLS)
def test_so_does_what_takes_long(halide, name, sites, tmp_path):
    check_calls(halide, LONG_CALLS[name], ways_of(halide, 0), sites, tmp_path)


@EACH_HALIDE
def test_a_python_method_says_the_same_of_its_arguments(halide, sites, tmp_path):
    check_calls(halide, WORDS, WAYS, sites, tmp_path)


# A generator, its outputs and its targets. `make launcher-matrix` runs all combinations.
GENERATED = {name: name.split() for name in (
    "smooth static_library,c_header,registration,stmt_html,conceptual_stmt_html x86-64-linux-avx-avx2-f16c-fma-sse41",
    "pyramid static_library,c_header,stmt_html x86-64-linux-avx-avx2-f16c-fma-sse41,x86-64-linux-sse41,x86-64-linux",
    "smooth stmt_html,stmt,c_header x86-64-linux-sse41",
    "pyramid stmt_html,stmt,object,bitcode,llvm_assembly x86-64-linux-avx2-fma,x86-64-linux",
    "layer object,conceptual_stmt_html,assembly x86-64-linux-sse41,x86-64-linux")}


@by_turns(GENERATED)
def test_generators_with_several_outputs_and_targets(halide, name, tmp_path):
    generator, outputs, target = GENERATED[name]
    program = BUILD / f"comparison_generators-{halide.name.removeprefix('halide-')}"
    check(Pair(tmp_path, [program, "-g", generator, "-f", "fn", "-e", outputs, "-o", ".", f"target={target}"], environment(halide)))
