"""`cliffbench gate` from outside, on made-up programs (tests/programs/fake_benchmark.cpp): no clock decides anything."""

import json
import os
import shutil
import subprocess

import pytest
from built import EMPTY, FAULTS, call, plain_build_only, rows
from made_gate import gate, ruling, rulings, runs_of, script

# Rulings and exit codes


def test_the_same_twice_is_ok_after_twelve_pairs(side, tmp_path):
    result = gate(side("base"), side("head"), tmp_path / "gate")
    assert result.returncode == 0, result.stderr + result.stdout
    found = ruling(tmp_path / "gate")
    assert (found["ruling"], found["pairs"], found["metric"]) == ("ok", 12, "cpu")
    assert "fake is identical on both sides, but its libraries are unknown" in result.stdout
    written = rows(tmp_path / "gate")
    assert len(written) == 36
    [count] = {row["iterations"] for row in written}  # one for both sides
    assert count == 5  # of 1 ms each, in ten batches of 5 ms
    assert len({(row["round"], row["variant"]) for row in written}) == 36
    orders = {tuple(row["variant"] for row in written if row["round"] == n) for n in range(1, 13)}
    assert len(orders) > 2  # drawn for each pair
    assert not (tmp_path / "gate/scratch").exists() and not (tmp_path / "gate/sides").exists()


def test_of_several_batches_the_fastest_and_the_mean_count(side, tmp_path):
    """A disturbance of some batches on both sides moves nothing; a slowdown of all of them is found, and so is one of some."""
    disturbed = [1, 1.5, 3, 1, 1, 1.5, 1, 1, 1, 1]
    gate(side("base", batches=disturbed), side("head", batches=[1, *disturbed[:0:-1]]), tmp_path / "same")
    assert ruling(tmp_path / "same")["ruling"] == "ok"
    gate(side("base", batches=disturbed), side("head", ms=1.1), tmp_path / "slower")
    found = ruling(tmp_path / "slower")
    assert (found["ruling"], found["by_mean"]) == ("regression", False)
    result = gate(side("base", batches=[1] * 10), side("head", batches=[1] * 4 + [2] * 2 + [1] * 4), tmp_path / "rare")
    assert result.returncode == 10, result.stdout + result.stderr
    found = ruling(tmp_path / "rare")
    assert (found["ruling"], found["by_mean"], found["pairs"]) == ("regression", True, 12)
    assert found["reason"] == "mean of the batches: slower by more than 2 % (fastest batch: ok)"
    gate(side("base", batches=[1] * 10), side("head", batches=[3] + [1] * 9), tmp_path / "cold")  # the first warms up
    assert ruling(tmp_path / "cold")["ruling"] == "ok"


def test_a_set_up_that_takes_long_is_not_repeated(side, tmp_path):
    assert gate(side("base", busy_s=0.1), side("head", busy_s=0.1), tmp_path / "gate").returncode == 0
    [benchmark] = json.loads((tmp_path / "gate/gate.json").read_text())["benchmarks"]
    assert (benchmark["iterations"], benchmark["batches"]) == (50, 1)


def test_ten_percent_more_is_a_regression(side, tmp_path):
    result = gate(side("base"), side("head", ms=1.1), tmp_path / "gate")
    assert result.returncode == 10, result.stderr
    found = ruling(tmp_path / "gate")
    assert found["ruling"] == "regression" and found["pairs"] == 12
    assert found["ratio"]["lo"] <= 1 / 1.1 <= found["ratio"]["hi"]
    assert "REGRESSION" in result.stdout and "1 REGRESSION." in result.stdout


def test_ten_percent_less_is_improved(side, tmp_path):
    assert gate(side("base"), side("head", ms=0.9), tmp_path / "gate").returncode == 0
    assert ruling(tmp_path / "gate")["ruling"] == "improved"


def test_what_sixty_pairs_do_not_decide_is_inconclusive_and_strict_says_so(side, tmp_path):
    result = gate(side("base", noise=0.15), side("head", noise=0.15, ms=1.034), tmp_path / "gate", "--strict")
    assert result.returncode == 12, result.stderr
    found = ruling(tmp_path / "gate")
    assert found["ruling"] == "inconclusive" and found["pairs"] == 60
    assert len(rows(tmp_path / "gate")) == 180  # the control in every round
    assert found["reason"] == "60 pairs do not distinguish a slowdown below 2 % from one above 5 %"
    assert call("gate", "--from", tmp_path / "gate").returncode == 0


