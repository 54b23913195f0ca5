"""halide-patched as its wheel lays it out, by the launcher and patches of this build: what Python adds, the wheels of other
Pythons, and Halides that nothing was shipped for."""

import os
import platform
import re
import shutil
import subprocess
import sys

import pytest
from comparison import (
    HALIDES,
    PIPELINES,
    PYTHON,
    ROOT,
    VERBOSE,
    build_id,
    environment,
    renamed_build,
)
from marks import NEEDS_HALIDE

pytestmark = NEEDS_HALIDE
PAGE = PIPELINES + 'page(layer(), "one.html", quick)'
SAY = "s = halide_patched.status()\nprint(s.active, s.patches or s.why)\n"
STATUS = "import halide, halide_patched\n" + SAY + PAGE + "\n" + SAY


def run(site, cwd, *words, halide=HALIDES[0] if HALIDES else None, **more):
    places = f"{site}:{halide}/python" if halide else str(site)
    return subprocess.run([PYTHON, *words], cwd=cwd, env=environment(halide or site, PYTHONPATH=places, **more),
                          capture_output=True, text=True)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    return renamed_build(HALIDES[0], tmp_path_factory.mktemp("other's") / "halide")


@pytest.mark.parametrize("words", [["-m", "halide_patched", "-c", PAGE], ["-m", "halide_patched", "x.py"],
                                   ["-m", "halide_patched", "-m", "x"], ["-m", "halide_patched", "-v", "--patches", "all", "x.py"],
                                   ["-m", "halide_patched", "--", str(PYTHON), "x.py"],
                                   ["-c", "import sys; sys.argv = ['/bin/halide-patched', sys.executable, 'x.py'];"
                                          "from halide_patched.__main__ import main; main()"]], ids=lambda words: str(words[-2:]))
def test_each_way_to_start_it(site, words, tmp_path):
    (tmp_path / "x.py").write_text(PAGE)
    done = run(site, tmp_path, *words)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert b"# halide-patched: " in (tmp_path / "one.html").read_bytes()
    assert ("runs with the patches in" in done.stderr) == ("-v" in words)


def test_exit_codes_and_words_are_the_programs(site, tmp_path):
    done = run(site, tmp_path, "-m", "halide_patched", "-c", "import sys; print(sys.argv[1:]); sys.exit(7)", "-v", "--check")
    assert (done.returncode, done.stdout) == (7, "['-v', '--check']\n")
    assert run(site, tmp_path, "-m", "halide_patched", "--patches", "none", "x").returncode == 2  # Python's: no such file
    assert "is not a patch" in run(site, tmp_path, "-m", "halide_patched", "--patches", "nine", "x.py").stderr


def test_check_says_which_halide_and_what_the_patches_give(site, tmp_path):
    done = run(site, tmp_path, "-m", "halide_patched", "--check")
    assert done.returncode == 0, done.stderr
    halide, patched, ratio = done.stdout.splitlines()
    assert halide.endswith(f" in {HALIDES[0]}/python/halide")
    assert re.match(r"patched: \S+libHalide.so runs with the patches in ", patched)
    assert re.search(r"matrix: \d+\.\d\d s plain, \d+\.\d\d s after `import halide_patched` \(", ratio)


def test_check_without_a_halide(site, tmp_path):
    done = run(site, tmp_path, "-m", "halide_patched", "--check", halide=None)
    assert (done.returncode, done.stdout.startswith("no Halide in this Python (")) == (1, True)


