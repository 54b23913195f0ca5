"""`cliffbench gate` on programs and words that it was not made for: one sentence, its exit code, nothing lost."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import time

import pytest
from built import CLIFFBENCH, EMPTY, call, rows, sentence
from made_gate import gate, ruling, script

# Bad input


@pytest.mark.parametrize("words, text", [
    (["--base", "/bin/true"], "gate needs --base and --head"),
    (["--base", "/nowhere", "--head", "/bin/true"], "there is no /nowhere"),
    (["--base", "/bin", "--head", "/bin/true"], "must both be programs or both be build folders"),
    (["--base", "/etc/passwd", "--head", "/bin/true"], "/etc/passwd is not executable; give a program or a build folder"),
])
def test_bad_sides_are_one_sentence(tmp_path, words, text):
    result = call("gate", *words, "--out", tmp_path / "gate")
    assert result.returncode == 2 and text in sentence(result)


@pytest.mark.parametrize("words", [
    ["--metric", "luck"], ["--instructions", "maybe"], ["--batch", "0"],
    ["--from", "x", "--base", "y"], ["--margin", "2"], ["--margin", "0%"], ["--must-find", "x"],
    ["--base", "x", "--head", "y", "--margin", "5%", "--must-find", "5%"], ["stray"], ["--margin", "^parse=10"], ["--margin", "=10%"],
    ["--margin", "[=10%"], ["--must-find", "x=0%"]])
def test_wrong_flags_are_usage_errors(words):
    result = call("gate", *words)
    assert result.returncode == 2 and result.stderr


def test_a_filter_that_is_none_and_one_that_finds_nothing(side, tmp_path):
    for base, head in ((side("base"), side("head")), (EMPTY, EMPTY)):
        for expression, text in (("[", f"{base.name} rejects --filter '['"), ("nothing", "no common benchmark matches --filter nothing")):
            result = gate(base, head, tmp_path / "gate", "--filter", expression)
            assert result.returncode == 2 and text in sentence(result) and not (tmp_path / "gate").exists()


@pytest.mark.parametrize("path, code, text", [
    ("/bin/true", 13, "lists no benchmark"),
    ("/bin/false", 13, "ended with exit code 1 when asked for its benchmarks"),
    ("/bin/echo", 13, "does not list benchmarks but prints something else"),
])
def test_a_program_that_is_no_google_benchmark_is_named(tmp_path, path, code, text):
    result = gate(path, path, tmp_path / "gate")
    assert result.returncode == code and text in sentence(result)
    assert "give a Google Benchmark program" in sentence(result)


def test_a_gate_is_not_overwritten_and_nothing_is_not_resumed(side, tmp_path):
    base, head = side("base"), side("head")
    gate(base, head, tmp_path / "gate")
    result = gate(base, head, tmp_path / "gate")
    assert result.returncode == 2 and "already holds a gate" in sentence(result)
    result = call("gate", "--base", base, "--head", head, "--resume", tmp_path / "none")
    assert result.returncode == 2 and "holds no gate to resume" in sentence(result)
    result = call("gate", "--from", tmp_path / "none")
    assert result.returncode == 13 and "cannot read" in sentence(result)


def test_two_gates_never_share_a_folder(side, tmp_path):
    base, head = side("base"), side("head")
    gate(base, head, tmp_path / "gate")
    (tmp_path / "gate/sides").mkdir()  # as of the one at work
    with open(tmp_path / "gate/rows.jsonl") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        result = call("gate", "--base", base, "--head", head, "--resume", tmp_path / "gate")
    assert result.returncode == 13 and "is in use by another cliffbench run" in sentence(result)
    assert (tmp_path / "gate/sides").exists()


# Bad manners

def test_a_daemon_holds_nobody_up(side, tmp_path):
    start = time.monotonic()
    result = gate(side("base", daemon=True), side("head", daemon=True), tmp_path / "gate", "--budget", "1s")
    assert result.returncode in (0, 13) and time.monotonic() - start < 30  # each waited for would be 5 s more
    assert {row["status"] for row in rows(tmp_path / "gate")} == {"ok"}


def test_a_flood_on_standard_output_is_no_matter(side, tmp_path):
    result = gate(side("base", flood=1 << 24), side("head"), tmp_path / "gate")
    assert result.returncode == 0, result.stderr + result.stdout
    result = gate(side("base"), script_that_floods(tmp_path / "flood/fake"), tmp_path / "second", "--limit", "20s")
    assert result.returncode == 13
    assert "the program wrote no result" in ruling(tmp_path / "second")["reason"]


def script_that_floods(path):
    """Lists a benchmark, and to run it writes a gigabyte to both streams."""
    return script(path, 'case "$*" in *list_tests*"^$"*) ;; *list_tests*) echo one;; '
                        '*) head -c 1000000000 /dev/zero; head -c 1000000000 /dev/zero >&2;; esac')


def test_an_endless_stream_is_stopped_at_the_limit(side, tmp_path):
    head = script(tmp_path / "head/fake", 'case "$*" in *list_tests*"^$"*) ;; *list_tests*) echo one;; *) exec cat /dev/zero >&2;; esac')
    result = gate(side("base"), head, tmp_path / "gate", "--limit", "1s")
    assert result.returncode == 13 and "gave no result in 1.00 s" in ruling(tmp_path / "gate")["reason"]


# The terminal

def on_a_terminal(columns, folder, *words):
    """The lines that the program writes to a terminal of so many columns."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "dumb"}
    process = subprocess.Popen([CLIFFBENCH, *map(str, words)], stdout=its, stderr=subprocess.DEVNULL, env=environment, cwd=folder)
    os.close(its)
    said = b""
    try:
        while more := os.read(ours, 4096):
            said += more
    except OSError:  # the program has closed it
        pass
    os.close(ours)
    process.wait(timeout=60)
    return said.decode().replace("\r", "").splitlines()


def test_long_names_and_sentences_are_wrapped_on_a_terminal_and_whole_in_a_pipe(tmp_path, side):
    name = "BM_a_benchmark_with_a_rather_long_name/threads:4"
    side("before", names=[name]), side("after", names=[name], slower=name)
    assert gate("before/fake", "after/fake", "gate", cwd=tmp_path).returncode == 10
    plain = call("gate", "--from", "gate", cwd=tmp_path).stdout
    assert f"  {name}\n    slower by more than 2 %" in plain
    assert "\nmeasure the first alone (add your other flags): cliffbench gate --base" in plain
    words = plain.split()
    for columns in (80, 120):
        lines = on_a_terminal(columns, tmp_path, "gate", "--from", "gate")
        long = [line for line in lines if len(line) > columns]  # to be pasted
        assert lines and all(line.startswith("measure the first alone (add your other flags): cliffbench gate ") for line in long), lines
        assert "…" not in "".join(lines)
        assert [word for line in lines for word in line.split()] == words
        assert any(line.strip() == name for line in lines) == (columns == 80)
