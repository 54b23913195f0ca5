"""Configuring with a GoogleTest that cannot be used: never an error, always the packages' names; and without tests nobody asks
for it."""

import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
BROKEN = {"without its targets": "", "half": "add_library(GTest::gtest_main INTERFACE IMPORTED)\n"}


def configure(folder, *flags):
    words = ["cmake", "--preset", "bench", "-B", folder, "-DCLIFFBENCH_ONLY=gate", *flags]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize("state", BROKEN)
def test_a_googletest_that_cannot_be_used_is_named(tmp_path, state):
    (tmp_path / "GTestConfig.cmake").write_text(BROKEN[state])
    (tmp_path / "GTestConfigVersion.cmake").write_text("set(PACKAGE_VERSION 1.14)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
    result = configure(tmp_path / "build", "-DBUILD_TESTING=ON", f"-DGTest_DIR={tmp_path}")
    assert result.returncode == 0, result.stderr
    [sentence] = [line for line in result.stdout.splitlines() if "packages are missing" in line]
    assert sentence.startswith("-- No tests in this build") and "libgmock-dev" in sentence
    assert ("libgtest-dev" in sentence) == (state != "half")


def test_measuring_does_not_ask_for_what_tests_need(tmp_path):
    result = configure(tmp_path / "build", "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON")
    assert result.returncode == 0 and "missing" not in result.stdout, result.stderr
    assert not (tmp_path / "build/CTestTestfile.cmake").exists() and "GTEST" not in (tmp_path / "build/CMakeCache.txt").read_text()


def made(folder):
    """A project of one target, beside our scripts."""
    (folder / "scripts/setup").mkdir(parents=True)
    for name in ("setup/build", "words.sh"):
        shutil.copy(ROOT / "scripts" / name, folder / "scripts" / name)
    (folder / "CMakeLists.txt").write_text('cmake_minimum_required(VERSION 3.25)\nproject(made LANGUAGES CXX)\n'
                                           'add_executable(programs "${CMAKE_SOURCE_DIR}/one.cpp")\n')
    (folder / "one.cpp").write_text("int main() {}\n")
    shutil.copy(ROOT / "CMakePresets.json", folder / "CMakePresets.json")


@pytest.mark.parametrize("name", ["it's $HOME (a) & {b} ünï日", "%1 ~ a,b=c@d+e!f"])
def test_a_path_of_odd_letters_is_built(tmp_path, name):
    made(tmp_path / name)
    result = subprocess.run(["scripts/setup/build", "programs"], cwd=tmp_path / name, capture_output=True, text=True)
    assert result.returncode == 0 and (tmp_path / name / "build/programs").exists(), result.stdout + result.stderr


def test_a_checkout_that_was_moved_is_configured_anew(tmp_path):
    before, after = tmp_path / "before", tmp_path / "after"
    made(before)
    build = ["scripts/setup/build", "programs"]
    assert subprocess.run(build, cwd=before).returncode == 0
    before.rename(after)
    result = subprocess.run(build, cwd=after, capture_output=True, text=True)
    assert result.returncode == 0 and f"was made for {before}; it is rebuilt" in result.stdout, result.stdout + result.stderr
    assert "made anew" not in subprocess.run(build, cwd=after, capture_output=True, text=True).stdout


def test_a_tool_that_was_configured_with_other_options_is_configured_anew(tmp_path):
    made(tmp_path)
    with open(tmp_path / "CMakeLists.txt", "a") as lists:
        lists.write('add_executable(cliffbench "${CMAKE_SOURCE_DIR}/one.cpp")\n')
    subprocess.run(["scripts/setup/build", "programs"], cwd=tmp_path, check=True)
    (tmp_path / "build/tool").mkdir()
    for name in (".configured-for", "build.ninja"):
        shutil.copy(tmp_path / "build" / name, tmp_path / "build/tool" / name)
    subprocess.run(["scripts/setup/build", "tool"], cwd=tmp_path, check=True)
    assert "CLIFFBENCH_ONLY:UNINITIALIZED=gate" in (tmp_path / "build/tool/CMakeCache.txt").read_text()


def test_what_is_missing_for_the_programs_is_said_at_once(tmp_path):
    result = configure(tmp_path / "build", "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON")
    assert result.returncode != 0
    assert "-- These packages are missing (Debian's names): libcli11-dev libfmt-dev\n" in result.stdout
