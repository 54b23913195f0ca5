"""The built program from outside: exit codes, sentences, folders."""

import json
import signal
import subprocess
import time

import pytest
from built import (
    BUILD,
    CLIFFBENCH,
    EMPTY,
    FAULTS,
    ROOT,
    call,
    check_lines,
    rows,
    sealed,
    sentence,
    with_line,
    with_values,
)
from made_case import made_case

CLOCK_DECIDES = (0, 11, 14)  # judge's exit codes on real times: the machine decides which


def test_every_fault_is_its_own_status_and_the_run_goes_on(faulty):
    seen = {row["params"]["deed"]: (row["status"], row["reason"]) for row in rows(faulty) if row["variant"] == "baseline"}
    assert {deed: status for deed, (status, _) in seen.items()} == {
        "nothing": "ok", "crash": "crash", "exit": "crash", "hang": "timeout", "eat_memory": "oom",
        "throw": "failed", "fork": "ok", "flood": "ok", "senseless": "skipped", "slow_setup": "failed",
        "slow_check": "failed", "lie": "ok", "wrong": "wrong", "garbage": "failed"}
    assert seen["crash"][1] == "ended by signal 11 (Segmentation fault)"
    assert seen["throw"][1] == 'a reason with "quotes"'
    assert seen["exit"][1] == "ended with exit code 3"
    assert "gave no result in" in seen["slow_setup"][1]
    assert "check of the output took over" in seen["slow_check"][1]
    assert len(rows(faulty)) == 28
    assert not (faulty / "scratch").exists()


def test_rows_hold_what_was_measured(faulty):
    row = next(row for row in rows(faulty) if row["params"]["deed"] == "nothing" and row["variant"] == "baseline")
    assert 0.02 <= row["wall_s"] <= row["process_s"] and row["iterations"] == 1
    assert 0.02 <= row["stages"]["work"] <= row["wall_s"]
    assert 0 < row["rss_bytes"] <= row["process_rss_bytes"]
    assert 0 <= row["cpu_s"] < row["wall_s"]  # it sleeps
    hang = next(row for row in rows(faulty) if row["status"] == "timeout")
    assert hang["wall_s"] is None and hang["limit_s"] == 0.5


def test_the_judge_finds_the_lie_and_the_wrong_result(faulty):
    result = call("judge", faulty)
    assert result.returncode == 13
    check_lines(faulty)
    verdicts = [json.loads(line) for line in (faulty / "verdicts.jsonl").read_text().splitlines()]
    wrong = {(v["params"]["deed"], v["variant"]) for v in verdicts if v.get("status") == "wrong_output"}
    assert wrong == {("lie", "patched"), ("wrong", "baseline"), ("wrong", "patched")}
    assert not any(v["kind"] == "ratio" and v["params"]["deed"] in ("lie", "wrong") for v in verdicts)
    hang = next(v for v in verdicts if v["kind"] == "cell" and v["params"]["deed"] == "hang" and v["variant"] == "patched")
    assert hang["checked"] == "oracle only"


def test_larger_sizes_are_skipped_after_a_stop_and_stopped_cells_are_not_tried_again(tmp_path):
    folder = tmp_path / "run"
    call("run", FAULTS, "--axis", "deed=hang", "--variant", "baseline", "--rounds", 3, "--limit", 0.2, "--seed", 1,
         "--out", folder)
    seen = [(row["params"]["size"], row["status"], row["reason"]) for row in rows(folder)]
    assert len(seen) == 6
    assert [status for size, status, _ in seen if size == "1"] == ["timeout", "skipped", "skipped"]
    larger = [(status, reason) for size, status, reason in seen if size == "2"]
    assert all(status == "skipped" for status, _ in larger[1:])
    assert any("a smaller size did not finish" in reason or "earlier round" in reason for _, reason in larger)


def test_a_word_that_has_a_larger_size_is_skipped_after_a_stop(tmp_path):
    """The words of an axis such as `dims` have an order: after a stop at "default", "large" is not tried."""
    sizes = {"tiny": 1, "default": 16, "large": 64}
    program = made_case(tmp_path / "made", "time.sleep(99) if 'dims:default' in name else write()",
                        axes=(("dims", tuple(sizes)),), variants=("baseline",), limit_s=0.5,
                        describe=f"def describe(whole): whole['axes'][0]['sizes'] = {sizes}; return whole")
    assert call("run", program, "--rounds", 3, "--out", tmp_path / "run").returncode == 0
    seen = {size: [(row["status"], row["reason"]) for row in rows(tmp_path / "run") if row["params"]["dims"] == size] for size in sizes}
    assert seen["tiny"] == [("ok", "")] * 3 and [status for status, _ in seen["default"]] == ["timeout", "skipped", "skipped"]
    first, *later = seen["large"]  # which may have been first in the first round
    assert later == [("skipped", "a smaller size did not finish (dims:default)")] * 2 and first in [("ok", ""), later[0]]


