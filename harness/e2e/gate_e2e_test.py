"""`cliffbench gate` from outside, on made-up programs (test_data/fake_benchmark.py): no clock decides anything."""

import collections
import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import pytest

from built import EMPTY, FAULTS, call, edit_json, limited_memory_only, plain_build_only, rows, sentence, unsealed
from made_gate import FAST, gate, program, ruling, rulings, runs_of, script


# Rulings and exit codes

def test_the_same_twice_is_ok_after_twelve_pairs(side, tmp_path):
    result = gate(side("base"), side("head"), tmp_path / "gate")
    assert result.returncode == 0, result.stderr + result.stdout
    found = ruling(tmp_path / "gate")
    assert (found["ruling"], found["pairs"], found["metric"]) == ("ok", 12, "cpu")
    assert "fake is the same file on both sides" in result.stdout
    written = rows(tmp_path / "gate")
    assert len(written) == 36
    [count] = {row["iterations"] for row in written}  # one for both sides
    assert count == 5  # of 1 ms each, in ten batches of 5 ms
    assert len({(row["round"], row["variant"]) for row in written}) == 36
    orders = {tuple(row["variant"] for row in written if row["round"] == n) for n in range(1, 13)}
    assert len(orders) > 2  # drawn for each pair
    assert not (tmp_path / "gate/scratch").exists() and not (tmp_path / "gate/sides").exists()


def test_of_several_batches_the_fastest_counts(side, tmp_path):
    """What disturbs some batches of a process moves nothing; what slows all of them is found."""
    disturbed = [1, 1.5, 3, 1, 1, 1.5, 1, 1, 1, 1]
    gate(side("base"), side("head", batches=disturbed), tmp_path / "same")
    assert ruling(tmp_path / "same")["ruling"] == "ok"
    gate(side("base", batches=disturbed), side("head", ms=1.1), tmp_path / "slower")
    assert ruling(tmp_path / "slower")["ruling"] == "regression"


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
    assert found["reason"] == "60 pairs did not decide between a change under 2 % and one over 5 %"
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
    assert {line["reason"] for line in found} == {"head: no such file", "a slowdown of 5 % would have shown"}


