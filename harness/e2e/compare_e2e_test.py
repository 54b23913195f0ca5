"""`cliffbench compare` from outside: any commands, the same loop and the same forms as the gate."""

import json
import re

import pytest
from built import call, rows, sentence
from made_gate import compare, ruling, rulings, script

# These commands really wait, so the rulings depend on the machine; gate_e2e_test.py checks the rulings of the same loop
# where no clock decides.
CLOCK_DECIDES = (0, 10, 12, 14)


def test_two_commands_are_one_ruling(tmp_path):
    result = compare(tmp_path / "gate", "sleep 0.02", "sleep 0.12")
    assert result.returncode in CLOCK_DECIDES, result.stderr
    found = ruling(tmp_path / "gate")
    assert (found["metric"], found["head"]) == ("wall", "sleep 0.12")
    assert found["pairs"] >= 12 and len(rows(tmp_path / "gate")) == 12 + 2 * found["pairs"]
    assert "sleep 0.02 (sleep 0.12)" in result.stdout
    again = call("gate", "--from", tmp_path / "gate")
    assert again.returncode == result.returncode and ruling(tmp_path / "gate") == found


def test_three_commands_are_two_rulings(tmp_path):
    result = compare(tmp_path / "gate", "sleep 0.12", "sleep 0.01", "sleep 0.3")
    assert result.returncode in CLOCK_DECIDES, result.stderr
    _, found = rulings(tmp_path / "gate")
    assert [line["head"] for line in found] == ["sleep 0.01", "sleep 0.3"]


def test_commands_of_one_text_are_still_several(tmp_path):
    result = compare(tmp_path / "gate", "base", "true", "true", "base", "--ignore-failure", "--budget", "1ms")
    assert result.returncode == 13  # there is no command 'base'
    _, found = rulings(tmp_path / "gate")
    assert [line["head"] for line in found] == ["true", "true (3)", "base (4)"]


def test_setup_runs_before_each_command_and_is_not_measured(tmp_path):
    log = tmp_path / "log"
    result = compare(tmp_path / "gate", "--setup", f"echo x >> {log}; sleep 0.5", "true", "test -s " + str(log), "--budget", "6s")
    assert result.returncode in CLOCK_DECIDES, result.stderr
    measured = rows(tmp_path / "gate")
    assert 2 <= len(log.read_text().split()) - len(measured) <= 3  # and before the two pilots, and one that was cut off
    assert all(row["process_s"] < 0.5 for row in measured[:3])


def test_a_setup_that_fails_is_a_sentence(tmp_path):
    result = compare(tmp_path / "gate", "--setup", "echo no such data >&2; false", "true", "true")
    assert result.returncode == 13 and "failed: no such data" in sentence(result)


@pytest.mark.parametrize("command, reason", [
    ("false", r"false: ended with exit code 1 \(--ignore-failure measures it anyway\)"),
    ("no_such_command_here", "no_such_command_here: ended with exit code 127; it said: .*not found"),
    ("/no/such/command", "/no/such/command: ended with exit code 127; it said: .*No such file or directory"),
    ("kill -9 $$", r"kill -9 \$\$: ended by signal 9 \(Killed\)"),
])
def test_a_command_that_fails_is_not_measured(tmp_path, command, reason):
    result = compare(tmp_path / "gate", "true", command)
    assert result.returncode == 13
    assert ruling(tmp_path / "gate")["ruling"] == "not_measured"
    assert re.fullmatch(reason, ruling(tmp_path / "gate")["reason"])


def test_a_failure_can_be_ignored_but_not_a_missing_command(tmp_path):
    result = compare(tmp_path / "gate", "sleep 0.02; false", "sleep 0.12; exit 3", "--ignore-failure")
    assert result.returncode in CLOCK_DECIDES and ruling(tmp_path / "gate")["ruling"] != "not_measured", result.stderr
    assert compare(tmp_path / "other", "true", "no_such_command_here", "--ignore-failure").returncode == 13


def test_a_hang_is_stopped_at_the_limit(tmp_path):
    hang = script(tmp_path / "hang", "trap '' TERM; while :; do sleep 1; done")
    result = compare(tmp_path / "gate", "true", hang, "--limit", "300ms")
    assert result.returncode == 13 and "stopped at the limit of 300 ms" in ruling(tmp_path / "gate")["reason"]


def test_one_command_is_too_few_and_an_empty_one_is_none(tmp_path):
    result = compare(tmp_path / "gate", "true")
    assert result.returncode == 2 and "two commands or more" in sentence(result)
    result = compare(tmp_path / "gate", "true", " ")
    assert result.returncode == 2 and "a command is empty" in sentence(result)
    assert call("compare").returncode == 2


def test_it_goes_on_where_it_was_stopped(tmp_path):
    folder = tmp_path / "gate"
    assert compare(folder, "sleep 0.02", "sleep 0.12", "--budget", "1.5s").returncode == 0
    first = rows(folder)
    assert 1 <= len(first) < 36
    resumed = call("compare", "sleep 0.02", "sleep 0.12", "--resume", folder, "--trust-times")
    assert resumed.returncode in CLOCK_DECIDES, resumed.stderr
    assert rows(folder)[:len(first)] == first
    other = call("compare", "sleep 0.02", "sleep 0.13", "--resume", folder)
    assert other.returncode == 2 and "compared other programs" in sentence(other)


def test_many_lines_in_a_command_stay_one_cell(tmp_path):
    compare(tmp_path / "gate", "sleep 0.02\ntrue", "sleep 0.02; true |\ncat", "--budget", "100ms")
    lines = (tmp_path / "gate/rulings.md").read_text().splitlines()
    assert len(lines) == 7, lines
    json.loads((tmp_path / "gate/rulings.jsonl").read_text().splitlines()[0])