def test_a_claim_of_a_time_is_decided_by_six_stopped_trials(tmp_path):
    """Two programs that hang for ever. The claim of one can be decided by its stops, so it is tried in every round."""
    for name, least, status, verdict in (("long", 0.4, "timeout", "held"), ("longer", 9.0, "skipped", "undecided")):
        program = made_case(tmp_path / name, "time.sleep(99)", axes=(("n", ("1",)),), variants=("baseline",), limit_s=0.4, name=name,
                            claims=[{"quantity": "time", "variant": "baseline", "against": "", "range": {"lo": least, "hi": None}}])
        assert call("run", program, "--out", tmp_path / f"run-{name}").returncode == 0
        assert [row["status"] for row in rows(tmp_path / f"run-{name}")] == ["timeout", *[status] * 5]
        call("judge", tmp_path / f"run-{name}")
        lines = map(json.loads, (tmp_path / f"run-{name}/verdicts.jsonl").read_text().splitlines())
        [claim] = [line for line in lines if line["kind"] == "claim"]
        assert (claim["verdict"], claim["seen"]["stopped"]) == (verdict, 6 if verdict == "held" else 1)


def test_a_run_is_judged_and_leaves_its_records(tmp_path):
    folder = tmp_path / "run"
    assert call("run", FAULTS, "--out", folder, "--seed", 3).returncode == 0
    result = call("judge", folder)
    assert result.returncode in CLOCK_DECIDES, result.stdout
    assert " of 1 claim hold" in result.stdout
    for name in ("plan.json", "programs/faults.json"):
        assert json.loads((folder / name).read_text())["schema"] == 1
    [session] = (folder / "sessions").glob("*.json")
    record = json.loads(session.read_text())
    assert record["machine"]["cores"] >= 1 and record["ended"] >= record["started"] and record["seed"] == 3


def test_a_signal_stops_it_with_words(tmp_path):
    folder = tmp_path / "run"
    run = subprocess.Popen([CLIFFBENCH, "run", FAULTS, "--axis", "deed=nothing", "--rounds", "50", "--out", folder],
                           stdout=subprocess.PIPE, text=True)
    while not (folder / "rows.jsonl").exists():
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    output, _ = run.communicate(timeout=20)
    assert run.returncode == 130
    assert f"continue with: cliffbench run {FAULTS} --resume {folder}" in output


def test_two_runners_never_share_a_row_file(tmp_path):
    folder = tmp_path / "run"
    first = subprocess.Popen([CLIFFBENCH, "run", FAULTS, "--axis", "deed=nothing", "--rounds", "50", "--out", folder],
                             stdout=subprocess.DEVNULL)
    while not (folder / "rows.jsonl").exists():
        time.sleep(0.01)
    second = call("run", FAULTS, "--resume", folder)
    first.kill()
    first.wait()
    assert second.returncode == 13 and "in use by another" in sentence(second)


@pytest.mark.parametrize("words, code, text", [
    (["run", "no_such_case"], 2, "there is no case 'no_such_case'"),
    (["run", FAULTS, "--axis", "colour=red"], 2, "there is no axis 'colour'; it is one of deed, size"),
    (["run", FAULTS, "--axis", "size=3"], 2, "the axis size has no value '3'; it is one of 1, 2"),
    (["run", FAULTS, "--axis", "size"], 2, "--axis takes NAME=VALUE"),
    (["run", FAULTS, "--variant", "fastest"], 2, "there is no variant 'fastest'; it is one of baseline, patched"),
    (["run", FAULTS, "--profile", "slow"], 2, "there is no profile 'slow'; it is one of quick"),
    (["run", FAULTS, "--resume", "/nowhere"], 2, "holds no run to resume"),
    (["run", FAULTS, "--out", "/proc/run"], 13, "cannot make the folder /proc/run"),
    (["run", BUILD / "test_cases/bare"], 13, "did not print a case's declaration"),
    (["judge", "/nowhere"], 13, "cannot read /nowhere/rows.jsonl"),
])
def test_bad_input_is_one_sentence_and_a_code(words, code, text):
    result = call(*words)
    assert result.returncode == code, result.stderr
    assert text in sentence(result)


