"""Whatever the program starts under halide-patched starts as without it: other C libraries, closed descriptors, no /proc."""

import contextlib
import os
import re
import shutil
import subprocess
import sys

import pytest
from comparison import BUILD, PIPELINES, PYTHON, ROOT, Pair, environment
from marks import EACH_HALIDE, NEEDS_HALIDE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="this is not Linux")


@pytest.fixture
def moved(tmp_path):
    """The launcher under paths that LD_PRELOAD cannot hold."""
    def move(name):
        (tmp_path / name).mkdir()
        shutil.copy(BUILD / "halide-patched", tmp_path / name)
        shutil.copytree(BUILD / "halide-patches", tmp_path / name / "halide-patches")
        return tmp_path / name / "halide-patched"
    return move


def run(launcher, *command, **more):
    return subprocess.run([launcher, "--", *command], capture_output=True, text=True, timeout=60, **more)


def preloaded(launcher, **more):
    done = run(launcher, "sh", "-c", "echo $LD_PRELOAD", env=os.environ | more)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


# A daemon's way: it closes what it inherited and starts another program when its starter has gone.
DAEMON = """
import os, subprocess, sys
os.closerange(3, 256)
held = [os.pipe() for _ in range(4)]  # the numbers mean something else now
if os.fork(): os._exit(0)
done = subprocess.run(["/bin/true"], stderr=subprocess.PIPE, text=True, timeout=20, close_fds=False)
print("exit", done.returncode, done.stderr)
"""


