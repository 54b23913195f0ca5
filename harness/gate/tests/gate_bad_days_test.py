"""Bad days of `gate`: programs replaced, a full disk, no time, daemons, killed. No answer is made up."""

import json
import os
import re
import subprocess
import sys
import time

import pytest
from built import (
    CLIFFBENCH,
    EMPTY,
    call,
    linux_only,
    mounted,
    needs_namespaces,
    own_disk_only,
    rows,
    sentence,
    state_of,
)
from made_gate import FAST, VALGRIND, gate, program, ruling, rulings, script

# A program that changes


@pytest.mark.parametrize("where", ["base", "head"])
@pytest.mark.parametrize("run, kept", [(6, 12), (1, 0)])  # in the fifth round or before; in the pilots
def test_a_program_that_is_replaced_ends_the_gate(side, tmp_path, where, run, kept):
    settings = {where: {"at": {run: "replace"}}}
    base, head = (side(name, **settings.get(name, {})) for name in ("base", "head"))
    result = gate(base, head, tmp_path / "gate")
    assert result.returncode == 13, result.stdout
    changed = base if where == "base" else head
    assert sentence(result) == f"cliffbench: {changed} was changed while it was measured; start a new gate"
    measured = rows(tmp_path / "gate") if kept else []
    assert len(measured) <= kept + 2 and all(row["status"] == "ok" for row in measured)
    resumed = call("gate", "--base", base, "--head", head, "--resume", tmp_path / "gate")
    assert resumed.returncode == 2  # other programs, or no gate at all


# No room

@needs_namespaces
@own_disk_only
def test_a_full_disk_is_said_and_resume_goes_on(side, tmp_path):
    """Something else fills the disk in the head's run 6, which then fails."""
    base, folder = side("base"), tmp_path / "disk"
    folder.mkdir()
    head = side("head", at={6: "fill"})
    result = mounted(f"-t tmpfs -o size=300k none {folder}", folder, "gate", "--base", base, "--head", head,
                     "--out", folder / "gate", "--seed", 1, *FAST)
    assert result.returncode == 13, result.stdout
    assert re.search("cannot write .*: No space left", sentence(result))
    kept = tmp_path / "disk.kept/gate"
    before = rows(kept)
    assert {row["status"] for row in before} == {"ok"} and 12 <= len(before) <= 14
    resumed = call("gate", "--base", base, "--head", head, "--resume", kept, *FAST)
    assert resumed.returncode == 0, resumed.stderr
    assert ruling(kept)["ruling"] == "ok" and rows(kept)[:len(before)] == before


# No time

def test_pilots_are_part_of_the_budget_and_resume_measures_them(side, tmp_path):
    names = ["one", "two", "three"]
    base = side("base", names=names, at={1: "hang"})  # in the pilot that all share
    head, folder = side("head", names=names), tmp_path / "gate"
    start = time.monotonic()
    result = gate(base, head, folder, "--budget", "1s", "--limit", "500s")
    assert result.returncode == 13 and time.monotonic() - start < 30, result.stderr
    assert "the budget ended when 0 of 3 benchmarks had their pilot runs; continue with --resume" in result.stdout
    assert {line["reason"] for line in rulings(folder)[1]} == {"the time budget ran out before its first pair"}
    assert [benchmark["iterations"] > 0 for benchmark in json.loads((folder / "gate.json").read_text())["benchmarks"]] == [False] * 3
    resumed = call("gate", "--base", base, "--head", head, "--resume", folder, *FAST)
    assert resumed.returncode == 0, resumed.stderr
    assert [line["ruling"] for line in rulings(folder)[1]] == ["ok"] * 3
    assert all(benchmark["iterations"] > 0 for benchmark in json.loads((folder / "gate.json").read_text())["benchmarks"])


# Counting

def counted(side, tmp_path, each, *words, how=("--metric", "instructions"), **head):
    """A gate with a made-up valgrind, by instructions alone; `each` is Python for the instructions of an iteration, in
    which `number` is that of the call and `program` the command."""
    path = tmp_path / "bin/valgrind"
    path.parent.mkdir()
    path.write_text(VALGRIND.format(python=sys.executable, file=str(tmp_path / "calls"), each=each))
    path.chmod(0o755)
    base = side("base", names=head.get("names", ["one"]))
    return call("gate", "--base", base, "--head", side("head", **head), "--out", tmp_path / "gate", *how, *words,
                env=os.environ | {"PATH": str(path.parent)})


def test_counts_decide(side, tmp_path):
    result = counted(side, tmp_path, "5000 if 'base' in program[0] else 4800")
    assert result.returncode == 0 and ruling(tmp_path / "gate")["ruling"] == "improved", result.stdout
    assert (tmp_path / "calls").read_text() == "8"  # one and two times N, twice, on both sides


@pytest.mark.parametrize("each", ["5000 * 1.05 ** number", "5000 + 1000 * (number * 7919 % 13)", "5000 if number != 2 else 6000"])
def test_a_program_whose_counts_wander_is_inconclusive(side, tmp_path, each):
    result = counted(side, tmp_path, each)
    found = ruling(tmp_path / "gate")
    assert found["ruling"] == "inconclusive" and "instructions" not in found, result.stdout
    assert re.search(r"two counts of the same program differ by [0-9.]+ %|executed no more instructions", found["reason"])
    assert result.returncode == 13


