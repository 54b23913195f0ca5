"""scripts/bootstrap on machines in every state: nothing is installed before it is said; what cannot be had is one sentence and
exit code 2; what a stopped call left behind is mended by the next."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent


@pytest.fixture
def tree(tmp_path):
    """The scripts alone, under a path with a space."""
    scripts = tmp_path / "my work/scripts"
    scripts.mkdir(parents=True)
    for name in ("bootstrap", "words.sh", "requirements.txt", "halide.txt"):
        shutil.copy(ROOT / "scripts" / name, scripts / name)
    return scripts.parent


@pytest.fixture
def bootstrap(tree):
    """With what this clone has fetched."""
    (tree / ".deps").mkdir()
    for path in (ROOT / ".deps").iterdir():
        if path.is_dir():
            (tree / ".deps" / path.name).symlink_to(path)
    return lambda job, **settings: subprocess.run([tree / "scripts/bootstrap", job], capture_output=True, text=True,
                                                  env=os.environ | {"NO_PACKAGES": "1"} | settings)


@pytest.mark.parametrize("header, words", [
    (None, "has no include/Halide.h"),
    ("#define HALIDE_VERSION_MAJOR 18\n", "is Halide 18; the conceptual stmt viewer needs >= 19"),
    ("", "is Halide of an unknown version"),
])
def test_a_missing_or_old_halide_is_one_sentence(bootstrap, tmp_path, header, words):
    if header is not None:
        (tmp_path / "include").mkdir()
        (tmp_path / "include/Halide.h").write_text(header)
        (tmp_path / "lib").mkdir()
        (tmp_path / "lib/libHalide.so").touch()
    result = bootstrap("bench", HALIDE_ROOT=str(tmp_path))
    assert result.returncode == 2 and words in result.stderr and result.stderr.count("\n") == 1


def test_a_halide_without_its_library_is_one_sentence(bootstrap, tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include/Halide.h").write_text("#define HALIDE_VERSION_MAJOR 19\n")
    result = bootstrap("bench", HALIDE_ROOT=str(tmp_path))
    assert result.returncode == 2 and "has no lib/libHalide.*" in result.stderr and result.stderr.count("\n") == 1


def test_an_unknown_job_is_a_usage_error(bootstrap):
    result = bootstrap("lunch")
    assert result.returncode == 2 and "one of bench, full, test, test-all, fuzz, validate, tool, format, tidy, cross-macos, test-arm, packages" in result.stderr


def test_with_nothing_missing_it_says_nothing(bootstrap):
    result = bootstrap("bench")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def tools(folder, *real, **made):
    """A folder of programs: these of the system, and those that are a line of shell; each notes its words in `asked`."""
    folder.mkdir()
    for name in (*real, "bash", "cat", "cmp", "cp", "cut", "dirname", "env", "grep", "head", "ls", "mkdir", "mktemp", "mv", "rm", "sed", "sh", "tail",
                 "touch", "tr", "true", "uname"):
        (folder / name).symlink_to(shutil.which(name))
    for name, body in made.items():
        program = folder / name.replace("_", "-")
        program.write_text(f'#!/bin/sh\nprintf "%s\\\\n" "{program.name} $(echo "$@")" >>"{folder.parent}/asked"\n{body}\n')
        program.chmod(0o755)
    return folder


def debian(tmp_path, tree, user=1000, installed=(), known="*", install="exit 0", configure=":", sudo=None, **settings):
    """scripts/bootstrap tool on a Debian on which these packages are installed and those are known to apt. Returns the result
    and what was asked of apt-get and dpkg."""
    made = {name: ":" for name in ("cmake", "ninja") if any(package.startswith(name) for package in installed)}
    made |= {"apt_get": f'case "$*" in *install*) {install} ;; esac', "apt_cache": f'case $2 in {known}) echo "Package: $2" ;; *) exit 100 ;; esac',
            "dpkg_query": "".join(f"echo 'ii {name}'; " for name in installed) + ":", "dpkg": configure, "id": f"echo {user}"}
    if sudo:
        made["sudo"] = sudo
    path = tools(tmp_path / "bin", **made)
    with open(tmp_path / "said", "w") as said:
        result = subprocess.run([tree / "scripts/bootstrap", "tool"], stdout=said, stderr=subprocess.PIPE, text=True,
                                stdin=subprocess.DEVNULL, env={"PATH": str(path)} | settings)
    result.stdout = (tmp_path / "said").read_text()
    asked = (tmp_path / "asked").read_text().splitlines()
    return result, [line for line in asked if line.startswith(("apt-get", "dpkg "))]


PASS = 'case $1 in -n) shift ;; esac; exec "$@"'  # a sudo without a question
TOOL = "g++ cmake ninja-build libcli11-dev nlohmann-json3-dev libfmt-dev libxxhash-dev".split()


def test_what_sudo_will_install_is_said_before_it_does(tmp_path, tree):
    result, asked = debian(tmp_path, tree, installed=TOOL[:-1], sudo=PASS, install=f'cp "{tmp_path}/said" "{tmp_path}/before"')
    assert result.returncode == 0, result.stderr
    assert result.stdout == "bootstrap: installing 2 system packages: libxxhash-dev valgrind (NO_PACKAGES=1 prevents it)\n"
    assert (tmp_path / "before").read_text() == result.stdout
    assert asked[-1].endswith("install -y --no-install-recommends libxxhash-dev valgrind")


@pytest.mark.parametrize("sudo", [None, "exit 1"], ids=["no sudo", "no right to it"])
def test_who_may_not_install_gets_the_line_for_an_administrator(tmp_path, tree, sudo):
    result, asked = debian(tmp_path, tree, sudo=sudo, installed=TOOL[1:])
    assert (result.returncode, result.stdout) == (2, "") and result.stderr.count("\n") == 1
    assert result.stderr.endswith("then run the same command again: apt-get update && apt-get install -y --no-install-recommends g++ valgrind\n")
    assert asked == []


def test_what_only_improves_a_run_stops_nobody(tmp_path, tree):
    result, _ = debian(tmp_path, tree, installed=TOOL)
    assert result.returncode == 0 and "continuing without valgrind" in result.stdout and result.stderr == ""


def test_with_no_packages_nothing_is_installed_and_what_is_missing_is_said(tmp_path, tree):
    result, asked = debian(tmp_path, tree, sudo=PASS, installed=TOOL[1:], NO_PACKAGES="1")
    assert result.returncode == 0 and result.stdout == "bootstrap: NO_PACKAGES is set; these system packages are missing: g++ valgrind\n"
    assert asked == []


def test_with_no_packages_and_without_cmake_it_is_one_sentence(tmp_path, tree):
    result, asked = debian(tmp_path, tree, sudo=PASS, installed=[name for name in TOOL if name != "cmake"], NO_PACKAGES="1")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "bootstrap: NO_PACKAGES is set; these system packages are missing: cmake valgrind\n"
    assert asked == []


def test_a_package_that_the_system_does_not_have_is_left_out(tmp_path, tree):
    result, asked = debian(tmp_path, tree, user=0, installed=TOOL[1:], known="g++")
    assert result.returncode == 0 and "has no package valgrind" in result.stdout
    assert asked[-1].endswith("install -y --no-install-recommends g++")


def test_an_interrupted_dpkg_is_mended(tmp_path, tree):
    result, asked = debian(tmp_path, tree, user=0, installed=TOOL[1:], install=f'[ -e "{tmp_path}/mended" ] || exit 100',
                           configure=f'touch "{tmp_path}/mended"')
    assert result.returncode == 0 and result.stderr == ""
    assert asked[-1].endswith("--fix-broken install -y --no-install-recommends g++ valgrind")


def test_what_cannot_be_installed_is_said_with_the_line_to_try(tmp_path, tree):
    result, _ = debian(tmp_path, tree, user=0, installed=TOOL[1:], install="echo E: no room >&2; exit 100")
    assert result.returncode == 2 and "E: no room" in result.stderr
    assert result.stderr.endswith("apt-get install -y --no-install-recommends g++ valgrind\n")


# Stands in for python3: makes an environment whose pip installs nothing, unless it is to be stopped.
PYTHON = """case "$*" in
  -m\\ venv*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && touch "$3/bin/pip" ;;
  *pip\\ install*) [ -z "${STOPPED:-}" ] || kill -9 $PPID
    [ -z "${UNREACHED:-}" ] || { echo "pip: $PIP_RETRIES more tries" >&2; exit 1; } ;;
  -m\\ zipfile*) mkdir -p "$5/halide/lib64" "$5/halide/include" "$5/halide-19.dist-info/licenses"
    for file in lib64/libHalide.so include/Halide.h __init__.py; do echo made >"$5/halide/$file"; done
    echo made >"$5/halide-19.dist-info/licenses/LICENSE.txt" ;;
