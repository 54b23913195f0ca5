"""`import halide_patched` in whatever way a process imports it and Halide; on, off and status."""

import itertools
import os
import pathlib
import struct
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
    VERBOSE,
    Pair,
    environment,
    folder_of_two,
)
from marks import EACH_HALIDE, NEEDS_HALIDE, by_turns
from programs import WAYS, settings

pytestmark = NEEDS_HALIDE
LAUNCHER = [BUILD / "halide-patched", "--"]
PAGE = PIPELINES + 'page(blur(), "one.html", quick)\nimport halide_patched\nprint(halide_patched.active)\n'


@pytest.fixture(params=WAYS)
def way(request):
    return request.param


def run(site, halide, tmp_path, *words, **more):
    done = subprocess.run(words, cwd=tmp_path, env=settings(site, halide, **more), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


ON_AND_OFF = """
import functools, importlib, inspect, os, sys
waiting = list(sys.meta_path)
IMPORT_BEFORE
""" + PIPELINES + """
import halide_patched
def lean(name):
    page(blur(), name, quick)
    blur().compile_to_module([image], "m", quick).compile({T.stmt_html: "module." + name})
    pages = [b"# halide-patched:" in open(of + name, "rb").read() for of in ("", "module.")]
    assert pages[0] == pages[1] == halide_patched.active == halide_patched.status().active, pages
    return pages[0]
def same(): return [vars(of)[name] for of in (hl.Func, hl.Pipeline, hl.Module) for name in vars(of) if name.startswith("compile")]
assert sys.meta_path == waiting and lean("one.html")
halide_patched.off()
assert not lean("two.html")
own = same()
assert not any(inspect.isfunction(method) for method in own)
halide_patched.off()
importlib.reload(halide_patched)
for name in [name for name in sys.modules if name.startswith("halide_patched.")]: importlib.reload(sys.modules[name])
importlib.reload(halide_patched)
assert lean("three.html")
halide_patched.on()
for name in [name for name in sys.modules if name.startswith("halide_patched")]: del sys.modules[name]
import halide_patched
assert lean("four.html")
child = os.fork()
if child == 0: os._exit(0 if lean("five.html") else 1)
assert os.waitpid(child, 0)[1] == 0
halide_patched.off()
assert same() == own and not lean("six.html") and sys.meta_path == waiting
halide_patched.on()
calls, ours = [], hl.Module.compile
@functools.wraps(ours)
def counted(self, *words): calls.append(1); return ours(self, *words)
hl.Module.compile = counted
assert lean("seven.html") and len(calls) == 1
halide_patched.off()
assert hl.Module.compile is counted and not lean("eight.html") and len(calls) == 2
halide_patched.on()
assert hl.Module.compile is counted and lean("nine.html") and len(calls) == 3
hl.Module.compile = ours
halide_patched.off()
assert same() == own and not lean("ten.html")
halide_patched.on()
assert lean("eleven.html")
"""


# Half of all combinations: each pair of two settings is among them.
HALF = [each for number, each in enumerate(itertools.product(HALIDES, WAYS)) for each in
        ((*each, number % 2 == 0, []), (*each, number % 2 == 1, LAUNCHER))]


@pytest.mark.parametrize(("halide", "way", "before", "launcher"), HALF)
def test_on_off_reload_fork_and_a_wrapper(sites, way, halide, before, launcher, tmp_path):
    script = ON_AND_OFF.replace("IMPORT_BEFORE", "import halide_patched" if before else "")
    done = run(sites[way], halide, tmp_path, *launcher, PYTHON, "-c", script)
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
    script = PIPELINES + "import halide_patched\n" + THREADS
    assert run(sites[name], halide, tmp_path, PYTHON, "-c", script).stdout == "True\n"


@EACH_HALIDE
def test_by_libhalides_calls_only_the_method_whose_address_python_has_copied_is_another(sites, way, halide, tmp_path):
    script = PIPELINES + ("import halide_patched, inspect\nprint([of.__name__ for of in (hl.Func, hl.Pipeline, hl.Module)"
                          " if any(map(inspect.isfunction, vars(of).values()))])")
    expected = {"calls": "['Module']\n", "methods": "['Func', 'Pipeline', 'Module']\n"}
    assert run(sites[way], halide, tmp_path, PYTHON, "-c", script).stdout == expected[way]


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
    assert LEAN in (tmp_path / "patched/brighter.stmt.html").read_bytes()


# Halide is found by a finder of its own, as in an editable installation.
EDITABLE = """
import importlib.util, os, sys
class Editable:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] != "halide": return None
        folder = os.environ["ELSEWHERE"] + "/halide"
        if name == "halide": return importlib.util.spec_from_file_location(name, folder + "/__init__.py", submodule_search_locations=[])
        for file in os.listdir(folder):
            if file.split(".")[0] == name.partition(".")[2]: return importlib.util.spec_from_file_location(name, f"{folder}/{file}")
sys.meta_path.append(Editable)
sys.path.remove(os.environ["ELSEWHERE"])
"""
FAILED_ONCE = """
import sys
class Fails:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "halide.halide_" and sys.meta_path.remove(cls) is None: raise ImportError("once")
import halide_patched
sys.meta_path.append(Fails)
try: import halide
except ImportError as error: print(error)
"""
OWN = "import halide_patched\n"
# The files of a program, and how Python starts it.
STARTS = {
    "the package's __init__, a module of it": ({"net/__init__.py": OWN, "net/train.py": PAGE}, ["-m", "net.train"]),
    "the package's __init__, its __main__": ({"net/__init__.py": OWN, "net/__main__.py": PAGE}, ["-m", "net"]),
    "the package's __init__, code": ({"net/__init__.py": OWN, "net/train.py": PAGE}, ["-c", "import net.train"]),
    "sitecustomize, a module": ({"sitecustomize.py": OWN, "solo.py": PAGE}, ["-m", "solo"]),
    "sitecustomize, a script": ({"sitecustomize.py": OWN, "solo.py": PAGE}, ["solo.py"]),
    "a script by our name": ({"halide-patched-demo.py": OWN + PAGE}, ["halide-patched-demo.py"]),
    "an editable installation": ({"solo.py": OWN + EDITABLE + PAGE}, ["solo.py"]),
    "an editable installation, before": ({"solo.py": EDITABLE + OWN + PAGE}, ["solo.py"]),
    "an import that failed once": ({"solo.py": FAILED_ONCE + PAGE}, ["solo.py"]),
    "no sys.argv": ({"solo.py": "import sys\ndel sys.argv\n" + OWN + PAGE}, ["solo.py"]),
    "a sys.argv of None": ({"solo.py": "import sys\nsys.argv = [None]\n" + OWN + PAGE}, ["solo.py"]),
}


@by_turns(STARTS)
def test_each_way_to_import(halide, name, way, sites, tmp_path):
    files, words = STARTS[name]
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    done = run(sites[way], halide, tmp_path, PYTHON, *words, ELSEWHERE=f"{halide}/python",
               PYTHONPATH=f"{tmp_path}:{sites[way]}:{halide}/python")
    assert done.stdout.splitlines()[-1] == "True" and done.stderr == ""
    assert LEAN in (tmp_path / "one.html").read_bytes()


def bind_to_itself(library: pathlib.Path):
    """As the linker's -Bsymbolic: the library's calls of its own functions are not looked up elsewhere."""
    content = bytearray(library.read_bytes())
    start, = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    for i in range(count):
        kind, _, offset = struct.unpack_from("<IIQ", content, start + i * size)
        if kind != 2:  # PT_DYNAMIC
            continue
        while struct.unpack_from("<Q", content, offset)[0]:
            offset += 16
        assert struct.unpack_from("<QQ", content, offset + 16) == (0, 0)  # a spare entry
        struct.pack_into("<QQ", content, offset, 16, 0)  # DT_SYMBOLIC
    library.write_bytes(content)


@by_turns(["-Bsymbolic", "RTLD_DEEPBIND"])
def test_a_library_that_calls_itself_is_said_with_v_and_patched_by_the_import(halide, name, site, tmp_path):
    deep = "import os, sys; sys.setdlopenflags(os.RTLD_NOW | os.RTLD_DEEPBIND)\n" if name == "RTLD_DEEPBIND" else ""
    other = environment(halide)
    if not deep:
        (tmp_path / name / "lib").mkdir(parents=True)
        (tmp_path / name / "lib/libHalide.so").write_bytes((halide / "lib/libHalide.so").read_bytes())
        bind_to_itself(tmp_path / name / "lib/libHalide.so")
        other |= {"LD_LIBRARY_PATH": str(tmp_path / name / "lib")}
    script = deep + IMPORT + PIPELINES + 'page(layer(), "one.html", quick)\n'
    pair = Pair(tmp_path / "v", [PYTHON, "-c", script], other | VERBOSE)
    assert pair.differences() == []
    assert "no call of " in pair.said and "reached the patches: it was not used, or it calls itself directly" in pair.said
    quiet = pair.another(tmp_path / "quiet", other, LAUNCHER)
    assert (quiet.differences(), quiet.said) == ([], "")
    both = [*LAUNCHER, *IMPORTED]
    patched = pair.another(tmp_path / "both", settings(site, halide) | {key: other[key] for key in other if key == "LD_LIBRARY_PATH"}, both)
    assert patched.differences() == []
    assert LEAN in (tmp_path / "both/patched/one.html").read_bytes()


def status(site, halide, tmp_path, script, *launcher, **more):
    script += "\nimport halide_patched\nfor fact in halide_patched.status(): print(fact)"
    return run(site, halide, tmp_path, *launcher, PYTHON, "-c", script, **more).stdout.splitlines()


@by_turns(["launcher", "import"])
def test_status(halide, name, site, tmp_path):
    launcher = LAUNCHER if name == "launcher" else []
    library = f"{(halide / 'lib').resolve()}/libHalide.so"

    def of(script, **more):
        active, path, patches, why = status(site, halide, tmp_path, script, *launcher, **more)
        return active, os.path.realpath(path) if path != "None" else path, patches != "None", why
    assert of("") == ("False", "None", False, "halide is not imported yet")
    assert of("import halide") == ("True", library, True, "")
    assert of("import halide, halide_patched; halide_patched.off()") == (
        "False", library, False, "the patches are off; halide_patched.on() puts them on")
    assert of("import halide; own = halide.Module.compile; halide.Module.compile = lambda *words: own(*words)") == (
        "True", library, True, "Module.compile was replaced before the patches came; its pages stay unpatched")


def test_status_behind_another_halide(site, tmp_path):
    folder = folder_of_two(tmp_path, HALIDES[-1], ["other"])
    script = f"import ctypes; ctypes.CDLL('{folder}/other.so', ctypes.RTLD_GLOBAL); import halide"
    for launcher in ([], LAUNCHER):
        active, *_, why = status(site, HALIDES[-1], tmp_path, script, *launcher, LD_LIBRARY_PATH=str(folder))
        assert active == "False" and "which was opened before it" in why
