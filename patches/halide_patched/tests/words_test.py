"""What halide-patched says: by default nothing that the program could notice; with -v warnings, decisions and obstacles."""

import fcntl
import os
import pty
import re
import select
import socket
import subprocess
import sys

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
    environment,
    renamed_build,
)
from marks import EACH_HALIDE, NEEDS_HALIDE
from programs import settings

pytestmark = NEEDS_HALIDE
LAUNCHER = [BUILD / "halide-patched", "--"]
PAGE = PIPELINES + 'page(layer(768, 512), "one.html", quick)\n'
WAYS = {"launcher": LAUNCHER, "import": IMPORTED}


@pytest.fixture(params=WAYS)
def start(request, site, tmp_path):
    """Starts a script that says much, patched in one way."""
    def start(script, *before, halide=HALIDES[0], **more):
        env = {**settings(site, halide), **more.pop("env", VERBOSE)}
        return subprocess.Popen([*before, *WAYS[request.param], PYTHON, "-c", IMPORT + script], cwd=tmp_path, env=env,
                                restore_signals=True, **more)
    return start


def is_patched(tmp_path):
    return LEAN in (tmp_path / "one.html").read_bytes()


def test_a_closed_pipe(start, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    script = "import signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n" + PAGE
    assert start(script, stderr=writer).wait(300) == 0 and is_patched(tmp_path)
    os.close(writer)


def test_a_full_pipe(start, tmp_path):
    reader, writer = os.pipe()
    os.write(writer, b"x" * fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ))
    assert start(PAGE, stderr=writer).wait(300) == 0 and is_patched(tmp_path)
    os.close(writer)
    os.close(reader)


OWN_FILE = """
import os
CLOSE
assert os.open("results.csv", os.O_WRONLY | os.O_CREAT) == 2
os.write(2, b"own\\n")
""" + PAGE


@pytest.mark.parametrize("when", ["start", "later"])
def test_the_programs_own_file_at_descriptor_2(start, when, tmp_path):
    close = "os.close(2)" if when == "later" else ""
    before = ["sh", "-c", 'exec "$@" 2>&-', "sh"] if when == "start" else []
    assert start("import halide\n" + OWN_FILE.replace("CLOSE", close), *before).wait(300) == 0
    assert (tmp_path / "results.csv").read_bytes() == b"own\n" and is_patched(tmp_path)


def test_a_socket(start, tmp_path):
    ours, theirs = socket.socketpair()
    assert start(PAGE, stderr=theirs.fileno()).wait(300) == 0
    assert b"halide-patched: " in ours.recv(1 << 16)
    ours.close()
    assert start(PAGE, stderr=theirs.fileno()).wait(300) == 0 and is_patched(tmp_path)


@pytest.mark.parametrize("known", [True, False], ids=["a known Halide", "an unknown one"])
def test_at_most_one_line_on_a_terminal(start, known, tmp_path):
    controller, terminal = pty.openpty()
    halide = HALIDES[0] if known else renamed_build(HALIDES[0], tmp_path / "other")
    script = PAGE + "page(layer(), 'nowhere/two.html', quick)\n"
    process = start(script, halide=halide, stderr=terminal, env={"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": "/dev/null"})
    assert process.wait(300) == 0
    said = os.read(controller, 1 << 16).decode() if select.select([controller], [], [], 0)[0] else ""
    assert [line.endswith("the program runs unpatched") for line in said.splitlines()] == [True] * (not known)


# A background job that writes to its terminal is stopped (stty tostop).
IN_BACKGROUND = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(2, termios.TIOCSCTTY, 0)
flags = termios.tcgetattr(2)
flags[3] |= termios.TOSTOP
termios.tcsetattr(2, termios.TCSANOW, flags)
job = os.fork()
if not job:
    os.setpgid(0, 0)
    os.execvp(sys.argv[1], sys.argv[1:])
sys.exit(os.waitpid(job, os.WUNTRACED)[1])
"""


def test_a_terminal_that_stops_background_jobs(start, tmp_path):
    controller, terminal = pty.openpty()
    assert start(PAGE, sys.executable, "-c", IN_BACKGROUND, stderr=terminal).wait(300) == 0 and is_patched(tmp_path)
    os.close(controller)
    os.close(terminal)


# Large buffers with a name of their own and without, and one that is small; two pages.
NAMES = PIPELINES + """
def buffer(*name, width=512):
    matrices.append(numpy.zeros((512, width), numpy.float32))
    return hl.Buffer(matrices[-1], *name)
weights, bias, small = buffer("weights"), buffer(), buffer("small", width=8)
f = hl.Func("f")
f[x, y] = weights[x, y] + bias[x, y] + small[x, y]
for name in ("one.html", "two.html"): page(f, name, args=[])
"""


def said(halide, script, tmp_path, *options):
    done = subprocess.run([BUILD / "halide-patched", *options, "--", PYTHON, "-c", script], env=environment(halide),
                          cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


@EACH_HALIDE
def test_each_large_buffer_is_named_once(halide, tmp_path):
    lines = [line for line in said(halide, NAMES, tmp_path, "-v") if "warning" in line]
    named = [re.match(r"halide-patched: warning: the Buffer '(\w+)' \(numpy's shape \(512, 512\), 1\.05 MB\)", line)[1] for line in lines]
    assert sorted(re.sub(r"\d+$", "", name) for name in named) == ["b", "weights"]
    assert "make it an ImageParam of the same type, add that to the arguments, and set()" in lines[0]


@EACH_HALIDE
def test_verbose_says_what_was_decided(halide, tmp_path):
    script = PIPELINES + """
