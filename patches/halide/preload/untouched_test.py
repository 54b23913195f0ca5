"""Nothing of the program's is run, read, kept or lost while its page is made: signals, objects, memory."""

import subprocess
import sys

import pytest
from comparison import BUILD, HALIDES, PIPELINES, PYTHON, environment, importable

EACH_HALIDE = pytest.mark.parametrize("halide", HALIDES, ids=lambda path: path.name)
pytestmark = pytest.mark.skipif(sys.platform != "linux" or not HALIDES or not importable(HALIDES[0]),
                                reason="the unpacked Halide wheel is for another Python, or this is not Linux")

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
PAGE = """
def page(f, path, target): f.compile_to_conceptual_stmt(path, [image], hl.StmtOutputFormat.HTML, target)
"""


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
@EACH_HALIDE
def test_the_program_behaves_as_without_the_patches(halide, program, tmp_path):
    said = [subprocess.run([*launcher, PYTHON, "-c", PIPELINES + PAGE + program], env=environment(halide), cwd=tmp_path,
                           capture_output=True, text=True, timeout=120) for launcher in ([], [BUILD / "halide-patched", "--"])]
    assert [(done.returncode, done.stdout) for done in said] == [(0, said[0].stdout)] * 2, said[1].stderr
    assert "is embedded in the code of" in said[1].stderr