def test_only_what_counts_can_explain_is_counted_and_after_the_times(side, tmp_path):
    then, written = str(tmp_path / "then"), str(tmp_path / "gate/rows.jsonl")
    each = f"(open({then!r}, 'a').write('%d ' % len(open({written!r}).readlines())), 5000)[1]"
    result = counted(side, tmp_path, each, how=(), names=["first", "slow", "last"], slower="slow")
    assert result.returncode == 10, result.stdout + result.stderr
    found = {line["name"]: line for line in rulings(tmp_path / "gate")[1]}
    assert {name for name, line in found.items() if "instructions" in line} == {"slow"}
    assert set((tmp_path / "then").read_text().split()) == {str(len(rows(tmp_path / "gate")))}
    assert "look at memory, latency or alignment; instructions +0.00 %" in result.stdout
    assert all(result.stdout.count(f"pairs  cpu   {name}") == 1 for name in found)


def test_counting_is_part_of_the_budget(side, tmp_path):
    start = time.monotonic()
    result = counted(side, tmp_path, "5000 + __import__('time').sleep(100)", "--budget", "1s")
    assert time.monotonic() - start < 30 and result.returncode == 13
    assert "instructions were not counted: the time budget ran out" in ruling(tmp_path / "gate")["reason"]


# Daemons, temporary files

def around(path, first):
    """A program that does this before each of its runs, but not when it lists its benchmarks."""
    inner = program(path.parent / "inner", path.name)
    return script(path, f'case "$*" in *list_tests*) ;; *) {first} ;; esac\nexec {inner} "$@"')


def daemons(tmp_path):
    """Two sides that leave a process in a session of its own in each run, and where its number goes."""
    log = tmp_path / "log"
    leave = f"setsid sh -c 'echo $$ >> {log}; exec sleep 600' </dev/null >/dev/null 2>&1 & sleep 0.05"
    sides = [word for name in ("base", "head") for word in ("--" + name, around(tmp_path / name / "daemon", leave))]
    return sides, log


def alive(log):
    return [pid for pid in log.read_text().split() if os.path.exists(f"/proc/{pid}") and state_of(pid) != "Z"]


@linux_only
def test_a_gate_leaves_no_daemon(tmp_path):
    sides, log = daemons(tmp_path)
    call("gate", *sides, "--out", tmp_path / "gate", *FAST, "--budget", "3s")
    assert len(log.read_text().split()) >= 2 and not alive(log)


@linux_only
def test_a_gate_ends_what_a_killed_one_left(tmp_path):
    (sides, log), folder = daemons(tmp_path), tmp_path / "gate"
    run = subprocess.Popen([CLIFFBENCH, "gate", *sides, "--out", folder], stdout=subprocess.DEVNULL)
    while not (folder / "gate.json").exists() or not (log.exists() and alive(log)):
        assert run.poll() is None
        time.sleep(0.001)
    run.kill()
    run.wait()
    left = alive(log)
    call("gate", *sides, "--resume", folder, "--budget", "1ms")
    assert not alive(log), f"{len(left)} were left"


@linux_only
def test_children_of_the_shell_that_became_a_gate_are_left_alone(side, tmp_path):
    text = 'sleep 600 >/dev/null 2>&1 & echo $! >"$1"; shift; exec "$@"'
    subprocess.run(["sh", "-c", text, "sh", tmp_path / "pid", CLIFFBENCH, "gate", "--base", side("base"), "--head", side("head"),
                    "--out", tmp_path / "gate", "--budget", "500ms"], capture_output=True, timeout=60)
    pid = int((tmp_path / "pid").read_text())
    assert state_of(pid) != "Z"
    os.kill(pid, 9)


def test_each_run_has_an_empty_temporary_folder(tmp_path):
    first = 'test -z "$(ls "$TMPDIR")" || exit 3; touch "$TMPDIR/made"'
    result = gate(*(around(tmp_path / name / "made", first) for name in ("base", "head")), tmp_path / "gate")
    assert result.returncode == 0, result.stdout + result.stderr
    assert {row["status"] for row in rows(tmp_path / "gate")} == {"ok"}


# Names

@pytest.mark.parametrize("filter_", ["(" * 20000 + ")" * 20000, "[" * 20000, "(a?){20000}"])
def test_a_filter_that_no_library_survives_is_refused(tmp_path, filter_):
    result = gate(EMPTY, EMPTY, tmp_path / "gate", "--filter", filter_)
    assert result.returncode == 2 and len(sentence(result)) < 500
    assert not (tmp_path / "gate/gate.json").exists()


def test_a_hundred_thousand_names_are_no_matter(tmp_path):
    """The time is that of the lists: the budget is over before the third pilot."""
    base, head = (script(tmp_path / name / "many", 'case "$*" in *list_tests*"^$"*) ;; *list_tests*) seq 100000;; *) sleep 600;; esac')
                  for name in ("base", "head"))
    start = time.monotonic()
    result = gate(base, head, tmp_path / "gate", "--budget", "2s")
    assert result.returncode == 13 and time.monotonic() - start < 30, result.stderr
    assert len(rulings(tmp_path / "gate")[1]) == 100000
