"""`cliffbench gate` with programs as people write them: they print, hang, start slowly, have counters, labels and strange neighbours."""

import json
import time

import pytest
from built import call, rows, sentence
from made_gate import FAKE, gate, program, ruling, rulings, runs_of, script


@pytest.mark.parametrize("says", [["my_library 1.2.3", "one more line"], ["loaded in %d ns"], ["shows --benchmark_list_tests=true"]])
def test_what_a_program_prints_is_no_benchmark(tmp_path, says):
    for side in ("base", "head"):
        program(tmp_path / side, says=says, names=["one", "two words"])
    result = gate(tmp_path / "base/fake", tmp_path / "head/fake", tmp_path / "gate")
    assert result.returncode == 0, result.stdout + result.stderr
    assert {line["name"] for line in rulings(tmp_path / "gate")[1]} == {"one", "two words"}


def test_a_program_of_a_folder_that_is_no_benchmark_is_named_and_run_once(tmp_path):
    for side in ("base", "head"):
        program(tmp_path / side)
        script(tmp_path / side / "unit_tests", f"echo {side} >>{tmp_path}/ran; echo 3 tests, all well")
        script(tmp_path / side / "quiet_tests", f"echo {side} >>{tmp_path}/ran")
        script(tmp_path / side / "failing_tests", f"echo {side} >>{tmp_path}/ran; exit 3")
    result = gate(tmp_path / "base", tmp_path / "head", tmp_path / "gate")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "left out because they are not Google Benchmark programs: failing_tests, quiet_tests, unit_tests" in result.stdout
    assert (tmp_path / "ran").read_text() == "base\n" * 3
    for side in ("base", "head"):
        (tmp_path / side / "fake").unlink()
    result = gate(tmp_path / "base", tmp_path / "head", tmp_path / "none")
    assert result.returncode == 2 and "no Google Benchmark program in common" in sentence(result) and "unit_tests" in sentence(result)


def test_a_head_that_hangs_is_named_and_the_others_go_on(side, tmp_path):
    names = ["first", "hangs", "last"]
    result = gate(side("base", names=names), side("head", names=names, hangs="hangs"), tmp_path / "gate", "--limit", "1s")
    assert result.returncode == 13
    found = {line["name"]: line for line in rulings(tmp_path / "gate")[1]}
    assert [found[name]["ruling"] for name in names] == ["ok", "not_measured", "ok"]
    assert found["hangs"]["reason"].startswith("head: gave no result in ") and "(the base took " in found["hangs"]["reason"]


def test_a_name_of_several_benchmarks_is_refused(side, tmp_path):
    base, head = side("base", names=["same", "other", "same"]), side("head", names=["same", "other"])
    result = gate(base, head, tmp_path / "gate")
    assert result.returncode == 2 and "has several benchmarks named same" in sentence(result)
    assert not (tmp_path / "gate").exists()
    assert gate(base, head, tmp_path / "gate", "--filter", "-^same$").returncode == 0


def test_two_filters_that_cannot_pair_benchmarks_are_refused(side, tmp_path):
    path = side("base", names=["old/8", "old/64", "new/8"])
    for words, text in ((["--filter", "old.*", "--head-filter", "new"], "differ only in what"),
                        (["--filter", "-old", "--head-filter", "new"], "cannot exclude")):
        result = gate(path, path, tmp_path / "other", *words)
        assert result.returncode == 2 and text in sentence(result)


def test_a_counter_that_cannot_decide_is_refused(side, tmp_path):
    base, head = side("base", counters={"other": 1}), side("head")
    result = gate(base, head, tmp_path / "none", "--metric", "counter:other")
    assert result.returncode == 13 and "no benchmark has a counter named other on both sides" in sentence(result)
    for words in (["--metric", "cpu", "--metric", "wall"], ["--metric", "counter:"], ["--larger-is-better", "x"],
                  ["--metric", "instructions", "--metric", "counter:allocs"]):
        assert gate(base, head, tmp_path / "none", *words).returncode == 2
    result = gate(base, side("counts", counters={"other": 2}), tmp_path / "late", "--metric", "counter:other", "--budget", "1ms")
    assert "the budget ended before the first pilot run" in result.stdout  # so none has said which counters it has


def test_a_margin_of_no_benchmark_or_too_large_a_one_is_refused(side, tmp_path):
    base, head = side("base", names=["parse/1", "parse/2"]), side("head", names=["parse/1", "parse/2"])
    for words, text in ((["--margin", "prase=10%"], "--margin prase=10%: no benchmark matches"),
                        (["--margin", "parse=10%", "--must-find", "/2=8%"],
                         "parse/2: its --margin 10% must be less than its --must-find 8%")):
        result = gate(base, head, tmp_path / "none", *words)
        assert result.returncode == 2 and text in sentence(result) and not (tmp_path / "none").exists()


