"""scripts/relink: each refusal is one sentence, and leaves what was there as it was."""

import os
import pathlib
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).parent


def call(script, *words, **options):
    return subprocess.run([sys.executable, SCRIPTS / script, *words], capture_output=True, text=True, timeout=60, **options)


def sentence(result, name, code):
    assert result.returncode == code and not result.stdout, result.stdout + result.stderr
    [line] = result.stderr.splitlines()
    assert line.startswith(name + ": ")
    return line


def made_build(folder, link_line):
    """A build folder of one program, whose link command is this line."""
    folder.mkdir()
    (folder / "build.ninja").write_text(f"rule link\n  command = {link_line}\nbuild a: link a.o b.o\n")
    for name in ("a.o", "b.o"):
        (folder / name).write_text("")
    (folder / "a").write_text("as it was")
    return folder / "a"


def test_a_program_of_no_build_cannot_be_relinked(tmp_path):
    (tmp_path / "a").write_text("")
    assert sentence(call("relink", tmp_path / "a", "1", tmp_path / "b"), "relink", 2).endswith("lies in no Ninja build folder")


@pytest.mark.parametrize("link_line, code, said", [
    ("true", 2, "has no link command for a"),
    ("cp -o a", 2, "is not linked of objects"),
    ("sh -c 'printf \"first\\nno such \\033symbol\\n\" >&2; exit 1' link a.o b.o -o a", 13, "linking a failed: no such \\x1bsymbol"),
    ("false a.o b.o -o a", 13, "linking a failed: no reason given")])
def test_what_cannot_be_relinked_is_one_sentence(tmp_path, link_line, code, said):
    program = made_build(tmp_path / "b", link_line.replace("$", "$$"))
    assert sentence(call("relink", program, "1", tmp_path / "out"), "relink", code).endswith(said)
    assert program.read_text() == "as it was" and [path.name for path in tmp_path.iterdir()] == ["b"]


def test_without_ninja_nothing_is_relinked(tmp_path):
    program = made_build(tmp_path / "b", "cc a.o b.o -o a")
    result = call("relink", program, "1", tmp_path / "out", env=os.environ | {"PATH": ""})
    assert sentence(result, "relink", 13) == "relink: ninja: No such file or directory"
