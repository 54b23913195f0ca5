"""scripts/setup/bootstrap on machines in every state: nothing is installed before it is said; what cannot be had is one sentence and
exit code 2; a step that was stopped is done again by the next call."""

import pathlib
import re
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
SYSTEM = "awk bash cat cmp cp dirname env grep head ln mkdir mv rm sed sh tail touch tr true".split()
TOOL = "g++ cmake ninja-build libcli11-dev nlohmann-json3-dev libfmt-dev libxxhash-dev".split()
PASS = 'case $1 in -n) shift ;; esac; exec "$@"'  # a sudo without a question
# Stands in for python3: makes an environment whose pip installs nothing, unless it is to be stopped.
PYTHON = """case "$*" in
  -m\\ venv*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  *pip\\ ${STOPPED:-none}*) kill -9 $PPID ;;
  *pip\\ ${UNREACHED:-none}*) echo "pip: $PIP_RETRIES more tries" >&2; exit 1 ;;
  -m\\ zipfile*) mkdir -p "$5/halide/lib64" "$5/halide/include" "$5/halide-19.dist-info/licenses"
    for file in halide/lib64/libHalide.so halide/include/Halide.h halide/__init__.py halide-19.dist-info/licenses/LICENSE.txt; do
      echo made >"$5/$file"
    done ;;
esac"""


class Machine:
    """The scripts alone, under a path with a space, and a folder of programs: some of the system's, and stand-ins."""

    def __init__(self, folder):
        self.folder, self.tree, self.bin = folder, folder / "my work", folder / "bin"
        (self.tree / "scripts/setup").mkdir(parents=True)
        for name in ("words.sh", "setup/bootstrap", *(f"setup/{path.name}" for path in HERE.glob("*.txt"))):
            shutil.copy(ROOT / "scripts" / name, self.tree / "scripts" / name)
        self.bin.mkdir()
        for name in SYSTEM:
            (self.bin / name).symlink_to(shutil.which(name))
        self.add("uname", 'case $1 in -s) echo Linux ;; *) echo x86_64 ;; esac')
        self.add("python3", PYTHON)

    def add(self, name, body):
        """A program that notes its words."""
        (self.bin / name).write_text(f'#!/bin/sh\nprintf "%s\\\\n" "${{0##*/}} $*" >>"{self.folder}/asked"\n{body}\n')
        (self.bin / name).chmod(0o755)

    def debian(self, installed=(), known="*", install=":", user=1000, sudo=None):
        self.add("dpkg-query", "".join(f"echo 'ii {name}'; " for name in installed))
        self.add("apt-get", f'case "$*" in *install*) {install} ;; esac')
        self.add("apt-cache", f"case $2 in {known}) ;; *) exit 100 ;; esac")
        self.add("id", f"echo {user}")
        if sudo:
            self.add("sudo", sudo)
        return self

    def mac(self, installed, install=":"):
        self.add("brew", f"case $1 in list) printf '%s\\n' {' '.join(installed)} ;; install) {install} ;; esac")
        self.add("uname", 'case $1 in -s) echo Darwin ;; *) echo arm64 ;; esac')
        return self

    def bootstrap(self, job, **settings):
        """The result, whose `asked` is what the stand-ins were asked for by this call."""
        (self.folder / "asked").write_text("")
        with open(self.folder / "said", "w") as said:
            result = subprocess.run([self.tree / "scripts/setup/bootstrap", job], stdin=subprocess.DEVNULL, stdout=said,
                                    stderr=subprocess.PIPE, text=True, env={"PATH": str(self.bin)} | settings)
        result.stdout = (self.folder / "said").read_text()
        result.asked = (self.folder / "asked").read_text()
        result.installed = re.findall(r"^(?:apt-get|brew) .*install (.*)", result.asked, re.MULTILINE)
        return result


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def refused(result, words):
    return result.returncode == 2 and words in result.stderr and result.stderr.count("\n") == 1


DEBIAN = ("include/halide19/Halide.h", "lib/x86_64-linux-gnu/libHalide19.so.0")
ARCH = ("include/Halide.h", "lib/libHalide.so")  # as it installs itself; Arch's package, too