esac"""


def in_tree(tmp_path, tree, **settings):
    path = tmp_path / "bin"
    if not path.exists():
        tools(path, "find", "flock", "ln", "rmdir", "sort", "wc", python3=PYTHON, cmake=":", ninja=":")
    (tmp_path / "asked").unlink(missing_ok=True)
    halide = tmp_path / "halide/include"
    halide.mkdir(parents=True, exist_ok=True)
    (halide / "Halide.h").write_text("#define HALIDE_VERSION_MAJOR 21\n")
    (halide.parent / "lib").mkdir(exist_ok=True)
    (halide.parent / "lib/libHalide.so").touch()
    result = subprocess.run([tree / "scripts/bootstrap", "bench"], capture_output=True, text=True,
                            env={"PATH": str(path), "NO_PACKAGES": "1", "HALIDE_ROOT": str(halide.parent)} | settings)
    return result, (tmp_path / "asked").read_text() if (tmp_path / "asked").exists() else ""


def test_an_environment_that_was_not_finished_is_made_again(tmp_path, tree):
    result, _ = in_tree(tmp_path, tree, STOPPED="1")
    assert result.returncode == -9
    half = tree / ".deps/venv/half"
    half.touch()
    result, asked = in_tree(tmp_path, tree)
    assert result.returncode == 0 and "-m venv" in asked and not half.exists(), result.stderr
    assert "pip install" not in in_tree(tmp_path, tree)[1]  # nothing is asked for any more: no network is needed


def test_an_environment_that_was_copied_is_asked_by_its_python_alone():
    """Its other programs begin with the path of the one that it was copied from."""
    for script in [path for path in (ROOT / "scripts").rglob("*") if path.is_file() and path.suffix in ("", ".py", ".cmake")]:
        assert not re.search(r"\.deps/venv/bin/(?!python)[a-z]", script.read_text(errors="replace")), script


def test_an_environment_whose_python_is_gone_is_made_again(tmp_path, tree):
    assert in_tree(tmp_path, tree)[0].returncode == 0
    python = tree / ".deps/venv/bin/python"
    python.unlink()
    python.symlink_to(tmp_path / "gone")
    result, asked = in_tree(tmp_path, tree)
    assert result.returncode == 0 and "-m venv" in asked and python.exists(), result.stderr


@pytest.fixture
def environment(tree):
    """A finished environment of one package, with a real Python."""
    venv = tree / ".deps/venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    [packages] = venv.glob("lib/python*/site-packages")
    (packages / "made-1.dist-info").mkdir()
    (packages / "made-1.dist-info/METADATA").write_text("Name: made\nVersion: 1\n")
    (packages / "made-1.dist-info/RECORD").write_text("made.so,,5\nmade-1.dist-info/METADATA,,22\nmade-1.dist-info/RECORD,,\n")
    (packages / "made.so").write_text("made\n")
    for folder in (tree / "scripts", venv):
        (folder / "requirements.txt").write_text("made==1 \\\n    --hash=sha256:00\n")
    return packages


@pytest.mark.parametrize("damage", [None, lambda made: (made / "made.so").write_text(""), lambda made: (made / "made.so").unlink(),
                                    lambda made: shutil.rmtree(made / "made-1.dist-info")], ids=["whole", "emptied", "gone", "unknown"])
def test_a_damaged_package_is_installed_again(tmp_path, tree, environment, damage):
    if damage:
        damage(environment)
    result, asked = in_tree(tmp_path, tree)
    said = "bootstrap: .deps/venv is incomplete; it is replaced\n" if damage else ""
    assert result.returncode == 0 and result.stdout.startswith(said) and ("pip install" in asked) == bool(damage), result.stderr
    assert bool(result.stdout) == bool(damage)


def test_a_registry_that_does_not_answer_is_one_sentence_after_two_more_tries(tmp_path, tree):
    result, _ = in_tree(tmp_path, tree, UNREACHED="1")
    assert result.returncode == 2
    assert result.stderr == ("pip: 2 more tries\nbootstrap: the Python packages could not be installed; run the same command again "
                             "where pip reaches its registry (PIP_INDEX_URL names another)\n")


def test_with_no_packages_and_no_package_manager_what_is_needed_is_one_sentence(tmp_path, tree):
    in_tree(tmp_path, tree)
    (tmp_path / "bin/cmake").unlink()
    result, _ = in_tree(tmp_path, tree)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "bootstrap: NO_PACKAGES is set, and cmake, ninja or python3 with venv is missing; install them first\n"


@pytest.mark.skipif(os.uname().sysname + os.uname().machine != "Linuxx86_64", reason="the wheels of other systems have other names")
@pytest.mark.parametrize("lost", ["include/Halide.h", "lib/libHalide.so", "python/halide/__init__.py"])
@pytest.mark.parametrize("emptied", [True, False])
def test_half_a_halide_is_fetched_again(tmp_path, tree, lost, emptied):
    in_tree(tmp_path, tree)
    assert in_tree(tmp_path, tree, HALIDE_ROOT="")[0].stdout.count("fetching Halide") == 2
    assert "fetching" not in in_tree(tmp_path, tree, HALIDE_ROOT="")[0].stdout
    file = tree / ".deps/halide-19.0.0" / lost
    file.write_text("") if emptied else file.unlink()
    result, _ = in_tree(tmp_path, tree, HALIDE_ROOT="")
    assert result.returncode == 0 and "bootstrap: .deps/halide-19.0.0 is incomplete; it is replaced\n" in result.stdout
    assert file.read_text() == "made\n" and result.stdout.count("fetching Halide") == 1


def test_what_a_stopped_fetch_left_is_removed(tmp_path, tree):
    left = tree / ".deps/fetch.abc123"
    left.mkdir(parents=True)
    assert in_tree(tmp_path, tree)[0].returncode == 0 and not left.exists()


MAC = ("cmake ninja cli11 nlohmann-json fmt xxhash eigen highway libsodium cryptopp google-benchmark tomlplusplus "
       "python@3.14 llvm@19").split()


def bootstrap_with_brew(tmp_path, job, installed, install="exit 0"):
    """A machine that has Homebrew and no apt-get. Returns the result and what brew was asked to install."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ["bash", "cmp", "dirname", "grep", "head", "ls", "mkdir", "rm", "sed", "tr", "uname"]:
        (tools / name).symlink_to(shutil.which(name))
    (tools / "brew").write_text(f"""#!/bin/sh
case $1 in
  list) printf '%s\\n' {" ".join(installed)} ;;
  install) echo "$@" >>{tmp_path}/asked; {install} ;;
esac
""")
    (tools / "brew").chmod(0o755)
    halide = tmp_path / "halide/include"
    halide.mkdir(parents=True)
    (halide / "Halide.h").write_text("#define HALIDE_VERSION_MAJOR 21\n")
    (halide.parent / "lib").mkdir()
    (halide.parent / "lib/libHalide.dylib").touch()
    result = subprocess.run([ROOT / "scripts/bootstrap", job], capture_output=True, text=True,
                            env={"PATH": str(tools), "HALIDE_ROOT": str(halide.parent)})
    asked = tmp_path / "asked"
    return result, asked.read_text().split() if asked.exists() else []


