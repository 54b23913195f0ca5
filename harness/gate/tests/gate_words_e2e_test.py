"""The words that a gate takes and those that it hands to its programs: margins, arguments, filters, names, the sides; and many
benchmarks."""

import collections
import json
import os
import subprocess

import pytest
from built import EMPTY, call, rows, sentence
from made_gate import FAST, gate, program, ruling, rulings

# Margins, and what the programs are given


def test_arguments_after_the_dashes_reach_both_programs(side, tmp_path):
    own = ["--data", "my file"]
    base, head = side("base", own=own), side("head", own=own, ms=1.1)
    assert gate(base, head, tmp_path / "gate", "--", *own).returncode == 10
    assert gate(base, head, tmp_path / "none").returncode == 13
    resumed = call("gate", "--base", base, "--head", head, "--resume", tmp_path / "gate")
    assert resumed.returncode == 2 and "measured the programs with the arguments --data my file" in sentence(resumed)
    refused = gate(base, head, tmp_path / "no", "--", "--benchmark_filter=x")
    assert refused.returncode == 2 and "the gate sets --benchmark_filter=x itself" in sentence(refused)


def test_the_programs_have_the_user_s_folder_and_environment(side, tmp_path):
    here = [str(tmp_path), "of mine", "xx_XX"]
    result = gate(side("base", here=here), side("head", here=here), tmp_path / "gate", cwd=tmp_path,
                  env=os.environ | {"MINE": "of mine", "LC_ALL": "xx_XX"})
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("flag", ["BENCHMARK_REPETITIONS=3", "BENCHMARK_LIST_TESTS=true", "BENCHMARK_FILTER=nothing",
                                  "BENCHMARK_DRY_RUN=true"])
def test_flags_of_the_library_in_the_environment_change_nothing(tmp_path, flag):
    name, _, value = flag.partition("=")
    surroundings = os.environ | {name: value}
    choice = ["--filter", "number:1/variant:baseline"]
    result = call("gate", "--base", EMPTY, "--head", EMPTY, *choice, "--budget", "1s", "--out", tmp_path / "gate", "--time-unchanged",
                  env=surroundings)
    assert result.returncode in (0, 13), result.stdout + result.stderr  # as many pairs as a second reaches
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
    assert result.returncode == 10  # regressions decide, also beside one that crashed
    lines = [line for line in result.stdout.splitlines() if "pairs  cpu" in line]
    assert sorted(line.split()[-1] for line in lines) == sorted(names)
    assert "with all that is known" not in result.stdout


# Hundreds of benchmarks

def test_where_time_is_short_those_that_look_slow_are_measured_again(side, tmp_path):
    """A hundred and twenty benchmarks and time for a pair or two of each: only new pairs of the slow one decide, and it has most."""
    names = [f"number {i:03}" for i in range(120)]
    base, head = side("base", names=names, sleep_s=0.005), side("head", names=names, sleep_s=0.005, slower="number 033")
    result = gate(base, head, tmp_path / "gate", "--budget", "12s")
    summary, found = rulings(tmp_path / "gate")
    assert result.returncode == 10, result.stdout + result.stderr
    assert [line["name"] for line in found if line["ruling"] == "regression"] == ["number 033"]
    plan = json.loads((tmp_path / "gate/gate.json").read_text())
    assert 0 <= plan["screening"] < 5 and [one["name"] for one in plan["benchmarks"] if one["suspect"]] == ["number 033"]
    measured = collections.Counter(row["name"] for row in rows(tmp_path / "gate"))
    pairs = next(line["pairs"] for line in found if line["name"] == "number 033")
    assert measured["number 033"] == max(measured.values()) == 3 * pairs + 2 * plan["screening"]
    assert "chose the slowest benchmarks" in result.stdout and call("gate", "--from", tmp_path / "gate").returncode == 10
    decided = [line for line in found if line["ruling"] != "inconclusive"]
    assert 0 < summary["open"] == len(found) - len(decided) and summary["decisions"] == 120
    go_on = f"to continue, repeat the command with --resume {tmp_path / 'gate'}, without --out"
    assert f"{summary['open']} benchmarks undecided; {go_on}" in result.stdout


# Names and sides

@pytest.mark.parametrize("words, name", [
    (["--filter=-parse"], "print"), (["--filter", "-parse"], "print"), (["--filter=parse/[2]"], "parse/2")])
def test_a_filter_chooses_and_with_a_dash_excludes(side, tmp_path, words, name):
    names = ["parse/1", "parse/2", "print"]
    assert gate(side("base", names=names), side("head", names=names), tmp_path / "gate", *words).returncode == 0
    assert ruling(tmp_path / "gate")["name"] == name
    call("gate", "--base", EMPTY, "--head", EMPTY, "--out", tmp_path / "kit", "--budget", "1ms", "--filter=-number:(.*[02-9]|..+)/|control")
    assert {line["name"] for line in rulings(tmp_path / "kit")[1]} == {"empty/number:1/variant:baseline"}


def test_two_build_folders_are_compared_by_program(tmp_path):
    for where, names in (("old", ["both", "gone"]), ("new", ["both", "added"])):
        for name in names:
            program(tmp_path / where / "cases", name, ms=1.1 if where == "new" else 1)
    result = gate(tmp_path / "old", tmp_path / "new", tmp_path / "gate")
    assert result.returncode == 10, result.stderr
    assert "only the base has program gone" in result.stdout
    assert "only the head has program added" in result.stdout
    assert ruling(tmp_path / "gate")["program"] == "both"


def test_a_list_that_changes_between_the_sides_has_nothing_in_common(side, tmp_path):
    base, head = side("base", moody=True), side("head", moody=True)
    head.with_name("fake.listed").write_text("7")
    result = gate(base, head, tmp_path / "gate")
    assert result.returncode == 13 and "have no benchmark in common" in sentence(result)


def test_a_list_that_changes_after_the_start_is_not_measured(side, tmp_path):
    result = gate(side("base", moody=True), side("head", moody=True), tmp_path / "gate")
    assert result.returncode == 13
    assert ruling(tmp_path / "gate")["reason"] == "base: the program gave 0 results instead of one named one2"
