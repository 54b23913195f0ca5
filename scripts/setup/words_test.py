"""The scripts' answer to words that they do not know: one sentence, exit 2, and nothing is begun."""

import os
import pathlib
import shutil
import subprocess

import pytest

SCRIPTS = pathlib.Path(__file__).parent.parent


@pytest.mark.parametrize("line", [
    "setup/bootstrap", "setup/bootstrap nothing", "setup/format --none", "setup/format --check now", "setup/build",
    "setup/build --none", "setup/sanitize", "setup/sanitize none", "setup/fuzz", "setup/fuzz soon", "setup/fuzz 0",
    "setup/fuzz 60 nothing", "setup/cross-macos", "setup/cross-macos nothing", "release/validate nothing",
    "setup/test --none", "setup/test-arm now", "new-case", "release/release", "release/release now",
    "version nothing", "version commit now", "setup/bootstrap bench now", "setup/test --quick now", "gate a b c",
    "bench demo now", "setup/claims now", "release/validate quick a b", "slurm/submit", "setup/cross/fetch",
    "setup/cross/fetch nothing"])
def test_an_unknown_word_is_one_sentence(line):
    name, *words = line.split()
    result = subprocess.run([SCRIPTS / name, *words], capture_output=True, text=True, timeout=20)
    assert result.returncode == 2, result.stdout + result.stderr
    [sentence] = result.stderr.splitlines()
    assert sentence.startswith(pathlib.Path(name).name + ": ") and not result.stdout


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_script_keeps_its_own_names(shell):
    script = f'cd "{SCRIPTS.parent}"; . scripts/words.sh; what=a word=b allowed=c list=d; one_of part b a b; echo $what$word$allowed$list'
    assert subprocess.run([shell, "-c", script], capture_output=True, text=True).stdout == "abcd\n"


@pytest.mark.parametrize("name", ['a"b', "a;b", "a\\b", "a#b", "a:b", "a\nb"])
@pytest.mark.parametrize("line", ["setup/bootstrap format", "setup/build programs"])
def test_a_path_that_cmake_cannot_have_is_one_sentence(tmp_path, name, line):
    scripts = tmp_path / name / "scripts"
    (scripts / "setup").mkdir(parents=True)
    script, word = line.split()
    for file in (script, "words.sh"):
        shutil.copy(SCRIPTS / file, scripts / file)
    result = subprocess.run([scripts / script, word], capture_output=True, text=True, timeout=20)
    assert result.returncode == 2 and not result.stdout
    assert "move this one: " + str(scripts.parent).replace("\n", "?") + "\n" in result.stderr
    assert [path.name for path in scripts.parent.iterdir()] == ["scripts"]


def test_the_gate_without_git_is_one_sentence(tmp_path):
    for name in ("bash", "dirname", "tr"):
        (tmp_path / name).symlink_to(shutil.which(name))
    result = subprocess.run([SCRIPTS / "gate"], capture_output=True, text=True, timeout=20, env={"PATH": str(tmp_path)})
    assert (result.returncode, result.stdout, result.stderr) == (2, "", "gate: needs git, which is not installed\n")


def test_a_python_that_was_not_made_yet_is_one_sentence(tmp_path):
    (tmp_path / "scripts/setup").mkdir(parents=True)
    for name in ("setup/python", "words.sh"):
        shutil.copy(SCRIPTS / name, tmp_path / "scripts" / name)
    result = subprocess.run([tmp_path / "scripts/setup/python", "-V"], capture_output=True, text=True)
    sentence = "python: there is no .deps/venv/bin/python; make it with: scripts/setup/bootstrap bench\n"
    assert (result.returncode, result.stderr) == (2, sentence)


def test_no_sentence_acts_on_a_terminal():
    result = subprocess.run([SCRIPTS / "setup/sanitize", "\x1b[31m\nx\x7f"], capture_output=True, text=True)
    assert result.returncode == 2 and result.stderr.startswith("sanitize: unknown preset '?[31m?x?';") and result.stderr.count("\n") == 1


def test_validating_without_scipy_is_one_sentence(tmp_path):
    for folder in ("scripts/release", "scripts/setup", "build"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "build/build.ninja").write_text("")
    for name in ("release/validate", "words.sh"):
        shutil.copy(SCRIPTS / name, tmp_path / "scripts" / name)
    (tmp_path / "scripts/setup/python").symlink_to(shutil.which("false"))
    result = subprocess.run([tmp_path / "scripts/release/validate", "quick"], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "validate: needs SciPy; install it with: scripts/setup/bootstrap validate\n"


def test_an_unknown_target_is_one_sentence(tmp_path):
    for folder in ("scripts/setup", "build", "bin"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("setup/build", "words.sh"):
        shutil.copy(SCRIPTS / name, tmp_path / "scripts" / name)
    (tmp_path / "bin/cmake").write_text("#!/bin/sh\n[ $1 = --preset ] || { echo \"ninja: error: unknown target '$4'\"; exit 1; }\n")
    (tmp_path / "bin/cmake").chmod(0o755)
    result = subprocess.run([tmp_path / "scripts/setup/build", "nothing"], capture_output=True, text=True,
                            env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    assert result.returncode == 2, result.stdout
    assert result.stderr == "build: there is no target 'nothing'; ninja -C build -t targets all lists them\n"