def test_a_base_that_differs_from_itself_proves_nothing(side, tmp_path):
    """With the same seed the order is the same: so the base can know which of its runs are the control's."""
    base, head = side("base"), side("head")
    gate(base, head, tmp_path / "plain")
    order = [row["variant"] for row in rows(tmp_path / "plain") if row["variant"] != "head"]
    pilots = runs_of(base) - len(order)
    control = [pilots + i + 1 for i, variant in enumerate(order) if variant == "control"]
    base = side("base", slow=control)
    base.with_name("fake.runs").unlink()
    result = gate(base, side("head", ms=1.1), tmp_path / "gate")
    assert result.returncode == 14, result.stdout
    found = ruling(tmp_path / "gate")
    assert found["control_moved"] is True and found["ruling"] == "regression"
    assert "UNPROVEN: the base differs from itself at one (1 REGRESSION)." in result.stdout


def test_a_head_that_crashes_is_not_measured(side, tmp_path):
    result = gate(side("base"), side("head", at={"*": "crash"}), tmp_path / "gate")
    assert result.returncode == 13
    assert "head: ended by signal 6" in ruling(tmp_path / "gate")["reason"]


def test_a_crash_in_round_five_keeps_what_was_measured(side, tmp_path):
    head = side("head", at={6: "crash"})  # a pilot, four rounds
    result = gate(side("base"), head, tmp_path / "gate")
    assert result.returncode == 13 and "head: ended by signal 6" in result.stdout
    measured = [row for row in rows(tmp_path / "gate") if row["variant"] == "head"]
    assert [row["status"] for row in measured] == ["ok"] * 4 + ["crash"]
    assert ruling(tmp_path / "gate")["pairs"] == 4


def test_one_crash_leaves_the_other_benchmarks_alone(side, tmp_path):
    names = ["one", "two"]
    result = gate(side("base", names=names), side("head", names=names, at={3: "error"}), tmp_path / "gate")
    assert result.returncode == 13
    _, found = rulings(tmp_path / "gate")
    assert sorted(line["ruling"] for line in found) == ["not_measured", "ok"]
    assert {line["reason"] for line in found} == {"head: no such file", "would have detected a slowdown of 5 %"}


@pytest.mark.parametrize("deed, reason", [
    ("error", "no such file"), ("nan", "the program reported no usable time"),
    ("empty", "the program wrote no result")])
def test_a_result_that_is_none_is_not_measured(side, tmp_path, deed, reason):
    result = gate(side("base"), side("head", at={"*": deed}), tmp_path / "gate")
    assert result.returncode == 13 and ruling(tmp_path / "gate")["reason"] == "head: " + reason


@pytest.mark.parametrize("where", ["base", "head"])
def test_a_time_of_nothing_is_neither_faster_nor_slower(side, tmp_path, where):
    deeds = {where: {"*": "zero"}}
    result = gate(side("base", at=deeds.get("base", {})), side("head", at=deeds.get("head", {})), tmp_path / "gate")
    assert result.returncode == 13, result.stdout
    found = ruling(tmp_path / "gate")
    assert found["ruling"] == "not_measured" and "a CPU time of 0 s cannot be compared" in found["reason"]


def test_what_is_not_counted_is_inconclusive_and_says_why(side, tmp_path):
    result = call("gate", "--base", side("base"), "--head", side("head", ms=1.9), "--out", tmp_path / "gate", "--metric", "instructions",
                  env=os.environ | {"PATH": "/nonexistent"})
    assert result.returncode == 13, result.stdout  # nothing could be measured
    found = ruling(tmp_path / "gate")
    assert found["ruling"] == "inconclusive" and "instructions were not counted: valgrind is not installed" in found["reason"]
    assert "nan" not in result.stdout and "instructions" not in found


def test_programs_that_take_no_count_run_for_equal_times(side, tmp_path):
    result = gate(side("base", counts=False), side("head", counts=False, ms=1.2), tmp_path / "gate")
    assert result.returncode == 10, result.stderr
    found = ruling(tmp_path / "gate")
    assert found["iteration_counts_differ"] is True  # 5 and 4


