"""`import halide_patched` in a process that runs already: by libHalide's own calls, and, where these cannot be pointed
elsewhere (as on macOS), by Python's methods."""

import os
import shutil
import subprocess

import pytest
from comparison import BUILD, HALIDES, IMPORT, IMPORTED, PIPELINES, PYTHON, Pair, environment, lay_out
from marks import EACH_HALIDE, NEEDS_HALIDE
from programs import CALLS, PAGE, PROGRAMS

pytestmark = NEEDS_HALIDE
WAYS = ("calls", "methods")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return lay_out(tmp_path_factory.mktemp("a site"))


@pytest.fixture(scope="module", params=WAYS)
def sites(request, site, tmp_path_factory):
    """(which way the import goes there, a folder of packages)"""
    if request.param == "calls":
        return request.param, site
    by_methods = tmp_path_factory.mktemp("by methods") / "site"
    shutil.copytree(site, by_methods)
    with open(by_methods / "halide_patched/attach.py", "a") as source:
        source.write("\n\ndef rebound(library, address):\n    return None\n")
    return request.param, by_methods


def settings(site, halide, **more):
    return environment(halide, PYTHONPATH=f"{site}:{halide}/python", **more)


def run(site, halide, tmp_path, script, *launcher, **more):
    done = subprocess.run([*launcher, PYTHON, "-c", script], cwd=tmp_path, env=settings(site, halide, **more),
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


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


@EACH_HALIDE
@pytest.mark.parametrize("calls", [*(CALLS[name] for name in (
    "a page with its statement, twice", "both pages of one call, then code", "a page beside what needs no LLVM, then code",
    "both pages beside code, with buffers that are large, and so large that the code is generated once more",
    "modules that are compiled, appended and linked", "a submodule for Hexagon", "refused targets",
    "names that are long, and names that the viewer's search reads as an expression")), WORDS], ids=lambda calls: calls[1:25])
def test_all_that_a_process_leaves_is_the_same(sites, halide, calls, tmp_path):
    pair = Pair(tmp_path, [PYTHON, "-c", IMPORT + PIPELINES + calls], settings(sites[1], halide), launcher=IMPORTED)
    assert pair.done["plain"].returncode == 0, pair.done["plain"].stderr
    assert pair.differences() == []


@EACH_HALIDE
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_the_program_behaves_as_without_the_patches(sites, halide, program, tmp_path):
    said = [run(sites[1], halide, tmp_path, IMPORT + PIPELINES + PAGE + program, *launcher).stdout for launcher in ([], IMPORTED)]
    assert said[0] == said[1]


ON_AND_OFF = """
import importlib, inspect, os, sys
waiting = list(sys.meta_path)
IMPORT_BEFORE
""" + PIPELINES + """
import halide_patched
def lean(name):
    page(blur(), name, quick)
    return b"# halide-patched:" in open(name, "rb").read()
def same(): return [vars(of)[name] for of in (hl.Func, hl.Pipeline, hl.Module) for name in vars(of) if name.startswith("compile")]
assert sys.meta_path == waiting and halide_patched.active and lean("one.html")
halide_patched.off()
assert not halide_patched.active and not lean("two.html")
own = same()
assert not any(inspect.isfunction(method) for method in own)
halide_patched.off()
importlib.reload(halide_patched)
for name in [name for name in sys.modules if name.startswith("halide_patched.")]: importlib.reload(sys.modules[name])
importlib.reload(halide_patched)
assert halide_patched.active and lean("three.html")
halide_patched.on()
for name in [name for name in sys.modules if name.startswith("halide_patched")]: del sys.modules[name]
import halide_patched
assert halide_patched.active and lean("four.html")
child = os.fork()
if child == 0: os._exit(0 if lean("five.html") else 1)
assert os.waitpid(child, 0)[1] == 0
halide_patched.off()
assert same() == own and not lean("six.html") and sys.meta_path == waiting
"""


@EACH_HALIDE
@pytest.mark.parametrize("before", [True, False])
def test_on_off_reload_and_fork(sites, halide, before, tmp_path):
    done = run(sites[1], halide, tmp_path, ON_AND_OFF.replace("IMPORT_BEFORE", "import halide_patched" if before else ""))
    assert (done.stdout, done.stderr) == ("", "")


THREADS = """
import concurrent.futures
def make(number):
    f = layer(96, 64, f"f{number}")
    page(f, f"{number}.html", quick)
    compile_to(f, {T.stmt_html: f"{number}.beside.html", T.object: f"{number}.o"}, quick)
    return all(b"<pre>" in open(name, "rb").read() for name in (f"{number}.html", f"{number}.beside.html"))
with concurrent.futures.ThreadPoolExecutor(6) as pool: print(all(pool.map(make, range(24))))
"""


@EACH_HALIDE
def test_threads(sites, halide, tmp_path):
    assert run(sites[1], halide, tmp_path, PIPELINES + "import halide_patched\n" + THREADS).stdout == "True\n"


@EACH_HALIDE
def test_which_way_it_goes(sites, halide, tmp_path):
    """By libHalide's calls only the method whose address Python has copied is another."""
    script = PIPELINES + ("import halide_patched, inspect\nprint([of.__name__ for of in (hl.Func, hl.Pipeline, hl.Module)"
                          " if any(map(inspect.isfunction, vars(of).values()))])")
    expected = {"calls": "['Module']\n", "methods": "['Func', 'Pipeline', 'Module']\n"}
    assert run(sites[1], halide, tmp_path, script).stdout == expected[sites[0]]


GENERATOR = """
import halide as hl
x, y = hl.Var("x"), hl.Var("y")
@hl.generator(name="brighter")
class Brighter:
    image = hl.InputBuffer(hl.UInt(8), 2)
    brighter = hl.OutputBuffer(hl.UInt(8), 2)
    def generate(self):
        g = self
        g.brighter[x, y] = hl.u8(hl.min(hl.u16(g.image[x, y]) * 2, 255))
        g.brighter.vectorize(x, 16)
if __name__ == "__main__": hl.main()
"""


@EACH_HALIDE
def test_generators_in_python(site, halide, tmp_path):
    (tmp_path / "generator.py").write_text(IMPORT + GENERATOR)
    pair = Pair(tmp_path, [PYTHON, tmp_path / "generator.py", "-g", "brighter", "-e", "stmt_html,conceptual_stmt_html", "-o", ".",
                           "target=x86-64-linux-sse41"], settings(site, halide), launcher=IMPORTED)
    assert pair.done["plain"].returncode == 0, pair.done["plain"].stderr
    assert pair.differences() == []
    assert b"# halide-patched:" in (tmp_path / "patched/brighter.stmt.html").read_bytes()


def test_under_the_launcher_it_does_nothing_and_says_so_with_v(site, tmp_path):
    script = PIPELINES + "import halide_patched, inspect\nprint(halide_patched.active, inspect.isfunction(hl.Module.compile))"
    for options in ([], ["-v"]):
        done = run(site, HALIDES[0], tmp_path, script, BUILD / "halide-patched", *options, "--")
        assert done.stdout == "True False\n"
        assert done.stderr == ("halide-patched: importing halide_patched changes nothing: the launcher has patched this process\n"
                               if options else "")


def test_without_a_halide_it_waits_in_silence(site, tmp_path):
    done = subprocess.run([PYTHON, "-c", "import halide_patched; print(halide_patched.active)"], capture_output=True, text=True,
                          cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(site)})
    assert (done.returncode, done.stdout, done.stderr) == (0, "False\n", "")