@pytest.mark.parametrize("header, library, version, words", [
    (None, None, "", "has no include/Halide.h"),
    (ARCH[0], None, "19", "has no lib/libHalide.*"),
    (*ARCH, "18", "is Halide 18; the conceptual stmt viewer needs >= 19"),
    (*ARCH, "", "is Halide of an unknown version"),
    (*ARCH, "21", None),
    ("include/Halide.h", "lib64/libHalide.so", "21", None),
    (None, DEBIAN[1], "", "install libhalide19-dev"),
    (DEBIAN[0], None, "19", "has no lib/libHalide.*"),
    (DEBIAN[0], "lib/x86_64-linux-gnu/libHalide21.so.0", "19", "has no lib/libHalide.*"),
    (*DEBIAN, "18", "is Halide 18; the conceptual stmt viewer needs >= 19"),
    (*DEBIAN, "19", None),
])
def test_a_halide_that_cannot_be_studied_is_one_sentence(machine, tmp_path, header, library, version, words):
    for name in filter(None, (header, library)):
        (tmp_path / "the given" / name).parent.mkdir(parents=True)
        (tmp_path / "the given" / name).write_text(f"#define HALIDE_VERSION_MAJOR {version}\n")
    result = machine.bootstrap("bench", NO_PACKAGES="1", HALIDE_ROOT=str(tmp_path / "the given"))
    assert refused(result, words) if words else result.returncode == 0, result.stderr
    assert "fetching" not in result.stdout


def test_an_unknown_job_is_a_usage_error(machine):
    jobs = "one of bench, full, test, test-all, fuzz, validate, tool, cached, format, tidy, cross-macos, test-arm, packages"
    assert refused(machine.bootstrap("lunch"), jobs)


def test_the_list_has_a_job_for_each_set_and_packages_in_each():
    lines = [line.split() for line in (HERE / "system-packages.txt").read_text().splitlines() if line and line[0] != "#"]
    wanted = {name for job, *names in lines if job.endswith(":") for name in names}
    rows = [line for line in lines if not line[0].endswith(":")]
    assert {name for name, *_ in rows} == wanted | {"daemons"}
    assert all(len(row) == 3 or row[3:] == ["optional"] for row in rows)


def test_with_nothing_missing_it_says_and_asks_nothing(machine):
    machine.debian(installed=TOOL, known="none", sudo=PASS)
    assert machine.bootstrap("tool").stdout == "bootstrap: this system has no package valgrind; programs that need it are left out\n"
    machine.debian(installed=[*TOOL, "valgrind"])
    result = machine.bootstrap("tool")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert result.asked.startswith("dpkg-query") and result.asked.count("\n") == 1


def test_what_sudo_will_install_is_said_before_it_does(machine):
    machine.debian(installed=TOOL[:-1], sudo=PASS, install=f'cp "{machine.folder}/said" "{machine.folder}/before"')
    result = machine.bootstrap("tool")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "bootstrap: installing 2 system packages: libxxhash-dev valgrind (NO_PACKAGES=1 prevents it)\n"
    assert (machine.folder / "before").read_text() == result.stdout
    assert result.installed == ["-y --no-install-recommends libxxhash-dev valgrind"]


@pytest.mark.parametrize("sudo", [None, "exit 1"], ids=["no sudo", "no right to it"])
def test_who_may_not_install_gets_the_line_for_an_administrator(machine, sudo):
    result = machine.debian(installed=TOOL[1:], sudo=sudo).bootstrap("tool")
    assert refused(result, "then run the same command again: "
                           "apt-get update && apt-get install -y --no-install-recommends g++ valgrind\n")
    assert result.stdout == "" and "apt-get" not in result.asked


def test_a_missing_optional_package_does_not_stop_a_run(machine):
    result = machine.debian(installed=TOOL).bootstrap("tool")
    assert result.returncode == 0 and "continuing without valgrind" in result.stdout and result.stderr == ""


def test_with_no_packages_nothing_is_installed_and_what_is_missing_is_said(machine):
    result = machine.debian(installed=TOOL[1:], sudo=PASS).bootstrap("tool", NO_PACKAGES="1")
    assert result.returncode == 0 and result.stdout == "bootstrap: NO_PACKAGES is set; these system packages are missing: g++ valgrind\n"
    assert "apt-get" not in result.asked


def test_a_package_that_the_system_does_not_have_is_left_out(machine):
    result = machine.debian(installed=TOOL[1:], known="g++", user=0).bootstrap("tool")
    assert result.returncode == 0 and "has no package valgrind" in result.stdout
    assert result.installed == ["-y --no-install-recommends g++"]


