"""The programs that the tests run plain and patched, after PIPELINES of comparison.py, and how a process imports the patches."""

from comparison import environment

WAYS = ("calls", "methods")  # of the fixture `sites`


def settings(site, halide, **more):
    return environment(halide, **{"PYTHONPATH": f"{site}:{halide}/python"} | more)


def code(name: str, page: str = "") -> str:
    """Every output of LLVM's, and a page or two beside them. (Most calls ask for no runtime, which takes seconds to compile.)"""
    types = ("object", "assembly", "bitcode", "llvm_assembly", "stmt", "c_header", "static_library")
    return "{" + ", ".join([f'T.{kind}: "{name}.{kind}"' for kind in types] + [page] * bool(page)) + "}"


# Compilations, each in a process of its own: everything that they write must be the same.
CALLS = {
    "a page with its statement, twice": """
for name, target in (("one", host), ("two", quick)):
    compile_to(blur(), {T.stmt_html: name + ".html", T.stmt: name + ".stmt"}, target)
""",
    "a page alone, then code": f"""
page(layer(), "one.html")
compile_to(blur(), {code("two")}, quick)
""",
    "both pages of one call, then code": f"""
compile_to(blur(), {{T.stmt_html: "one.html", T.conceptual_stmt_html: "two.html"}})
compile_to(layer(), {code("three")}, quick)
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
    "refused targets": """
for name in ("x86-64-linux-d3d12compute", "wasm-32-wasmrt-metal", "x86-64-windows-webgpu", "riscv-64-linux"):
    page(layer(), name + ".html", hl.Target(name))
compile_to(blur(), {T.stmt: "two.stmt", T.llvm_assembly: "two.ll"})
""",
    "names as long as the file system allows, and longer": """
import re
def said(call):
    try: call()
    except Exception as error: print(type(error).__name__, re.sub(r"/tmp/.*?zzz", "zzz", str(error)))
for length in (230, 239, 240, 245, 250, 255, 256):
    f, name = blur(), "z" * (length - 5) + ".html"
    said(lambda: f.compile_to_conceptual_stmt(name, [image], hl.StmtOutputFormat.HTML, quick))
    said(lambda: f.compile_to({T.stmt_html: "z" + name[1:], T.object: "one.o"}, [image], "f", quick))
""",
    "Halide's own words about what it does": """
import os
os.environ["HL_DEBUG_CODEGEN"] = "1"
page(layer(), "one.html", quick)
compile_to(blur(), {T.stmt_html: "two.html", T.object: "two.o"}, quick)
""",
    "a buffer without host memory": """
weights = hl.Buffer(hl.Float(32), [768, 512], "weights")
weights.deallocate()
f = hl.Func("f")
f[x, y] = weights[x, y] + 1.0
page(f, "one.html", args=[])
""",
}

# The same, of several seconds each.
LONG_CALLS = {
    "floats that Halide emulates, of which it warns": """
f, g = hl.Func("f"), hl.Func("g")
ones = numpy.ones((1024, 2048), numpy.float32)
f[x, y] = hl.cast(hl.Float(32), hl.cast(hl.Float(16), hl.Buffer(ones, "ones")[x, y]) * 2)
g[x, y] = f[x, y] + f[x + 1, y]
f.compute_root()
page(g, "one.html", quick)
compile_to(g, {T.stmt_html: "two.html", T.object: "two.o"}, quick)
""",
    "a page beside code, twice": f"""
compile_to(blur(), {code("one", 'T.stmt_html: "one.html"')})
compile_to(layer(), {code("two", 'T.conceptual_stmt_html: "two.html"')}, quick)
""",
    "targets and features": """
for name in ("arm-64-osx", "x86-64-linux-cuda", "x86-64-linux-no_bounds_query-no_asserts", "x86-64-linux-profile",
             "x86-64-windows-no_runtime", "wasm-32-wasmrt"):
    page(layer(name="product_" + name.replace("-", "_")), name + ".html", hl.Target(name))
compile_to(blur(), {T.stmt: "two.stmt", T.llvm_assembly: "two.ll"})
""",
    "names that are long, and names that the viewer's search reads as an expression": """
def named(place, name, other="other", beside=True):
    f, g, h = hl.Func(name), hl.Func(other), hl.Func("h")
    g[x, y] = image[x, y] + 1.0
    f[x, y] = g[x, y] * 2.0 + g[x + 1, y]
    h[x, y] = f[x, y] + f[x, y + 1]
    g.compute_root(); f.compute_root()
    page(h, place + ".html", quick)
    if beside: compile_to(h, {T.stmt_html: place + ".beside.html", T.object: place + ".o"}, quick)
for length in (185, 200, 430, 440, 450, 480, 495, 500, 600): named(f"long{length}", "z" * length, "z" * (length - 1) + "y")
for letter in "|()[]{}*+?^\\$ <&'": named(f"letter{ord(letter)}", f"a{letter}b", beside=letter in "|(<")
named("first", "|b"); named("last", "b|"); named("half", "other|x")
""",
}

# A Python method says the same words of its arguments, right and wrong, as without.
WORDS = """
import pathlib, threading
f, m = layer(), blur().compile_to_module([image], "g", quick)
pipeline = hl.Pipeline(layer(name="whole"))
F, H = "f.html", hl.StmtOutputFormat.HTML
for call in (lambda: f.compile_to_conceptual_stmt(F, [image], target=quick, fmt=H),
             lambda: f.compile_to_lowered_stmt(filename="lowered.html", arguments=[image], fmt=H, target=quick),
             lambda: f.compile_to_lowered_stmt("lowered.txt", [image], target=quick),
             lambda: pipeline.compile_to_conceptual_stmt("whole.html", [image], H, quick),
             lambda: pipeline.compile_to({T.stmt_html: "both.html", T.object: "both.o", T.stmt: "both.stmt"}, [image], "h", quick),
             lambda: m.compile({T.stmt_html: "m.html", T.assembly: "m.s"}),
             lambda: m.compile(outputs={T.stmt_html: "alone.html"}),
             lambda: m.compile({T.stmt_html: "é.html"}), lambda: m.compile({T.stmt_html: "a\\0b"}),
             lambda: m.compile({T.stmt_html: pathlib.Path("p.html")}), lambda: m.compile({T.stmt_html: "\\udcff"}),
             lambda: m.compile({"stmt": "p.html"}), lambda: m.compile(), lambda: m.compile({}, 3), lambda: hl.Module.compile(3),
             lambda: m.compile({T.stmt_html: "m.html", T.object: "nowhere/m.o"}),
             lambda: f.compile_to_conceptual_stmt(F), lambda: f.compile_to_conceptual_stmt(3, [image], H),
             lambda: f.compile_to_conceptual_stmt(F, [3], H), lambda: f.compile_to_conceptual_stmt(F, [image], H, nothing=1),
             lambda: f.compile_to_conceptual_stmt(F, [], H, quick), lambda: f.compile_to_conceptual_stmt(F, [image], H, 3),
             lambda: f.compile_to({T.stmt_html: F}, [image]), lambda: f.compile_to({T.stmt_html: F}, [image], 3),
             lambda: hl.Func("nothing").compile_to_lowered_stmt(F, [], H)):
    try: print(call())
    except Exception as error: print(type(error).__module__, type(error).__name__, error)
print(hl.Func.compile_to.__doc__, hl.Module.compile.__name__, hl.Pipeline.compile_to_lowered_stmt.__name__)
"""

# Programs that watch what becomes of their own; what they print must be the same.
PROGRAMS = {
    # A time limit as pytest-timeout's, and Ctrl-C: the handler raises at the first line of Python after the call.
    "a signal whose handler raises": """
import signal, time
class Late(Exception): pass
def late(*_): raise Late
signal.signal(signal.SIGALRM, late)
for raised in (late, signal.default_int_handler):
    signal.signal(signal.SIGALRM, raised)
    f = layer(768, 512)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        page(f, "one.html", quick)
        time.sleep(5)
    except BaseException as error: print(type(error).__name__)
""",
    "objects that count who looks at them": """
class Watched:
    looked = 0
    def __getattribute__(self, name):
        Watched.looked += 1
        return object.__getattribute__(self, name)
watched = [Watched(), {"one": Watched()}]
alone = Watched()
page(layer(768, 512), "one.html", quick)
print(Watched.looked)
""",
    "a Func with methods of its own": """
class Own(hl.Func):
    def compile_to_module(self, *words, **named): print("called")
    def __getattribute__(self, name):
        print("looked at", name)
        return object.__getattribute__(self, name)
ones = numpy.ones((512, 768), numpy.float32)
own = Own("own")
own[x, y] = image[x, y] + hl.Buffer(ones, "ones")[x, y]
page(own, "one.html", quick)
own.compile_to_lowered_stmt("two.html", [image], hl.StmtOutputFormat.HTML, quick)
own.compile_to({T.stmt_html: "three.html"}, [image], "own", quick)
""",
    "the variables of a caller": """
import weakref
class Large: pass
def caller():
    large = Large()
    seen = weakref.ref(large)
    names = locals()
    page(layer(768, 512), "one.html", quick)
    added = sorted(set(names) - {"large", "seen"})
    del large, names
    return seen() is None, added
print(caller())
""",
}
# Unlike the one of PIPELINES it catches nothing.
PAGE = """
def page(f, path, target): f.compile_to_conceptual_stmt(path, [image], hl.StmtOutputFormat.HTML, target)
"""