def test_homebrew_installs_everything_that_is_missing_at_once(tmp_path):
    result, asked = bootstrap_with_brew(tmp_path, "bench", ["git"])
    assert result.returncode == 0, result.stderr
    assert asked == ["install", "--quiet", *(name.replace("python@3.14", "python") for name in MAC)]


def test_homebrew_installs_nothing_twice(tmp_path):
    result, asked = bootstrap_with_brew(tmp_path, "bench", MAC)
    assert (result.returncode, asked, result.stdout) == (0, [], "")


def test_another_llvm_is_not_llvm_19(tmp_path):
    _, asked = bootstrap_with_brew(tmp_path, "bench", [name.replace("llvm@19", "llvm llvm@18") for name in MAC])
    assert asked == ["install", "--quiet", "llvm@19"]


def test_the_tests_need_googletest_and_gmp(tmp_path):
    _, asked = bootstrap_with_brew(tmp_path, "test", MAC)
    assert asked == ["install", "--quiet", "googletest", "gmp"]


def test_a_failed_homebrew_is_one_sentence(tmp_path):
    result, _ = bootstrap_with_brew(tmp_path, "format", MAC, install="exit 1")
    assert result.returncode == 2
    assert result.stderr == "bootstrap: the installation failed; run it by hand to see why: brew install clang-format\n"