page(blur(), "one.html")
compile_to(blur(), {T.stmt_html: "two.html", T.object: "two.o"})
compile_to(blur(), {T.object: "three.o"})
compile_to(layer(3072, 512), {T.stmt_html: "four.html", T.object: "four.o"})
wide = hl.Func("wide")  # few nodes, much code
values = hl.Buffer(numpy.ones((2048, 1024), numpy.float32), "values")
wide[x, y] = hl.sqrt(values[x, y] * 2.0) + hl.sqrt(values[x, y] + 1.0)
wide.vectorize(x, 1024, hl.TailStrategy.RoundUp)
compile_to(wide, {T.stmt_html: "five.html", T.object: "five.o"}, quick)
page(blur("a|b"), "six.html", quick)
ones = numpy.ones((8192, 1024), numpy.float32)
many, e = hl.Func("many"), hl.Buffer(ones, "ones")[x, y]  # so many nodes that each costs more
for i in range(700): e = e * (i + 1.5) + hl.select(e > i, e, hl.f32(i))
many[x, y] = e
compile_to(many, {T.stmt_html: "seven.html", T.object: "seven.o"}, quick)
page(blur(), "nowhere/eight.html", quick)
page(layer(768, 512), "nine.html", hl.Target("x86-64-linux-no_bounds_query-no_runtime"))
"""
    joined, *lines = said(halide, script, tmp_path, "-v")
    assert re.match(r"halide-patched: \S+libHalide.so runs with the patches in \S+\.so$", joined)
    own = "made from a separate listing, "
    beside = "made from the listing of the code that {}.o needs too, with the search in it patched: "
    longer = beside + "a separate listing would take longer"
    assert [line.removeprefix("halide-patched: ") for line in lines if "warning" not in line] == [
        "one.html: " + own + "without the parts that the viewer does not need", "two.html: " + longer.format("two"),
        "four.html: " + own + "by generating the code once more, under the same names: that costs less than the 6.29 MB of data in "
        "Halide's listing", "five.html: " + longer.format("five"),
        "six.html: made by Halide alone: its search reads the name 'a|b.s0.x.x' as an expression", "seven.html: " + longer.format("seven"),
        "nowhere/eight.html: " + own + "without the parts that the viewer does not need", "cannot write nowhere/eight.html",
        "nine.html: " + own + "without the parts that the viewer does not need"]
    assert "With no_bounds_query its bytes stay in the page's listing, so the patches hardly help." in "".join(lines)


@EACH_HALIDE
@pytest.mark.parametrize("names", ["none", "regex_filter, lean_listing", " marker_lines ,buffer_stub", "marker_lines,lean_listing", "all"])
def test_chosen_patches_only(halide, names, tmp_path):
    assert said(halide, PAGE, tmp_path, "--patches", names) == []
    assert is_patched(tmp_path) == ("lean" in names or names == "all")


# A stand-in for an old libHalide, with only the parts that the preloaded library looks for.
OLD_HALIDE = """
#include <map>
#include <string>
namespace Halide {
enum class OutputFileType {};
struct Module { void compile(const std::map<OutputFileType, std::string>&) const; };
#ifdef LIBRARY
void Module::compile(const std::map<OutputFileType, std::string>&) const {}
#endif
}
#ifndef LIBRARY
int main() { Halide::Module().compile({}); }
#endif
"""


def test_a_halide_before_19_gets_no_advice_that_the_scripts_refuse(tmp_path):
    (tmp_path / "old.cpp").write_text(OLD_HALIDE)
    for options in (["-DLIBRARY", "-shared", "-fPIC", "-o", "libHalide.so.14"],
                    ["-o", "program", "-L.", "-l:libHalide.so.14", "-Wl,-rpath,$ORIGIN"]):
        subprocess.run(["g++", "old.cpp", *options], cwd=tmp_path, check=True)
    done = subprocess.run([BUILD / "halide-patched", "-v", tmp_path / "program"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == (f"halide-patched: {tmp_path}/libHalide.so.14 is a Halide older than 19, which has no patches; "
                           "the program runs unpatched\n")


def test_a_program_that_reads_pages_is_no_halide(tmp_path):
    (tmp_path / "reader.c").write_text('#include <stdio.h>\nint main() { return puts("<div id=\'host-assembly-pane\'>") < 0; }\n')
    subprocess.run(["cc", "reader.c", "-o", "reader"], cwd=tmp_path, check=True)
    done = subprocess.run([BUILD / "halide-patched", "-v", tmp_path / "reader"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def launcher(*words):
    return subprocess.run([BUILD / "halide-patched", *words], capture_output=True, text=True)


def test_usage():
    assert launcher("--", "sh", "-c", "exit 7").returncode == 7
    assert launcher("--patches", "regexfilter", "--", "true").returncode == 2
    assert "'regexfilter' is not a patch; the patches are regex_filter" in launcher("--patches", "regexfilter", "--", "true").stderr
    assert launcher().returncode == launcher("--").returncode == 2
    assert launcher("--help").returncode == 0
    assert launcher("--", "/nonexistent/program").returncode == 127
    assert launcher("--", "/").returncode == 126
    assert launcher("sh", "-c", "echo $#", "--help", "a").stdout == "1\n"
