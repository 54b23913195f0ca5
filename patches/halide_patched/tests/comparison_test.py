"""Plain and patched runs leave and say the same, whatever else is made in the call or the process: by the launcher, and by
`import halide_patched` in both its ways. (marks.py says where not all are tried.)"""

import subprocess

import pytest
from comparison import (
    BUILD,
    HALIDES,
    IMPORT,
    IMPORTED,
    LEAN,
    PIPELINES,
    PYTHON,
    Pair,
    environment,
    folder_of_two,
)
from marks import ALL, EACH_HALIDE, NEEDS_HALIDE, by_turns
from programs import CALLS, LONG_CALLS, PAGE, PROGRAMS, WAYS, WORDS, settings

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
def test_long_compilations_leave_the_same(halide, name, sites, tmp_path):
    check_calls(halide, LONG_CALLS[name], ways_of(halide, 0), sites, tmp_path)


@EACH_HALIDE
def test_a_python_method_says_the_same_of_its_arguments(halide, sites, tmp_path):
    check_calls(halide, WORDS, WAYS, sites, tmp_path)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
@EACH_HALIDE
def test_signals_objects_and_memory_behave_the_same(halide, program, sites, tmp_path):
    def done(env, *launcher):
        return subprocess.run([*launcher, PYTHON, "-c", IMPORT + PIPELINES + PAGE + program], env=env, cwd=tmp_path, capture_output=True,
                              text=True, timeout=120)
    plain, launched = done(environment(halide)), done(environment(halide), BUILD / "halide-patched", "--")
    for one in (plain, launched, *(done(settings(site, halide), *IMPORTED) for site in sites.values())):
        assert (one.returncode, one.stdout, one.stderr) == (0, plain.stdout, ""), one.stderr


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


# How they are opened, and which: "own" has the soname that its patches know.
TWO = ["local own other", "local other own", "local own twin", "local other another", "global own other", "global other own",
       "deepbind own other"]


@by_turns(TWO)
def test_two_libhalides_in_one_process(halide, name, tmp_path):
    how, *libraries = name.split()
    folder = folder_of_two(tmp_path, halide, libraries)
    pair = Pair(tmp_path, [BUILD / "comparison_host", how, "x86-64-linux-no_runtime object,stmt_html,llvm_assembly",
                           *(folder / f"{library}.so" for library in libraries)], environment(halide, LD_LIBRARY_PATH=str(folder)))
    check(pair)
    patched = {path.name for path in (tmp_path / "patched").glob("*.html") if LEAN in path.read_bytes()}
    own = libraries.index("own") + 1 if "own" in libraries else 0
    assert patched <= {f"made{own}.stmt.html", f"made{own + 2}.stmt.html"}


OF_TWO = """
import ctypes
if 'IMPORTED' in os.environ: import halide_patched
def other(stem): ctypes.CDLL(sys.argv[1]).make(stem.encode(), b"x86-64-linux-no_runtime object,stmt_html")
if sys.argv[2] == "first": other("other1")
""" + PIPELINES + """
page(blur(), "one.html", quick)
other("other2")
compile_to(layer(), {T.stmt_html: "two.html", T.object: "two.o"}, quick)
"""


@by_turns(["first", "second"])
def test_pythons_halide_and_another_in_a_library(halide, name, sites, tmp_path):
    folder = folder_of_two(tmp_path, halide, ["other"])
    environments = {way: {**settings(sites[way], halide), "LD_LIBRARY_PATH": str(folder)} for way in WAYS}
    pair = Pair(tmp_path, [PYTHON, "-c", "import os, sys\n" + OF_TWO, folder / "other.so", name], environments["calls"])
    check(pair)
    for way in WAYS:
        check(pair.another(tmp_path / way, environments[way], IMPORTED))
        assert LEAN in (tmp_path / way / "patched/one.html").read_bytes()


@EACH_HALIDE
def test_an_error_reporter_that_throws_gets_each_error_once(halide, tmp_path):
    plugin = BUILD / f"comparison_plugin-{halide.name.removeprefix('halide-')}.so"
    pair = Pair(tmp_path, [BUILD / "comparison_host", "local", "reporter", plugin], environment(halide))
    check(pair)
    assert pair.done["plain"].stdout.count("error ") == 16