@pytest.mark.parametrize("name", ["a space", "a:colon", "a\ttab", "$ORIGIN", "${LIB}"])
def test_descriptors_mean_nothing(moved, name, tmp_path):
    done = run(moved(name), sys.executable, "-c", DAEMON, env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert (done.stdout, done.stderr) == ("exit 0 \n", "")


def test_the_link_is_made_once_and_follows_the_launcher(moved, tmp_path):
    launcher = moved("a space")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    first = preloaded(launcher, **cache)
    assert first.startswith(f"{tmp_path}/cache/halide-patched/") and not re.search(r"\s", first)
    assert os.path.realpath(first) == str(launcher.parent / "halide-patches/preload.so")
    assert preloaded(launcher, **cache) == first
    other = preloaded(moved("another space"), **cache)
    assert other != first and os.path.realpath(other) == f"{tmp_path}/another space/halide-patches/preload.so"
    shutil.rmtree(launcher.parent)
    assert preloaded(tmp_path / "another space/halide-patched", **cache) == other
    assert os.listdir(os.path.dirname(os.path.dirname(other))) == [os.path.basename(os.path.dirname(other))]


@pytest.mark.parametrize("cache", ["", "relative", "/proc/cache", "/dev/null", "with a space"])
def test_where_the_cache_cannot_hold_the_link_another_folder_does(moved, cache, tmp_path):
    place = str(tmp_path / cache) if " " in cache else cache
    path = preloaded(moved("a space"), XDG_CACHE_HOME=place, HOME=place)
    assert path.startswith(f"/tmp/halide-patched-{os.geteuid()}/")
    os.unlink(os.path.dirname(path))
    with contextlib.suppress(OSError):  # not empty: others use it
        os.rmdir(f"/tmp/halide-patched-{os.geteuid()}")


def test_where_nothing_can_hold_the_link_the_program_runs_unpatched(moved):
    taken = f"/tmp/halide-patched-{os.geteuid()}"
    inside = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none /tmp && touch "$0" && exec "$@"', taken]
    if subprocess.run([*inside, "true"], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    launcher = shutil.copytree(moved("a space").parent, f"/var/tmp/a space {os.getpid()}")
    try:
        done = subprocess.run([*inside, f"{launcher}/halide-patched", "-v", "--", "sh", "-c", 'echo "($LD_PRELOAD)"; exit 7'],
                              capture_output=True, text=True, env=os.environ | {"XDG_CACHE_HOME": "/dev/null"})
    finally:
        shutil.rmtree(launcher)
    assert (done.returncode, done.stdout) == (7, "()\n")
    assert re.fullmatch(r"halide-patched: the loader cannot hold the path .*; the program runs unpatched\n", done.stderr)


def test_what_is_preloaded_needs_only_the_c_library(tmp_path, monkeypatch):
    for folder in ("scripts/release/packages", "patches/halide_patched/wheel"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    import linked
    import package
    assert linked.libraries(BUILD / "halide-patches/preload.so") <= package.OF_PRELOADED
    if not (ROOT / ".deps/cross/python/ziglang").exists():
        pytest.skip("no Zig (scripts/setup/bootstrap packages): the wheel's own is not built")
    package.preload(tmp_path / "preload.so", "x86_64")
    linked.check_elf(tmp_path / "preload.so", package.OF_PRELOADED, package.OLDEST)


MUSL = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
  puts("hello");
  fflush(stdout);
  return count > 1 ? system(words[1]) : 0;
}
"""


@pytest.mark.skipif(not shutil.which("musl-gcc"), reason="no musl-gcc (Debian: musl-tools)")
@pytest.mark.parametrize("options", [[], ["-static"], ["-Wl,-z,now"]], ids=str)
def test_a_program_of_another_c_library(options, tmp_path):
    (tmp_path / "program.c").write_text(MUSL)
    subprocess.run(["musl-gcc", "program.c", "-o", "program", *options], cwd=tmp_path, check=True)
    for words in ([], ["/bin/true"], [f"{tmp_path}/program {tmp_path}/program"]):
        pair = Pair(tmp_path / "run", [tmp_path / "program", *words], os.environ | {"LD_BIND_NOW": "1"})
        assert pair.differences() == []
        assert pair.done["patched"].stdout.startswith("hello\n") and pair.done["patched"].stderr == ""


def without_proc(*command):
    """The command where nothing is mounted at /proc."""
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh", *command]


PROC = pytest.mark.skipif(sys.platform != "linux" or subprocess.run(without_proc("true"), capture_output=True).returncode != 0,
                          reason="no file system can be mounted here")


@PROC
@pytest.mark.parametrize("name", ["here", "a space"])
def test_the_launcher_needs_no_proc(moved, name, tmp_path):
    launcher = moved(name)
    link = tmp_path / "a link"
    link.symlink_to(launcher)
    for started in (launcher, link, f"./{name}/halide-patched"):
        done = subprocess.run(without_proc(started, "--", "sh", "-c", "echo $LD_PRELOAD; exit 7"), capture_output=True, text=True,
                              cwd=tmp_path, env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")})
        assert (done.returncode, done.stderr) == (7, "")
        assert os.path.realpath(done.stdout.strip()) == str(launcher.parent / "halide-patches/preload.so")
    env = os.environ | {"PATH": f"{launcher.parent}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert subprocess.run(without_proc("halide-patched", "--", "sh", "-c", "exit 7"), env=env).returncode == 7


# Pages of all kinds; /proc goes before the first or after it.
PAGES = PIPELINES + """
import subprocess
def gone():
    if sys.argv[1] == "late": subprocess.run(["mount", "-t", "tmpfs", "none", "/proc"], check=True)
page(layer(name="first"), "first.html")
gone()
page(layer(name="second"), "second.html", quick)
compile_to(blur(), {T.stmt_html: "third.html", T.object: "third.o"}, quick)
compile_to(layer(3072, 512), {T.stmt_html: "fourth.html", T.object: "fourth.o"}, quick)
"""


@PROC
@NEEDS_HALIDE
@EACH_HALIDE
@pytest.mark.parametrize("when", ["early", "late"])
def test_without_proc_pages_are_made_unpatched(halide, when, tmp_path):
    wrap = without_proc if when == "early" else lambda *words: ["unshare", "--map-root-user", "--mount", *words]
    pair = Pair(tmp_path, wrap(PYTHON, "-c", PAGES, when), environment(halide))
    assert pair.done["plain"].returncode == 0, pair.done["plain"].stderr
    assert pair.differences() == []
    assert (b"# halide-patched" in (tmp_path / "patched/first.html").read_bytes()) == (when == "late")
