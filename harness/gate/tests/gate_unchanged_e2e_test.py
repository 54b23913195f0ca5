"""`cliffbench gate` where nothing has changed: a program and its libraries are the same bytes on both sides."""

import os
import shutil

import pytest
from built import BUILD, EMPTY, call, linux_only, plain_build_only, rows
from made_gate import gate, rebuilt, ruling, rulings, runs_of, unchanged

pytestmark = [linux_only, plain_build_only]  # what a program loads is known there
LINKED = BUILD / "test_cases/linked"


@pytest.fixture
def linked(tmp_path):
    """A program and its library on both sides."""
    for name in ("base", "head"):
        (tmp_path / name).mkdir()
        for file in (LINKED, LINKED.with_name("libstep.so")):
            shutil.copy2(file, tmp_path / name)
    return tmp_path / "base/linked", tmp_path / "head/linked"


@pytest.mark.parametrize("words", [["--strict"], ["--metric", "instructions"], ["--budget", "1ms"], ["--metric", "counter:any"]])
def test_the_same_bytes_are_unchanged_at_once(linked, tmp_path, words):
    result = unchanged(*linked, tmp_path / "gate", *words)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 UNCHANGED." in result.stdout and "nothing to measure" in result.stdout
    assert "decision" not in result.stdout  # there is none that could be wrong
    found = ruling(tmp_path / "gate")
    assert (found["ruling"], found["pairs"]) == ("unchanged", 0)
    assert found["reason"] == "the program and its libraries are identical on both sides"
    assert not (tmp_path / "gate/rows.jsonl").exists() or not rows(tmp_path / "gate")
    assert "steps" in (tmp_path / "gate/rulings.md").read_text()
    again = call("gate", "--from", tmp_path / "gate")
    assert again.returncode == 0 and "1 UNCHANGED." in again.stdout


def test_one_library_that_differs_is_a_change(linked, tmp_path):
    base, head = linked
    rebuilt(head.with_name("libstep.so"), tmp_path / "new")
    os.replace(tmp_path / "new/libstep.so", head.with_name("libstep.so"))
    result = unchanged(base, head, tmp_path / "gate", "--budget", "2s")
    assert "linked is identical on both sides, but libstep.so differs" in result.stdout, result.stdout + result.stderr
    assert ruling(tmp_path / "gate")["ruling"] != "unchanged"
    shutil.copy2(base.with_name("libstep.so"), head.with_name("libstep.so"))
    result = call("gate", "--base", base, "--head", head, "--resume", tmp_path / "gate")
    assert result.returncode == 2 and "compared other programs" in result.stderr


def test_another_program_with_the_same_libraries_is_a_change(linked, tmp_path):
    base, head = linked
    result = unchanged(base, rebuilt(head, tmp_path / "new"), tmp_path / "none", "--budget", "2s")
    assert result.returncode == 13 and "libstep.so" in result.stderr  # it does not find its library there
    os.replace(tmp_path / "new/linked", head)
    unchanged(base, head, tmp_path / "gate", "--budget", "2s")
    assert ruling(tmp_path / "gate")["ruling"] != "unchanged"


def test_what_may_open_further_libraries_is_timed(linked, tmp_path):
    """Both programs, and then both of their own libraries, contain the name of the function that opens one."""
    for number, name in enumerate(("linked", "libstep.so")):
        for program in linked:
            with program.with_name(name).open("ab") as file:
                file.write(b"dlopen")
        result = unchanged(*linked, tmp_path / f"gate{number}", "--budget", "2s")
        assert f"linked is identical on both sides, but {name} may load further libraries (dlopen)" in " ".join(result.stdout.split())
        assert ruling(tmp_path / f"gate{number}")["ruling"] != "unchanged"
        for program in linked:
            shutil.copy2(LINKED.with_name(name), program.with_name(name))


def test_one_file_that_is_both_sides_is_unchanged_whatever_it_is(side, tmp_path):
    """A script in another folder may find other files there, so the same bytes are not enough of it."""
    base, head = side("base"), side("head")
    result = unchanged(base, base, tmp_path / "gate")
    assert result.returncode == 0 and ruling(tmp_path / "gate")["ruling"] == "unchanged"
    assert not base.with_name("fake.runs").exists()
    result = unchanged(base, head, tmp_path / "other", "--instructions", "never")
    assert "fake is identical on both sides, but its libraries are unknown" in result.stdout
    assert ruling(tmp_path / "other")["ruling"] == "ok" and runs_of(head) > 12


def test_of_a_folder_only_what_changed_is_measured(linked, tmp_path):
    base, head = (side.parent for side in linked)
    shutil.copy2(EMPTY, base)
    rebuilt(EMPTY, head)
    result = unchanged(base, head, tmp_path / "gate", "--filter", "steps|^empty/number:1/variant:baseline$", "--budget", "5s")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.startswith("1 benchmark: ")  # that is announced
    summary, found = rulings(tmp_path / "gate")
    assert {line["program"]: line["pairs"] > 0 for line in found} == {"empty": True, "linked": False}
    assert {line["program"]: line["ruling"] for line in found}["linked"] == "unchanged"
    assert summary["decisions"] == 1  # what is not measured takes no share of the chance of an alarm


def test_the_same_is_timed_where_that_is_asked_for(linked, tmp_path):
    gate(*linked, tmp_path / "gate", "--budget", "2s", "--time-unchanged")
    assert ruling(tmp_path / "gate")["ruling"] != "unchanged"
    base, _ = linked
    result = unchanged(base, base, tmp_path / "across", "--filter", "^st", "--head-filter", "^st", "--budget", "2s")
    assert ruling(tmp_path / "across")["ruling"] != "unchanged" and "UNCHANGED" not in result.stdout


def test_a_benchmark_that_both_sides_skip_stays_skipped_by_instructions(side, tmp_path):
    base, head = side("base", at={"*": "error"}), side("head", at={"*": "error"})
    result = gate(base, head, tmp_path / "gate", "--metric", "instructions")
    assert ruling(tmp_path / "gate")["ruling"] == "skipped", result.stdout + result.stderr


def test_a_head_that_crashes_is_not_measured_also_where_the_base_skips(side, tmp_path):
    base, head = side("base", at={"*": "error"}), side("head", at={"*": "crash"})
    gate(base, head, tmp_path / "gate")
    assert ruling(tmp_path / "gate")["ruling"] == "not_measured"
    assert ruling(tmp_path / "gate")["reason"].startswith("head: "), ruling(tmp_path / "gate")