def test_a_program_that_does_not_ask_what_it_has_not_understood_is_not_given_counts(side, tmp_path):
    assert gate(side("base", unheard=True), side("head", unheard=True), tmp_path / "gate").returncode == 0
    assert {row["iterations"] for row in rows(tmp_path / "gate")} == {5}  # and not 500, the library's half a second


def test_a_pilot_is_shared_and_one_that_dies_leaves_the_others_alone(side, tmp_path):
    names = [f"number {i}" for i in range(60)]
    base, head = side("base", names=names), side("head", names=names, at={1: "crash"})
    gate(base, head, tmp_path / "gate", "--budget", "1ms", "--limit", "5s")
    gate(base, head, tmp_path / "two", "--filter", "number [12]$")
    assert [line["ruling"] for line in rulings(tmp_path / "two")[1]] == ["ok", "ok"]
    benchmarks = json.loads((tmp_path / "two/gate.json").read_text())["benchmarks"]
    assert not [one["trouble"] for one in benchmarks if one["trouble"]]
    plain = side("plain", names=names)
    gate(plain, plain, tmp_path / "all", "--budget", "3s")
    assert not [row for row in rows(tmp_path / "all") if row["status"] != "ok"]
    benchmarks = json.loads((tmp_path / "all/gate.json").read_text())["benchmarks"]
    assert {(one["iterations"], one["batches"]) for one in benchmarks} == {(5, 10)}
    assert runs_of(plain) <= 4 + len(rows(tmp_path / "all")) + 1  # two groups on both sides, and what was cut off


# Programs of our kit

def test_the_kit_takes_counts():
    result = subprocess.run([EMPTY, "--benchmark_filter=^empty/number:7/variant:baseline$", "--benchmark_min_time=7x",
                             "--benchmark_format=json"], capture_output=True, text=True, timeout=60)
    [one] = json.loads(result.stdout)["benchmarks"]
    assert one["iterations"] == 7


def lying(path):
    """The real program, but each digest "the same" becomes "another"."""
    return script(path, f'{FAULTS} "$@"; code=$?\nfor word; do case "$word" in --benchmark_out=*) '
                        f'sed -i "s/the same/another/" "${{word#*=}}";; esac; done; exit $code')


def test_another_digest_is_wrong_output_unless_it_is_new_on_purpose(tmp_path):
    name = "^faults/deed:lie/size:1/variant:baseline$"
    head = lying(tmp_path / "faults")
    result = gate(FAULTS, head, tmp_path / "gate", "--filter", name)
    assert result.returncode == 13, result.stderr
    found = ruling(tmp_path / "gate")
    assert found["ruling"] == "wrong_output" and "'the same'" in found["reason"] and "'another'" in found["reason"]
    result = gate(FAULTS, head, tmp_path / "new", "--filter", name, "--new-output", "--budget", "300ms")
    assert ruling(tmp_path / "new")["ruling"] == "inconclusive"


def test_a_check_that_fails_is_wrong_output(tmp_path):
    result = gate(FAULTS, FAULTS, tmp_path / "gate", "--filter", "deed:wrong/size:1/variant:baseline")
    assert result.returncode == 13
    assert ruling(tmp_path / "gate")["reason"] == "base: wrong: 2 and 2 made 5"
    assert ruling(tmp_path / "gate")["ruling"] == "wrong_output"


@plain_build_only
@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_instructions_of_the_same_program_are_the_same(tmp_path):
    result = call("gate", "--base", EMPTY, "--head", EMPTY, "--out", tmp_path / "gate", "--metric", "instructions",
                  "--filter", "number:1/variant:baseline", "--batch", "5ms", "--time-unchanged")
    assert result.returncode == 0, result.stderr
    found = ruling(tmp_path / "gate")
    assert found["ruling"] == "ok" and found["metric"] == "instructions", found
    assert found["instructions"]["base"] > 0 and abs(found["instructions"]["change"]) < 0.001
    assert not (tmp_path / "gate/rows.jsonl").exists() or not rows(tmp_path / "gate")  # no pair was run