@pytest.mark.parametrize("deed, reason", [
    ("error", "no such file"), ("nan", "the program wrote no valid result: it is not valid JSON"),
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
    assert found["ruling"] == "not_measured" and "a wall time of 0 s cannot be compared" in found["reason"]


def test_what_is_not_counted_is_inconclusive_and_says_why(side, tmp_path):
    result = call("gate", "--base", side("base"), "--head", side("head", ms=1.9), "--out", tmp_path / "gate", "--metric", "instructions",
                  env=os.environ | {"PATH": "/nonexistent"})
    assert result.returncode == 13, result.stdout  # nothing could be measured
    found = ruling(tmp_path / "gate")
    assert found["ruling"] == "inconclusive" and "instructions are not counted: valgrind is not installed" in found["reason"]
    assert "nan" not in result.stdout and "instructions" not in found


def test_programs_that_take_no_count_run_for_equal_times(side, tmp_path):
    result = gate(side("base", counts=False), side("head", counts=False, ms=1.2), tmp_path / "gate")
    assert result.returncode == 10, result.stderr
    found = ruling(tmp_path / "gate")
    assert found["iteration_counts_differ"] is True  # 5 and 4
    assert "iteration counts differ between the sides" in result.stdout


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


# Margins, and what the programs are given

def test_the_margins_are_flags_and_stand_in_every_ruling(side, tmp_path):
    flags = ["--margin", "8%", "--must-find", "15%"]
    result = gate(side("base"), side("head", ms=1.05), tmp_path / "gate", *flags)
    assert result.returncode == 0 and ruling(tmp_path / "gate")["reason"] == "a slowdown of 15 % would have shown"
    assert "(margin 8 %, 15 % would have shown)" in result.stdout
    assert gate(side("base"), side("head", ms=1.1), tmp_path / "slow", *flags).returncode == 10
    assert ruling(tmp_path / "slow")["reason"] == "slower by more than 8 %"
    assert call("gate", "--from", tmp_path / "slow").returncode == 10
    assert ruling(tmp_path / "slow")["reason"] == "slower by more than 8 %"  # and not by 2
    help_ = " ".join(call("gate", "--help").stdout.split())
    assert "--margin" in help_ and "default: 2%" in help_ and "--must-find" in help_ and "5%)" in help_ and "at most 1 %" in help_


def test_arguments_after_the_dashes_reach_both_programs_and_the_command_that_measures_again(side, tmp_path):
    own = ["--data", "my file"]
    base, head = side("base", own=own), side("head", own=own, ms=1.1)
    result = gate(base, head, tmp_path / "gate", "--", *own)
    assert result.returncode == 10, result.stderr
    again = f"measure the first alone: cliffbench gate --base {base} --head {head} --filter '^one$' -- --data 'my file'"
    assert again in result.stdout.splitlines()
    assert gate(base, head, tmp_path / "none").returncode == 13
    resumed = call("gate", "--base", base, "--head", head, "--resume", tmp_path / "gate")
    assert resumed.returncode == 2 and "called the programs with --data my file" in sentence(resumed)
    refused = gate(base, head, tmp_path / "no", "--", "--benchmark_filter=x")
    assert refused.returncode == 2 and "is chosen by the gate" in sentence(refused)


def test_the_programs_have_the_user_s_folder_and_environment(side, tmp_path):
    here = [str(tmp_path), "of mine", "xx_XX"]
    result = gate(side("base", here=here), side("head", here=here), tmp_path / "gate", cwd=tmp_path,
                  env=os.environ | {"MINE": "of mine", "LC_ALL": "xx_XX"})
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("flag", ["BENCHMARK_REPETITIONS=3", "BENCHMARK_LIST_TESTS=true", "BENCHMARK_FILTER=nothing", "BENCHMARK_DRY_RUN=true"])
def test_flags_of_the_library_in_the_environment_change_nothing(tmp_path, flag):
    name, _, value = flag.partition("=")
    surroundings = os.environ | {name: value}
    choice = ["--filter", "number:1/variant:baseline"]
    result = call("gate", "--base", EMPTY, "--head", EMPTY, *choice, "--budget", "1s", "--out", tmp_path / "gate", env=surroundings)
    assert result.returncode == 0, result.stdout + result.stderr
    assert {row["status"] for row in rows(tmp_path / "gate")} == {"ok"}
    result = call("run", EMPTY, "--axis", "number=1", "--rounds", 1, "--out", tmp_path / "run", env=surroundings)
    assert result.returncode == 0 and [row["status"] for row in rows(tmp_path / "run")] == ["ok"] * 2, result.stderr


def test_without_out_it_keeps_to_a_folder_that_git_does_not_see(side, tmp_path):
    result = call("gate", "--base", side("base"), "--head", side("head"), *FAST, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    [folder] = [path for path in (tmp_path / "cliffbench-gate").iterdir() if path.is_dir()]
    assert f"cliffbench-gate/{folder.name}" in result.stdout
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    seen = subprocess.run(["git", "status", "--short"], cwd=tmp_path, capture_output=True, text=True).stdout
    assert "base" in seen and "cliffbench-gate" not in seen


def test_each_benchmark_is_printed_once(side, tmp_path):
    names = ["one", "two", "three"]
    result = call("gate", "--base", side("base", names=names), "--head", side("head", names=names, ms=1.1, at={9: "crash"}), "--seed", 1,
                  "--out", tmp_path / "gate", "--instructions", "always", env=os.environ | {"PATH": "/nonexistent"})
    assert result.returncode == 13
    lines = [line for line in result.stdout.splitlines() if "pairs  cpu" in line]
    assert sorted(line.split()[-1] for line in lines) == sorted(names)
    assert "with all that is known" not in result.stdout


# Hundreds of benchmarks

def test_a_budget_decides_as_many_as_it_can_the_slow_looking_first(side, tmp_path):
    """Forty benchmarks and time for some: not all are begun, and none has more pairs than the slow one."""
    names = [f"number {i:02}" for i in range(40)]
    base, head = side("base", names=names), side("head", names=names, slower="number 33")
    result = gate(base, head, tmp_path / "gate", "--budget", "12s")
    summary, found = rulings(tmp_path / "gate")
    assert result.returncode in (0, 10), result.stderr
    measured = collections.Counter(row["name"] for row in rows(tmp_path / "gate"))
    assert len(measured) < 40 and measured["number 33"] == max(measured.values())
    decided = [line for line in found if line["ruling"] != "inconclusive"]
    assert 0 < summary["open"] == len(found) - len(decided) and summary["decisions"] == 40
    assert f"{summary['open']} of 40 are still open; to continue, repeat the command with --resume {tmp_path / 'gate'}" in result.stdout


# Names and sides

def test_names_of_one_side_are_listed_and_those_of_both_compared(side, tmp_path):
    base = side("base", names=["one", "gone", "twice", "twice", "before", "before", "after"])
    head = side("head", names=["new", "one", "twice", "twice", "before", "after", "after"])
    result = gate(base, head, tmp_path / "gate")
    assert result.returncode == 0, result.stderr
    assert "only the base has benchmark: gone" in result.stdout
    assert "only the head has benchmark: new" in result.stdout
    for name in ("twice", "before", "after"):
        assert result.stdout.count(f"{name} is the name of several benchmarks, so it is left out") == 1
    summary, found = rulings(tmp_path / "gate")
    notes = [note for note in summary["notes"] if "favours neither side" not in note]  # on a busy machine
    assert [line["name"] for line in found] == ["one"] and len(notes) == 5


def test_a_filter_chooses(side, tmp_path):
    names = ["parse/1", "parse/2", "print"]
    assert gate(side("base", names=names), side("head", names=names), tmp_path / "gate", "--filter", "parse/[2]").returncode == 0
    assert ruling(tmp_path / "gate")["name"] == "parse/2"


def test_names_with_signs_of_expressions_are_met_exactly(side, tmp_path):
    names = ["a<int, 3>/(x):1.5|[*]", "a<int, 3>/(x):105|[*]"]
    base, head = (side(where, names=names, regex=True) for where in ("base", "head"))
    assert gate(base, head, tmp_path / "gate").returncode == 0
    assert [(line["name"], line["ruling"]) for line in rulings(tmp_path / "gate")[1]] == [(name, "ok") for name in names]


def test_two_build_folders_are_compared_by_program(tmp_path):
    for where, names in (("old", ["both", "gone"]), ("new", ["both", "added"])):
        for name in names:
            program(tmp_path / where / "cases", name, ms=1.1 if where == "new" else 1)
    result = gate(tmp_path / "old", tmp_path / "new", tmp_path / "gate")
    assert result.returncode == 10, result.stderr
    assert "only the base has program: gone" in result.stdout
    assert "only the head has program: added" in result.stdout
    assert ruling(tmp_path / "gate")["program"] == "both"


def test_files_of_other_names_are_compared_under_one(tmp_path):
    result = gate(program(tmp_path, "before"), program(tmp_path, "after", ms=1.1), tmp_path / "gate")
    assert result.returncode == 10, result.stderr


def test_a_list_that_changes_between_the_sides_has_nothing_in_common(side, tmp_path):
    base, head = side("base", moody=True), side("head", moody=True)
    head.with_name("fake.listed").write_text("7")
    result = gate(base, head, tmp_path / "gate")
    assert result.returncode == 2 and "have no benchmark in common" in sentence(result)


def test_a_list_that_changes_after_the_start_is_not_measured(side, tmp_path):
    result = gate(side("base", moody=True), side("head", moody=True), tmp_path / "gate")
    assert result.returncode == 13
    assert ruling(tmp_path / "gate")["reason"] == "base: the program gave 0 results instead of one named one1"


# Stopping, going on, judging again

def test_stopped_in_a_pair_and_resumed_it_loses_and_doubles_nothing(side, tmp_path):
    """The head's run 6 (round 5) stops the gate. With this seed the base had been measured: the pair is split."""
    base, head, folder = side("base"), side("head", at={6: "interrupt"}, ms=1.1), tmp_path / "gate"
    stopped = gate(base, head, folder, seed=3)
    assert stopped.returncode == 130 and f"--resume {folder}" in stopped.stdout
    before = rows(folder)
    assert [row["variant"] for row in before if row["round"] == 5][0] != "head"
    assert "base" in [row["variant"] for row in before if row["round"] == 5]
    resumed = call("gate", "--base", base, "--head", head, "--resume", folder, *FAST)
    assert resumed.returncode == 10, resumed.stderr
    after = rows(folder)
    assert after[:len(before)] == before
    assert [row["position"] for row in after] == list(range(len(after)))
    assert len({(row["session"], row["round"], row["variant"]) for row in after}) == len(after)
    rounds = {row["round"]: row["session"] for row in after}
    assert rounds[5] == 1 and rounds[6] == 2 and {row["session"] for row in after} == {1, 2}
    assert ruling(folder)["pairs"] == 12 == len([row for row in after if row["variant"] == "head"])
    assert len([row for row in after if row["variant"] == "base"]) == 13
    own = sum(row["process_s"] for row in after if row["session"] == 2)  # as its seconds are
    assert abs(rulings(folder)[0]["measured_s"] - own) < 1e-6


def test_other_programs_are_not_resumed(side, tmp_path):
    base, head = side("base"), side("head")
    gate(base, head, tmp_path / "gate", "--budget", "1ms")
    head.write_text(head.read_text() + "\n# built anew\n")
    result = call("gate", "--base", base, "--head", head, "--resume", tmp_path / "gate")
    assert result.returncode == 2 and "compared other programs" in sentence(result)


def test_another_machine_does_not_go_on(side, tmp_path):
    base, head, folder = side("base"), side("head"), tmp_path / "gate"
    assert gate(base, head, folder).returncode == 0
    [session] = (folder / "sessions").iterdir()
    edit_json(session, lambda record: record["machine"].update(id="another-" + record["machine"]["id"]))
    result = call("gate", "--base", base, "--head", head, "--resume", folder)
    assert result.returncode == 2 and "was begun on the machine another-" in sentence(result)


@limited_memory_only
def test_memory_is_limited_for_the_measured_programs_too(tmp_path):
    eat = f"{sys.executable} -c 'x = bytearray(400_000_000)'"
    result = call("compare", eat, "true", "--memory-limit", "200MB", "--out", tmp_path / "compare")
    assert result.returncode == 13 and "NOT MEASURED" in result.stdout
    result = call("compare", eat, "true", "--memory-limit", "2GB", "--budget", "8s", "--trust-times", "--out", tmp_path / "enough")
    assert result.returncode in (0, 14) and "NOT MEASURED" not in result.stdout


@limited_memory_only
@pytest.mark.parametrize("run", ["*", 7])  # in its pilot; in a pair
def test_the_memory_of_a_gate_s_programs_is_limited(side, tmp_path, run):
    result = gate(side("base"), side("head", at={run: "eat"}), tmp_path / "gate", "--memory-limit", "200MB")
    found = ruling(tmp_path / "gate")
    assert result.returncode == 13 and found["ruling"] == "not_measured" and "out of memory" in found["reason"], found
    enough = gate(tmp_path / "base/fake", tmp_path / "head/fake", tmp_path / "enough", "--memory-limit", "2GB")
    assert ruling(tmp_path / "enough")["ruling"] != "not_measured", enough.stdout


def test_a_budget_leaves_the_rest_inconclusive_and_resume_decides_it(side, tmp_path):
    base, head, folder = side("base"), side("head", at={6: "hang"}), tmp_path / "gate"  # a pilot, four rounds
    result = gate(base, head, folder, "--budget", "10s", "--strict")
    assert result.returncode == 12, result.stderr
    found = ruling(folder)
    assert found["ruling"] == "inconclusive" and found["pairs"] == 4
    assert found["reason"] == "only 4 pairs were measured; the first look is at 12"
    resumed = call("gate", "--base", base, "--head", head, "--resume", folder, "--trust-times", "--strict")
    assert resumed.returncode == 0 and ruling(folder)["ruling"] == "ok"


@pytest.mark.parametrize("flag", [["--metric", "wall"], ["--filter", "one"], ["--budget", "1m"], ["--margin", "3%"]])
def test_ruling_again_obeys_or_refuses(side, tmp_path, flag):
    gate(side("base"), side("head"), tmp_path / "gate", "--budget", "1ms")
    result = call("gate", "--from", tmp_path / "gate", *flag)
    assert result.returncode == 2 and f"takes no {flag[0]}" in sentence(result)


def test_a_folder_is_judged_again_without_a_process(side, tmp_path):
    folder = tmp_path / "gate"
    names = ["one", "two"]
    gate(side("base", names=names), side("head", names=names, ms=1.1), folder)
    _, before = rulings(folder)
    shutil.rmtree(tmp_path / "base")
    shutil.rmtree(tmp_path / "head")
    (folder / "rulings.jsonl").unlink()
    again = call("gate", "--from", folder)
    assert again.returncode == 10, again.stderr
    assert rulings(folder)[1] == before


def test_the_verbs_of_runs_know_a_gate(side, tmp_path):
    names, folder = ["one", "two"], tmp_path / "gates/first"
    gate(side("base", names=names), side("head", names=names, ms=1.1), folder)
    for place in (folder, folder.parent):
        status = call("status", place)
        assert status.returncode == 0 and status.stdout.startswith(f"{folder}: gate 20")
        assert status.stdout.endswith(", 2 of 2 benchmarks decided, 24 pairs\n")
    (tmp_path / "latest").symlink_to(folder.parent)
    assert call("status", tmp_path / "latest").stdout.startswith(f"{tmp_path}/latest/first: gate 20")
    _, before = rulings(folder)
    (folder / "rulings.jsonl").unlink()
    assert call("judge", folder).returncode == 10 and rulings(folder)[1] == before
    refused = {("judge", folder, "--claim", "c v ratio >= 2"): "--claim is about a run",
               ("merge", folder, folder, "--out", tmp_path / "both"): "cliffbench gate --from"}
    for words, text in refused.items():
        result = call(*words)
        assert result.returncode == 2 and text in sentence(result)
    assert not (tmp_path / "both").exists()


def test_the_status_of_a_gate_that_was_stopped(side, tmp_path):
    gate(side("base"), side("head"), tmp_path / "gate", "--budget", "1ms")
    assert call("status", tmp_path / "gate").stdout.endswith(", 0 of 1 benchmarks decided, 0 pairs, not running\n")
    (tmp_path / "gate/gate.json").write_text("{")
    result = call("status", tmp_path / "gate")
    assert result.returncode == 13 and "gate.json" in sentence(result)


def test_a_damaged_row_is_named(side, tmp_path):
    gate(side("base"), side("head"), tmp_path / "gate")
    file = tmp_path / "gate/rows.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[:3] + [lines[3][:40]] + lines[4:]) + "\n")
    result = call("gate", "--from", tmp_path / "gate")
    assert result.returncode == 0 and "line 4 is damaged and was left out" in result.stdout
    file.write_text(unsealed(lines[0], name="other") + "\n")
    result = call("gate", "--from", tmp_path / "gate")
    assert result.returncode == 13 and "a row of another gate" in sentence(result)


def test_the_forms_of_output(side, tmp_path):
    names = [f"number|{i}" for i in range(10)]
    base, head = side("base", names=names, regex=True), side("head", names=names, ms=1.1, regex=True)
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    result = gate(base, head, tmp_path / "gate", "--filter", "[01]$",
                  env=os.environ | {"GITHUB_STEP_SUMMARY": str(summary)})
    assert result.returncode == 10
    head, found = rulings(tmp_path / "gate")
    assert head["exit"] == 10 and head["sentence"] == "2 REGRESSION." and 0 < head["control_s"] < head["measured_s"] <= head["seconds"]
    markdown = (tmp_path / "gate/rulings.md").read_text()
    assert len(markdown.splitlines()) == 8 and "number\\|1" in markdown
    assert summary.read_text() == "before\n" + markdown
    suite = xml.etree.ElementTree.parse(tmp_path / "gate/rulings.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "2", "0")
    assert [case.get("name") for case in suite] == ["number|0", "number|1"]
    assert all(case.find("failure").get("message") == "regression" for case in suite)


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
                  "--filter", "number:1/variant:baseline", "--batch", "5ms")
    assert result.returncode == 0, result.stderr
    found = ruling(tmp_path / "gate")
    assert found["ruling"] == "ok" and found["metric"] == "instructions", found
    assert found["instructions"]["base"] > 0 and abs(found["instructions"]["change"]) < 0.001
    assert not (tmp_path / "gate/rows.jsonl").exists() or not rows(tmp_path / "gate")  # no pair was run
