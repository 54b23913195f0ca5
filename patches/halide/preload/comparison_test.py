"""Plain and patched runs leave the same, whatever else is made in the call or the process: on each Halide."""

import sys

import pytest
from comparison import BUILD, HALIDES, PIPELINES, PYTHON, Pair, environment, importable

EACH_HALIDE = pytest.mark.parametrize("halide", HALIDES, ids=lambda path: path.name)
pytestmark = pytest.mark.skipif(sys.platform != "linux" or not HALIDES or not importable(HALIDES[0]),
                                reason="the unpacked Halide wheel is for another Python, or this is not Linux")


def code(name: str, page: str = "") -> str:
    """Every output of LLVM's, and a page or two beside them. (Most calls ask for no runtime, which takes seconds to compile.)"""
    types = ("object", "assembly", "bitcode", "llvm_assembly", "stmt", "c_header", "static_library")
    return "{" + ", ".join([f'T.{kind}: "{name}.{kind}"' for kind in types] + [page] * bool(page)) + "}"


# Compilations, each in a process of its own: everything that they write must be the same.
CALLS = {
    "a page with its statement, twice": """
for name in ("one", "two"):
    compile_to(blur(), {T.stmt_html: name + ".html", T.stmt: name + ".stmt"})
""",
    "a page alone, then code": f"""
page(layer(), "one.html")
compile_to(blur(), {code("two")}, quick)
""",
    "both pages of one call, then code": f"""
compile_to(blur(), {{T.stmt_html: "one.html", T.conceptual_stmt_html: "two.html"}})
compile_to(layer(), {code("three")}, quick)
""",
    "a page beside code, twice": f"""
compile_to(blur(), {code("one", 'T.stmt_html: "one.html"')})
compile_to(layer(), {code("two", 'T.conceptual_stmt_html: "two.html"')}, quick)
""",
    "both pages beside code, with buffers that are large, and so large that the code is generated once more": f"""
compile_to(layer(768, 512), {code("one", 'T.stmt_html: "one.html", T.conceptual_stmt_html: "one.conceptual.html"')}, quick)
compile_to(layer(3072, 512), {{T.stmt_html: "two.html", T.conceptual_stmt_html: "two.conceptual.html", T.object: "two.o",
                               T.c_source: "two.cpp", T.llvm_assembly: "two.ll", T.stmt: "two.stmt"}})
compile_to(blur(), {{T.stmt: "three.stmt", T.llvm_assembly: "three.ll"}})
""",
    "a page beside what needs no LLVM, then code": f"""
compile_to(layer(), {{T.stmt_html: "one.html", T.c_header: "one.h", T.c_source: "one.cpp", T.stmt: "one.stmt",
                     T.schedule: "one.schedule", T.registration: "one.registration.cpp", T.python_extension: "one.py.cpp",
                     T.pytorch_wrapper: "one.pytorch.h", T.function_info_header: "one.function_info.h"}})
compile_to(blur(), {code("two")}, quick)
""",
    "modules that are compiled, appended and linked": f"""
one, two = (f.compile_to_module([image], name, quick) for f, name in ((blur(), "one"), (layer(), "two")))
one.compile({{T.stmt_html: "alone.html"}})
one.append(two)
one.compile({{T.stmt_html: "one.html", T.stmt: "one.stmt"}})
one.compile({code("one")})
hl.link_modules("both", [two]).compile({{T.stmt_html: "linked.html", T.object: "linked.o"}})
""",
    "a submodule for Hexagon": """
f = blur()
f.compute_root().hexagon()
page(f, "one.html", hl.Target("arm-64-android-hvx"))
compile_to(blur(), {T.stmt: "two.stmt", T.llvm_assembly: "two.ll"})
""",
    "targets and features": """
for name in ("arm-64-osx", "x86-64-linux-cuda", "x86-64-linux-no_bounds_query-no_asserts", "x86-64-linux-profile",
             "x86-64-windows-no_runtime", "wasm-32-wasmrt"):
    page(layer(name="product_" + name.replace("-", "_")), name + ".html", hl.Target(name))
compile_to(blur(), {T.stmt: "two.stmt", T.llvm_assembly: "two.ll"})
""",
    "refused targets": """
for name in ("x86-64-linux-d3d12compute", "wasm-32-wasmrt-metal", "x86-64-windows-webgpu", "riscv-64-linux"):
    page(layer(), name + ".html", hl.Target(name))
compile_to(blur(), {T.stmt: "two.stmt", T.llvm_assembly: "two.ll"})
""",
    "names that are long, and names that the viewer's search reads as an expression": """
def named(place, name, other="other"):
    f, g, h = hl.Func(name), hl.Func(other), hl.Func("h")
    g[x, y] = image[x, y] + 1.0
    f[x, y] = g[x, y] * 2.0 + g[x + 1, y]
    h[x, y] = f[x, y] + f[x, y + 1]
    g.compute_root(); f.compute_root()
    page(h, place + ".html", quick)
    compile_to(h, {T.stmt_html: place + ".beside.html", T.object: place + ".o"}, quick)
for length in (185, 200, 430, 440, 450, 480, 495, 500, 600): named(f"long{length}", "z" * length, "z" * (length - 1) + "y")
for letter in "|()[]{}*+?^\\$ <&'": named(f"letter{ord(letter)}", f"a{letter}b")
named("first", "|b"); named("last", "b|"); named("half", "other|x")
""",
    "a buffer without host memory": """
weights = hl.Buffer(hl.Float(32), [768, 512], "weights")
weights.deallocate()
f = hl.Func("f")
f[x, y] = weights[x, y] + 1.0
page(f, "one.html", args=[])
""",
}


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
