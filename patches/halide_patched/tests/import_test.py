"""`import halide_patched` in a process that runs already: by libHalide's own calls, and, where these cannot be pointed
elsewhere (as on macOS), by Python's methods."""

import os
import subprocess

import pytest
from comparison import BUILD, HALIDES, IMPORT, IMPORTED, PIPELINES, PYTHON, Pair
from marks import EACH_HALIDE, NEEDS_HALIDE, by_turns
from programs import WAYS, settings

pytestmark = NEEDS_HALIDE


@pytest.fixture(params=WAYS)
def way(request):
    return request.param


def run(site, halide, tmp_path, script, *launcher, **more):
    done = subprocess.run([*launcher, PYTHON, "-c", script], cwd=tmp_path, env=settings(site, halide, **more),
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


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
def test_on_off_reload_and_fork(sites, way, halide, before, tmp_path):
    done = run(sites[way], halide, tmp_path, ON_AND_OFF.replace("IMPORT_BEFORE", "import halide_patched" if before else ""))
    assert (done.stdout, done.stderr) == ("", "")


THREADS = """
import concurrent.futures
def make(number):
    f = layer(96, 64, f"f{number}")
    page(f, f"{number}.html", quick)
    compile_to(f, {T.stmt_html: f"{number}.beside.html", T.object: f"{number}.o"}, quick)
    return all(b"<pre>" in open(name, "rb").read() for name in (f"{number}.html", f"{number}.beside.html"))
with concurrent.futures.ThreadPoolExecutor(6) as pool: print(all(pool.map(make, range(12))))
"""


@by_turns(WAYS)
def test_threads(sites, halide, name, tmp_path):
    assert run(sites[name], halide, tmp_path, PIPELINES + "import halide_patched\n" + THREADS).stdout == "True\n"


@EACH_HALIDE
def test_which_way_it_goes(sites, way, halide, tmp_path):
    """By libHalide's calls only the method whose address Python has copied is another."""
    script = PIPELINES + ("import halide_patched, inspect\nprint([of.__name__ for of in (hl.Func, hl.Pipeline, hl.Module)"
                          " if any(map(inspect.isfunction, vars(of).values()))])")
    expected = {"calls": "['Module']\n", "methods": "['Func', 'Pipeline', 'Module']\n"}
    assert run(sites[way], halide, tmp_path, script).stdout == expected[way]


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


@by_turns(["brighter"])
def test_generators_in_python(site, halide, name, tmp_path):
    (tmp_path / "generator.py").write_text(IMPORT + GENERATOR)
    pair = Pair(tmp_path, [PYTHON, tmp_path / "generator.py", "-g", name, "-e", "stmt_html,conceptual_stmt_html", "-o", ".",
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
