"""Some of the attacks, group by group: a thirtieth, in CI a tenth (all of them by hand: make attack)."""

import os
import pathlib
import shutil
import subprocess
import sys
import types

import pytest

HERE = pathlib.Path(__file__).parent
BUILD = os.environ.get("CLIFFBENCH_BUILD", HERE.parent.parent / "build")
PART = os.environ.get("CLIFFBENCH_ATTACK_PART", "10" if os.environ.get("CI") else "30")


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc and makes file systems: Linux only")
@pytest.mark.parametrize("group", ["records", "words", "programs", "disks", "stops", "pages", "text", "setup"])
def test_no_attack_succeeds(group):
    result = subprocess.run([sys.executable, HERE, "--build", BUILD, "--part", PART, "--group", group], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="root alone has a home that nobody may enter")
def test_it_starts_where_only_root_may_enter(tmp_path):
    home = tmp_path / "root"
    for name in ("scripts", "harness"):
        shutil.copytree(HERE.parent.parent / name, home / "project" / name, ignore=shutil.ignore_patterns("__pycache__"))
    home.chmod(0o700)
    words = ["--build", BUILD, "--group", "words", "--list"]
    result = subprocess.run([sys.executable, home / "project/scripts/attack", *words], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout.startswith("words: "), result.stdout + result.stderr


@pytest.mark.parametrize("name, content, wrong", [
    ("a.md", b"plain \xe6\x97\xa5\n\t", ""), ("a.md", b"\x1b[31m", "characters"), ("a.html", b"\xe2\x80\xae", "characters"), ("a.txt", b"\xff", "bad UTF-8"),
    ("a.xml", b"<a>&lt;</a>", ""), ("a.xml", b"<a>&</a>", "cannot be parsed"), ("a.jsonl", b'{"a": "\xe2\x80\xa8"}\n{}\n', ""), ("a.jsonl", b"{\n", "cannot be parsed"),
    ("a.csv", b"a,-1.5,'=1\n", ""), ("a.csv", b'"a",=cmd\n', "computes '=cmd'"), ("a.csv", b"-x\n", "computes")])
def test_what_acts_is_found(tmp_path, monkeypatch, name, content, wrong):
    monkeypatch.syspath_prepend(HERE)
    import text
    place = types.SimpleNamespace(folder=tmp_path, work=tmp_path / "work")
    place.work.mkdir()
    (place.work / name).write_bytes(content)
    found = text.unclean(place, place.work)
    assert wrong in found and bool(found) == bool(wrong)
    (tmp_path / "stdout").write_bytes(b"\x07")
    assert text.unclean(place) == "stdout holds the characters ['\\x07']"