@pytest.mark.parametrize("words, verb", [(["run", "--colour"], " run"), (["jump"], ""), (["run", FAULTS, "--rounds", "0"], " run"),
                                         (["judge"], " judge")])
def test_wrong_flags_are_usage_errors(words, verb):
    result = call(*words)
    assert result.returncode == 2 and sentence(result).endswith(f"; see `cliffbench{verb} --help`")


def test_alone_it_prints_its_help():
    result = call()
    assert result.returncode == 2 and result.stdout == call("--help").stdout and not result.stderr


@pytest.mark.parametrize("change, text", [
    (lambda line: with_values(line, schema=9), "line 4 has schema 9, this program reads schema 1"),
    (lambda line: sealed({key: value for key, value in json.loads(line).items() if key != "status"}), "line 4 has no field 'status'"),
])
def test_a_row_that_cannot_be_read_is_named_by_its_line(faulty, tmp_path, change, text):
    copy = with_line(faulty, tmp_path / "copy", 4, change)
    before = (copy / "rows.jsonl").read_bytes()
    for words in (["judge", copy], ["run", FAULTS, "--resume", copy]):
        result = call(*words)
        assert result.returncode == 13 and text in sentence(result)
    assert (copy / "rows.jsonl").read_bytes() == before


def test_rows_of_another_plan_are_refused(faulty, tmp_path):
    copy = with_line(faulty, tmp_path / "copy", 4, lambda line: with_values(line, run="another"))
    result = call("run", FAULTS, "--resume", copy)
    assert result.returncode == 13 and "a row of another plan (run another" in sentence(result)


def test_a_program_built_anew_is_not_resumed(tmp_path):
    program = tmp_path / "faults"
    program.write_bytes(FAULTS.read_bytes())
    program.chmod(0o755)
    folder = tmp_path / "run"
    assert call("run", program, "--rounds", 1, "--out", folder).returncode == 0
    with program.open("ab") as file:
        file.write(b"\0")
    result = call("run", program, "--resume", folder)
    assert result.returncode == 2 and "was rebuilt" in sentence(result)


def test_a_run_is_not_overwritten(faulty):
    result = call("run", FAULTS, "--out", faulty)
    assert result.returncode == 2 and "already holds a run" in sentence(result)


def test_the_estimate_can_be_asked_for_alone(tmp_path):
    result = call("run", FAULTS, "--axis", "deed=nothing", "--dry-run", "--out", tmp_path / "run", cwd=tmp_path)
    assert result.returncode == 0
    assert "4 cells, 24 trials; how long they take is unknown" in result.stdout
    assert not (tmp_path / "run").exists()


def test_ten_thousand_trials_are_planned_at_once():
    result = call("run", EMPTY, "--profile", "many", "--dry-run")
    assert "200 cells, 10000 trials" in result.stdout


def test_a_case_alone_is_an_ordinary_benchmark_program():
    listed = subprocess.run([EMPTY, "--benchmark_list_tests", "--benchmark_filter=number:1/"], capture_output=True, text=True)
    assert listed.stdout.split() == ["empty/number:1/variant:baseline", "empty/number:1/variant:control"]
    assert subprocess.run([EMPTY, "--no_such_flag"], capture_output=True).returncode == 1
    once = subprocess.run([EMPTY, "--benchmark_filter=^empty/number:7/variant:control$", "--benchmark_min_time=0",
                           "--benchmark_format=json"], capture_output=True, text=True)
    [result] = json.loads(once.stdout)["benchmarks"]
    assert result["iterations"] == 1 and result["label"] == "nothing" and result["cliff:rss_bytes"] > 0


def test_the_schema_in_the_repository_is_the_programs(tmp_path):
    assert call("schema", tmp_path).returncode == 0
    for name in ("schema.json", "session.schema.json"):
        assert (tmp_path / name).read_text() == (ROOT / "results" / name).read_text(), "run: build/cliffbench schema"


def test_doctor_and_list_say_what_is_here():
    doctor = call("doctor")
    assert doctor.returncode == 0
    for word in ("machine", "memory", "instruction counts", "Apple M1"):
        assert word in doctor.stdout
    assert call("list", FAULTS).stdout.count("variant ") == 2
    overview = call("list").stdout.splitlines()  # three lines a case, and where the rest stands
    assert len(overview) < 70 and any("variants; profiles: " in line for line in overview) and "cliffbench list CASE" in overview[-1]