def test_what_cannot_be_installed_is_said_with_the_line_to_try(machine):
    result = machine.debian(installed=TOOL[1:], install="echo E: no room >&2; exit 100", user=0).bootstrap("tool")
    assert result.returncode == 2 and "E: no room" in result.stderr
    assert result.stderr.endswith("apt-get install -y --no-install-recommends g++ valgrind\n")


def test_daemons_and_llvm_are_for_all_tests_only(machine):
    machine.debian(user=0)
    for package in ("slurm-wlm", "llvm-19-dev", "clang-19"):
        assert package not in machine.bootstrap("test").installed[0]
        assert package in machine.bootstrap("test-all").installed[0]
    assert "libgtest-dev" not in machine.bootstrap("bench").installed[0]


def test_an_environment_that_was_not_finished_is_made_again(machine):
    half = machine.tree / ".deps/venv/half"
    assert machine.bootstrap("bench", NO_PACKAGES="1", STOPPED="install").returncode == -9
    half.touch()
    result = machine.bootstrap("bench", NO_PACKAGES="1")
    assert result.returncode == 0 and "-m venv" in result.asked and not half.exists(), result.stderr
    assert "pip install" not in machine.bootstrap("bench", NO_PACKAGES="1").asked  # so no network is needed


def test_an_environment_whose_python_is_gone_is_made_again(machine):
    assert machine.bootstrap("bench", NO_PACKAGES="1").returncode == 0
    python = machine.tree / ".deps/venv/bin/python"
    python.unlink()
    python.symlink_to("gone")
    result = machine.bootstrap("bench", NO_PACKAGES="1")
    assert result.returncode == 0 and "-m venv" in result.asked and python.exists(), result.stderr


def test_an_environment_that_was_copied_is_asked_by_its_python_alone():
    """Its other programs begin with the path of the one that it was copied from."""
    for script in [path for path in (ROOT / "scripts").rglob("*") if path.is_file() and path.suffix in ("", ".py", ".cmake")]:
        assert not re.search(r"\.deps/venv/bin/(?!python)[a-z]", script.read_text(errors="replace")), script


def test_a_registry_that_does_not_answer_is_one_sentence_after_two_more_tries(machine):
    result = machine.bootstrap("bench", NO_PACKAGES="1", UNREACHED="install")
    assert result.returncode == 2
    assert result.stderr == ("pip: 2 more tries\nbootstrap: the Python packages could not be installed; run the same command again "
                             "where pip reaches its registry (PIP_INDEX_URL names another)\n")


def test_a_halide_is_fetched_once_and_again_when_its_fetch_was_stopped(machine):
    assert machine.bootstrap("bench", NO_PACKAGES="1", STOPPED="download").returncode == -9
    assert not (machine.tree / ".deps/halide-19.0.0").exists()
    assert machine.bootstrap("bench", NO_PACKAGES="1").stdout.count("fetching Halide") == 2
    for file in ("include/Halide.h", "lib/libHalide.so", "python/halide/__init__.py", "python/halide/lib64/libHalide.so", "LICENSE.txt"):
        assert (machine.tree / ".deps/halide-19.0.0" / file).read_text() == "made\n"
    result = machine.bootstrap("bench", NO_PACKAGES="1")
    assert (result.returncode, result.stdout) == (0, "") and not (machine.tree / ".deps/fetch").exists()


MAC = ("cmake ninja cli11 nlohmann-json fmt xxhash python@3.14 eigen highway libsodium google-benchmark tomlplusplus "
       "llvm@19").split()


@pytest.mark.parametrize("job, installed, wanted", [
    ("bench", ["git"], " ".join(MAC).replace("python@3.14", "python")),
    ("bench", MAC, None),
    ("bench", [*MAC[:-1], "llvm", "llvm@18"], "llvm@19"),
    ("test", MAC, "googletest gmp"),
])
def test_homebrew_installs_what_is_missing_at_once(machine, job, installed, wanted):
    result = machine.mac(installed).bootstrap(job)
    assert result.returncode == 0, result.stderr
    assert result.installed == ([f"--quiet {wanted}"] if wanted else [])
    assert ("Homebrew packages" in result.stdout) == bool(wanted)


def test_a_failed_homebrew_is_one_sentence(machine):
    assert refused(machine.mac(MAC[1:], install="exit 1").bootstrap("tool"),
                   "the installation failed; run it by hand to see why: brew install cmake\n")


def test_without_a_package_manager_the_packages_are_named(machine):
    assert refused(machine.bootstrap("tool"), f"then set NO_PACKAGES=1: {' '.join(TOOL)}")
