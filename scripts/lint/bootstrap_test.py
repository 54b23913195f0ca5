"""scripts/bootstrap with a Halide that cannot be used: one sentence, exit code 2, nothing installed."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent


def bootstrap(job, **settings):
    return subprocess.run([ROOT / "scripts/bootstrap", job], capture_output=True, text=True,
                          env=os.environ | {"NO_PACKAGES": "1"} | settings)


@pytest.mark.parametrize("header, words", [
    (None, "has no include/Halide.h"),
    ("#define HALIDE_VERSION_MAJOR 18\n", "is Halide 18; the conceptual stmt viewer needs >= 19"),
    ("", "is Halide of an unknown version"),
])
def test_a_missing_or_old_halide_is_one_sentence(tmp_path, header, words):
    if header is not None:
        (tmp_path / "include").mkdir()
        (tmp_path / "include/Halide.h").write_text(header)
    result = bootstrap("bench", HALIDE_ROOT=str(tmp_path))
    assert result.returncode == 2 and words in result.stderr and result.stderr.count("\n") == 1


def test_an_unknown_job_is_a_usage_error():
    result = bootstrap("lunch")
    assert result.returncode == 2 and "one of bench, full, test, test-all, fuzz, validate, tool, format, tidy, cross-macos, test-arm" in result.stderr


def test_with_nothing_missing_it_says_nothing():
    result = bootstrap("bench")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


MAC = ("cmake ninja google-benchmark cli11 nlohmann-json fmt xxhash eigen highway libsodium cryptopp python@3.14 "
       "llvm@19").split()


def bootstrap_with_brew(tmp_path, job, installed, install="exit 0"):
    """A machine that has Homebrew and no apt-get. Returns the result and what brew was asked to install."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ["bash", "cmp", "dirname", "grep", "head", "mkdir", "sed", "tr", "uname"]:
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
    assert result.stderr == "bootstrap: installing failed; run it by hand to see why: brew install clang-format\n"