def test_the_library_s_warm_up_is_passed_on(side, tmp_path):
    flag = "--benchmark_min_warmup_time=0.5"
    base, head = side("base", own=[flag]), side("head", own=[flag])  # must stand first
    assert gate(base, head, tmp_path / "gate", "--", flag).returncode == 0


def test_each_side_has_its_own_name_and_neighbours(tmp_path):
    """Programs find files by the path that they were started by."""
    for name in ("old_program", "new"):
        program(tmp_path / name, name=name, beside=".data")
        (tmp_path / name / f"{name}.data").touch()
    result = gate(tmp_path / "old_program/old_program", tmp_path / "new/new", tmp_path / "gate")
    assert result.returncode == 0, result.stdout + result.stderr
    assert ruling(tmp_path / "gate")["program"] == "new"


def test_where_starting_is_what_costs_a_process_measures_all(side, tmp_path):
    names = [f"number{i}" for i in range(8)]
    base, head = side("base", names=names, start_s=0.12), side("head", names=names, start_s=0.12, slower="number3")
    result = gate(base, head, tmp_path / "gate", "--budget", "150s")
    assert result.returncode == 10, result.stdout + result.stderr
    found = {line["name"]: line["ruling"] for line in rulings(tmp_path / "gate")[1]}
    assert found == {name: "regression" if name == "number3" else "ok" for name in names}
    measured = rows(tmp_path / "gate")
    assert {(row["round"], row["variant"]) for row in measured if row["name"] == "number0"} >= {(1, "base"), (12, "head"), (12, "control")}
    assert runs_of(base) + runs_of(head) < len(measured) / 2
    benchmarks = json.loads((tmp_path / "gate/gate.json").read_text())["benchmarks"]
    assert {one["shares_process"] for one in benchmarks} == {True} and all(one["start_s"] > 0.12 for one in benchmarks)
    assert call("gate", "--from", tmp_path / "gate").returncode == 10


def test_of_a_shared_process_that_dies_each_is_measured_alone(side, tmp_path):
    names = ["first", "second", "third"]
    base, head = side("base", names=names, start_s=0.12), side("head", names=names, start_s=0.12, at={3: "crash"})
    result = gate(base, head, tmp_path / "gate", "--budget", "60s")
    assert result.returncode == 0, result.stdout + result.stderr
    assert [line["ruling"] for line in rulings(tmp_path / "gate")[1]] == ["ok"] * 3


@pytest.mark.parametrize("late, says", [("crash", "ended by signal 6"), ("unlisted", "ended by signal 6"), ("hang", "did not end")])
def test_a_program_that_ends_badly_after_its_results_is_measured(side, tmp_path, late, says):
    names = ["one", "two"]
    budget = ["--budget", "6s"] if late == "hang" else []
    result = gate(side("base", names=names), side("head", names=names, late=late, slower="two"), tmp_path / "gate", *budget)
    summary, found = rulings(tmp_path / "gate")
    assert any(note.startswith("fake: the head " + says) and note.endswith("they count") for note in summary["notes"]), result.stdout
    assert {row["status"] for row in rows(tmp_path / "gate")} == {"ok"}
    if late != "hang":  # each of its processes is waited for
        assert result.returncode == 10 and [line["ruling"] for line in found] == ["ok", "regression"], result.stderr


def test_what_never_answers_takes_no_longer_than_the_budget(side, tmp_path):
    start = time.monotonic()
    result = gate(side("base"), script(tmp_path / "head/fake", "exec sleep 600"), tmp_path / "gate", "--budget", "2s")
    assert result.returncode == 13 and "was stopped after" in sentence(result) and time.monotonic() - start < 30


@pytest.mark.parametrize("place", ["the path it was started by", "its own file"])
def test_names_with_the_path_of_their_side_are_compared(side, tmp_path, place):
    for where in ("base", "head"):
        (tmp_path / where).mkdir()
        path = '"$(dirname "$0")"' if place == "the path it was started by" else '"$(dirname "$(readlink -f "$0")")"'
        inner = tmp_path / where / "inner"
        settings = f'{{"regex": true, "names": ["read:%s/data.json", "same"], "ms": {1.2 if where == "head" else 1}}}'
        text = f"folder={path}; printf '#!%s\\n{settings}\\n'"
        script(tmp_path / where / "fake", f'{text} {FAKE} "$folder" >{inner}; chmod +x {inner}; exec {inner} "$@"')
    result = gate(tmp_path / "base/fake", tmp_path / "head/fake", tmp_path / "gate")
    assert result.returncode == 10, result.stdout + result.stderr
    assert {line["name"]: line["ruling"] for line in rulings(tmp_path / "gate")[1]} == {
        "read:*/data.json": "regression", "same": "regression"}
