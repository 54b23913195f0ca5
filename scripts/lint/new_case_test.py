"""scripts/new-case writes a case whose code compiles and whose data are right; a name that cannot be one is refused."""

import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "scripts").mkdir()
    for name in ("new-case", "words.sh"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    for folder in ("cases", "harness"):
        (tmp_path / folder).mkdir()
    (tmp_path / "harness/words.hpp").write_text("// pairs\n")
    return tmp_path


def new_case(tree, *names):
    return subprocess.run([tree / "scripts/new-case", *names], capture_output=True, text=True)


def test_what_it_writes_compiles_and_its_data_are_right(tree):
    result = new_case(tree, "sort_numbers")
    assert result.returncode == 0, result.stderr
    case, header = tree / "cases/sort_numbers", tree / "case_toml.hpp"
    assert {path.name for path in case.iterdir()} == {"CMakeLists.txt", "README.md", "case.toml", "sort_numbers.cpp"}
    subprocess.run(["cmake", "-D", f"DATA={case}/case.toml", "-D", "NAME=case.toml", "-D", f"HEADER={header}", "-P",
                    ROOT / "cases/embed.cmake"], check=True)
    words = ['-DCASE_README=""', '-DCASE_SUBJECT="s"', '-DCASE_VERSION=""', '-DCASE_SHA256=""']
    subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", ROOT, "-I", tree, *words,
                    case / "sort_numbers.cpp"], check=True)


@pytest.mark.parametrize("names, words", [
    ((), "usage: scripts/new-case NAME"), (("a", "b"), "usage:"), (("Sort",), "'Sort' is not a case name; write it like sort_strings"),
    (("../x",), "is not a case name"), (("pairs",), "'pairs' is a word in harness/"), (("made",), "cases/made exists already")])
def test_a_name_that_cannot_be_one_is_refused(tree, names, words):
    (tree / "cases/made").mkdir()
    result = new_case(tree, *names)
    assert result.returncode == 2 and words in result.stderr and result.stderr.count("\n") == 1