def test_check_names_the_version_that_debian_installed(site, tmp_path):
    (tmp_path / "dpkg-query").write_text('#!/bin/sh\n[ "$1" = -S ] && echo "python3-halide: $2" || printf 19.0.0-6\n')
    (tmp_path / "dpkg-query").chmod(0o755)
    done = run(site, tmp_path, "-m", "halide_patched", "--check", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert re.match(r"Halide 19\.0\.0 \(\w+\) in ", done.stdout)


def test_check_where_nothing_is_patched(site, other, tmp_path):
    done = run(site, tmp_path, "-m", "halide_patched", "--check", halide=other, PATH="/nonexistent",
               XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert done.returncode == 1
    assert "\nnot patched: build-patches ended without a message\n" in done.stdout and "s plain" in done.stdout


def test_the_table_of_wheels_knows_those_that_are_here():
    builds = dict(line.split() for line in (ROOT / "patches/halide_patched/wheel/builds.txt").read_text().splitlines())
    for halide in HALIDES:
        assert builds[build_id(halide)] == halide.name.removeprefix("halide-")


def test_the_wheel_of_another_python_has_the_same_patches(site, other, tmp_path):
    own = tmp_path / "site"
    shutil.copytree(site, own)
    patches = own / "halide_patched/halide-patches"
    (patches / f"{build_id(HALIDES[0])}.so").rename(patches / "1.2.3.so")
    (patches / "builds.txt").write_text(f"{'0' * 40} 0.0.0\n{build_id(other)} 1.2.3\n")
    done = run(own, tmp_path, "-m", "halide_patched", "-v", "-c", PAGE, halide=other)
    assert "/1.2.3.so\n" in done.stderr
    assert b"# halide-patched: " in (tmp_path / "one.html").read_bytes()


# Where libHalide and its headers lie, below one folder; the first header is the right one.
PLACES = {
    "Debian's": ("usr/lib/x86_64-linux-gnu/libHalide19.so.0", "usr/include/halide19", "usr/include/halide21"),
    "conda's": ("envs/mine/lib/libHalide.so", "envs/mine/include"),
    "Homebrew's": ("Cellar/halide/19.0.0/lib/libHalide.so.19", "Cellar/halide/19.0.0/include", "include"),
    "conda's on a Mac": ("envs/mine/lib/libHalide.19.dylib", "envs/mine/include"),
    "Homebrew's on a Mac": ("Cellar/halide/19.0.0/lib/libHalide.19.0.0.dylib", "Cellar/halide/19.0.0/include", "include"),
    "another folder": ("lib/libHalide19.so", "mine/include"),
    "another folder on a Mac": ("lib/libHalide.19.dylib", "mine/include"),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_the_header_is_found_where_halide_is_installed(place, site, tmp_path):
    library, own, *others = (tmp_path / "a system" / name for name in place)
    library.parent.mkdir(parents=True)
    library.write_text("a library")
    for folder, version in ((own, 19), *((folder, 21) for folder in others)):
        folder.mkdir(parents=True)
        (folder / "Halide.h").write_text(f"#define HALIDE_VERSION_MAJOR {version}\n")
    (tmp_path / "a system/mine/lib").mkdir(parents=True)
    (tmp_path / "a system/mine/lib/libHalide.so").write_text("a library")
    (tmp_path / "compiler").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{tmp_path}/words"\n: >"$out"\n')
    (tmp_path / "compiler").chmod(0o755)
    script = site / "halide_patched/halide-patches/build-patches"
    subprocess.run(["sh", script, library, "0" * 40], env=os.environ | {
        "CXX": str(tmp_path / "compiler"), "XDG_CACHE_HOME": str(tmp_path / "cache"), "HALIDE_ROOT": str(tmp_path / "a system/mine"),
        "out": str(tmp_path / "out")}, capture_output=True)
    words = (tmp_path / "words").read_text().splitlines()
    assert [words[i + 1] for i, word in enumerate(words) if word == "-I"][1:] == [str(own)]
    assert (f"-Wl,-rpath,{library.parent}" in words) == (library.suffix == ".dylib")


@pytest.mark.parametrize("root", [".", "mine"])
def test_a_folder_without_the_header_is_one_sentence(root, site, tmp_path):
    for place in ("lib", "mine/lib"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "libHalide.so").write_text("a library")
    done = subprocess.run(["sh", site / "halide_patched/halide-patches/build-patches", "lib/libHalide.so", "0" * 40], cwd=tmp_path,
                          env=os.environ | {"HALIDE_ROOT": root, "XDG_CACHE_HOME": str(tmp_path / "cache")}, capture_output=True,
                          text=True, timeout=20)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == ("no patches were built for lib/libHalide.so: its include/Halide.h is not there (HALIDE_ROOT names the "
                           "folder that holds it)\n")


def test_apples_compiler_is_asked_only_where_it_is(site, tmp_path):
    """Without Apple's tools those in /usr/bin open a window."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "include").mkdir()
    (tmp_path / "lib/libHalide.dylib").write_text("a library")
    (tmp_path / "include/Halide.h").write_text("")
    (tmp_path / "xcode-select").write_text("#!/bin/sh\nexit 2\n")
    (tmp_path / "xcode-select").chmod(0o755)
    done = subprocess.run(["sh", site / "halide_patched/halide-patches/build-patches", tmp_path / "lib/libHalide.dylib", "0" * 8],
                          env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": f"{tmp_path}:/usr/bin:/bin", "CXX": ""},
                          capture_output=True, text=True)
    assert done.stdout.endswith("libHalide.dylib: there is no C++ compiler (xcode-select --install)\n")


def test_patches_for_another_halide_are_built_once(site, other, tmp_path):
    for _ in range(2):
        done = run(site, tmp_path, "-c", STATUS, halide=other, XDG_CACHE_HOME=str(tmp_path / "a cache"))
        assert done.returncode == 0, done.stderr
        assert b"# halide-patched: " in (tmp_path / "one.html").read_bytes()
        (tmp_path / "one.html").unlink()
    built, = (tmp_path / "a cache/halide-patched").rglob("*.so")
    assert built.name == f"{build_id(other)}.so" and list(built.parent.iterdir()) == [built]
    assert done.stdout == f"True {built}\nTrue {built}\n"


# Obstacles to building the patches, and the message for each.
OBSTACLES = {
    "no compiler": r"there is no C\+\+ compiler",
    "a compiler that fails": r"the patches cannot be built for .* \(why: .*\.log\)",
    "no header": "its include/Halide.h is not there",
    "no cache": r"there is no cache to build them in",
    "a cache that cannot be written": "cannot be written",
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_where_they_cannot_be_built_the_program_runs_unpatched(site, other, obstacle, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "basename", "cksum", "dirname", "find", "grep", "mkdir", "mv", "readlink", "rm", "sed", "sort"):
        (tools / name).symlink_to(shutil.which(name))
    more = {"PATH": str(tools), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    if obstacle == "no header":
        other = shutil.copytree(other, tmp_path / "other", symlinks=True, copy_function=os.link)
        (other / "include/Halide.h").unlink()
    elif obstacle == "no cache":
        more |= {"XDG_CACHE_HOME": "", "HOME": ""}
    elif obstacle != "no compiler":
        (tools / "c++").symlink_to("/bin/false")
    if obstacle == "a cache that cannot be written":
        (tmp_path / "cache").write_text("a file")
    done = run(site, tmp_path, "-c", STATUS, halide=other, **more, **VERBOSE)
    assert done.returncode == 0, done.stderr
    why = done.stdout.splitlines()[-1]
    assert why.startswith("False ") and re.search(OBSTACLES[obstacle], why)
    assert f"halide-patched: {why.removeprefix('False ')}; the program runs unpatched\n" in done.stderr
    assert b"# halide-patched: " not in (tmp_path / "one.html").read_bytes()


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
def test_what_is_linked_for_the_wheel_runs_on_an_old_system(tmp_path, monkeypatch):
    for folder in ("scripts/release/packages", "patches/halide_patched/wheel"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    import linked
    import old_libraries
    import package
    (tmp_path / "old.cpp").write_text("#include <fstream>\nextern \"C\" char __libc_single_threaded;  // as Debian 13's libstdc++.a asks\n"
                                      "extern \"C\" [[gnu::visibility(\"default\")]] int halide_patched_x() {\n"
                                      "  std::string word;\n  return std::ifstream(\"x\") >> word ? 1 : __libc_single_threaded;\n}\n")
    package.library(tmp_path / "old.so", tmp_path / "old.cpp", "halide_patched_*", package.on_old_systems(tmp_path))
    allowed = {"libstdc++.so.6", "libgcc_s.so.1", "libc.so.6", "libdl.so.2"}
    linked.check_elf(tmp_path / "old.so", allowed, old_libraries.NEWEST)
    (tmp_path / "new.c").write_text("#include <dlfcn.h>\nint main() { return dlsym(0, \"x\") != 0; }\n")
    subprocess.run(["gcc", "new.c", "-o", "new"], cwd=tmp_path, check=True)
    with pytest.raises(linked.Broken):
        linked.check_elf(tmp_path / "new", allowed, old_libraries.NEWEST)


def test_make_halide_patched_is_for_every_halide_at_hand(tmp_path):
    done = subprocess.run(["cmake", "-S", ROOT / "patches/halide_patched", "-B", tmp_path, "-G", "Ninja",
                           f"-DHALIDE_ROOT={HALIDES[0]}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for halide in HALIDES:
        assert done.stdout.count(f"build id {build_id(halide)}") == 1
        assert f"halide-patches/{build_id(halide)}.so" in (tmp_path / "cmake_install.cmake").read_text()


def test_pip_picks_this_systems_wheel_in_a_fresh_environment(tmp_path, monkeypatch):
    for folder in ("scripts/release/packages", "patches/halide_patched/wheel"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    import assemble
    import macos_patches
    import package
    import program
    monkeypatch.setattr(program, "licences", lambda *linked: {})
    tags = {package.TAG + processor: processor for processor in package.COMPILERS} | {macos_patches.TAG: "mac"}
    for tag, name in tags.items():
        files = {"halide_patched/of.txt": assemble.File(name.encode())}
        assemble.write_wheel(tmp_path, package.wheel(tag, files, (), {"halide-patched": "halide_patched.__main__:main"}))
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    subprocess.run([tmp_path / "env/bin/pip", "install", "-q", "--no-index", "--find-links", tmp_path, "halide-patched"], check=True)
    chosen, = (tmp_path / "env").rglob("halide_patched/of.txt")
    assert chosen.read_text() == platform.machine()
    done = subprocess.run([tmp_path / "env/bin/halide-patched", "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.startswith("no Halide in this Python (")) == (1, True)
