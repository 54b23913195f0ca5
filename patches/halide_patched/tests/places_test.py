"""Where a page goes, and where the launcher and the library stand: plain and patched behave alike."""

import ctypes
import os
import shutil
import subprocess

import pytest
from comparison import BUILD, HALIDES, PIPELINES, PYTHON, VERBOSE, Pair, environment, panes
from marks import EACH_HALIDE, NEEDS_HALIDE, by_turns

pytestmark = NEEDS_HALIDE
PATCHED = [BUILD / "halide-patched", "--"]


def drop_root():
    """Permissions count for root too, from here on."""
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


# Scripts that put something at the page's place before, and print what is there afterwards.
PLACES = {
    "a folder": """
import os
os.mkdir("one.html")
page(layer(), "one.html", quick)
""",
    "a folder that is not there": """
page(layer(), "nowhere/one.html", quick)
""",
    "an old page that is read-only": """
import os
open("one.html", "w").write("old")
os.chmod("one.html", 0o400)
page(layer(), "one.html", quick)
""",
    "an old page that can only be written": """
import os
open("one.html", "w").write("old " * 1000000)
os.chmod("one.html", 0o200)
page(layer(), "one.html", quick)
os.chmod("one.html", 0o600)
""",
    "a link to an old page": """
import os
open("old.html", "w").write("old")
os.symlink("old.html", "one.html")
page(layer(), "one.html", quick)
print(os.path.islink("one.html"))
""",
    "a full disk": """
page(layer(), "/dev/full", quick)
""",
    "standard output": """
sys.stdout.flush()
page(layer(), "/dev/null", quick)
compile_to(blur(), {T.stmt_html: "/dev/null", T.stmt: "two.stmt"}, quick)
""",
    "a pipe": """
import os, subprocess
os.mkfifo("pipe")
reader = subprocess.Popen("cat pipe >one.html", shell=True)
page(layer(), "pipe", quick)
reader.wait()
os.remove("pipe")
""",
}


@by_turns(PLACES)
def test_the_page_goes_where_it_goes_plain(halide, name, tmp_path):
    place = PLACES[name]
    pair = Pair(tmp_path, [PYTHON, "-c", PIPELINES + place], environment(halide, **VERBOSE), preexec_fn=drop_root)
    assert pair.differences() == []
    refused = place not in (PLACES["a link to an old page"], PLACES["a pipe"], PLACES["standard output"],
                            PLACES["an old page that can only be written"])
    assert pair.said.count("halide-patched: cannot write") == (1 if refused else 0)


@EACH_HALIDE
def test_a_page_to_standard_output(halide, tmp_path):
    script = PIPELINES + 'page(layer(), "/dev/stdout", quick)'
    pages = [subprocess.run([*launcher, PYTHON, "-c", script], env=environment(halide), capture_output=True,
                            timeout=120).stdout for launcher in ([], PATCHED)]
    assert panes(pages[0]) == panes(pages[1])


DESCRIPTORS = PIPELINES + """
import os, resource
page(layer(name="first"), "first.html", quick)  # everything is loaded now
resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
held = []
try:
    while True: held.append(os.open("/dev/null", os.O_RDONLY))
except OSError: pass
for _ in range(int(sys.argv[1])): os.close(held.pop())
page(layer(name="second"), "one.html", quick)
print(os.path.getsize("one.html") > 0 if os.path.exists("one.html") else "none")
"""


@by_turns(["1", "2", "3", "4", "6"])
def test_few_file_descriptors(halide, name, tmp_path):
    pair = Pair(tmp_path, [PYTHON, "-c", DESCRIPTORS, name], environment(halide, **VERBOSE))
    assert pair.differences() == []
    assert ("too few file descriptors" in pair.said) == (int(name) < 6)


@EACH_HALIDE
def test_a_full_or_missing_folder_for_temporary_files_does_not_matter(halide, tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    script = f'mount -t tmpfs -o size=16k full {full} && head -c 16k /dev/zero >{full}/all; exec "$@"'
    inside = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    if subprocess.run([*inside, "mountpoint", "-q", full], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    for folder in (full, "/nonexistent"):
        pair = Pair(tmp_path / folder.name if folder == full else tmp_path / "missing",
                    [*inside, PYTHON, "-c", PIPELINES + 'page(layer(), "one.html", quick)'],
                    environment(halide, TMPDIR=str(folder)), launcher=[*inside, *PATCHED])
        assert pair.differences() == []
        assert pair.said == ""


@pytest.mark.parametrize("prefix", ["with a space", "with:a colon", "with a tab\tand $ORIGIN"])
def test_the_launcher_stands_anywhere(prefix, tmp_path):
    moved = tmp_path / prefix / "bin"
    moved.mkdir(parents=True)
    shutil.copy(BUILD / "halide-patched", moved)
    shutil.copytree(BUILD / "halide-patches", moved / "halide-patches")
    # A program that is started by the program, without the descriptors of its own, is patched too.
    script = PIPELINES + ('import subprocess; sys.stdout.flush(); page(layer(), "one.html", quick); '
                          'sys.exit(subprocess.run(["true"]).returncode)')
    pair = Pair(tmp_path, [PYTHON, "-c", script], environment(HALIDES[0], **VERBOSE), launcher=[moved / "halide-patched", "--"])
    assert pair.differences() == []
    assert "ld.so" not in pair.done["patched"].stderr
    assert "one.html" in pair.said


def test_ours_stands_behind_the_users_own(tmp_path):
    (tmp_path / "theirs.c").write_text("int theirs = 1;\n")
    subprocess.run(["cc", "-shared", "-o", tmp_path / "theirs.so", tmp_path / "theirs.c"], check=True)
    done = subprocess.run([*PATCHED, "sh", "-c", "echo $LD_PRELOAD"], env=os.environ | {"LD_PRELOAD": str(tmp_path / "theirs.so")},
                          capture_output=True, text=True)
    assert done.stdout.startswith(f"{tmp_path}/theirs.so:") and done.stdout.endswith("preload.so\n")
    assert done.stderr == ""


@pytest.mark.parametrize("sanitizer", ["address", "leak", "thread", "undefined"])
def test_a_program_with_a_sanitizer(sanitizer, tmp_path):
    (tmp_path / "program.cpp").write_text('#include <cstdio>\nint main() { std::puts("alive"); }\n')
    if subprocess.run(["g++", f"-fsanitize={sanitizer}", "-o", tmp_path / "program", tmp_path / "program.cpp"],
                      capture_output=True).returncode:
        pytest.skip("the compiler has none")
    for options in ("", "detect_leaks=1"):
        done = subprocess.run([*PATCHED, tmp_path / "program"], capture_output=True, text=True,
                              env=os.environ | ({"ASAN_OPTIONS": options} if options else {}))
        assert (done.returncode, done.stdout, done.stderr) == (0, "alive\n", "")
