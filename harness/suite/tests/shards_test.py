"""A plan on several machines: shards, the same call again, merge, and verdicts as those of one run."""

import json
import shutil
import subprocess

import pytest
from built import (
    EMPTY,
    call,
    edit_json,
    rows,
    sentence,
    steady_part,
    verdicts,
    with_line,
    with_values,
)
from made_case import steady_cases

PROGRAMS = 2


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """Two programs, their plan, its shards measured in four folders, and the same plan measured at once."""
    place = tmp_path_factory.mktemp("shards")
    programs = steady_cases(place, PROGRAMS)
    words = [*programs, "--rounds", 6, "--seed", 11]
    assert call("plan", *words, "--out", place / "plan.json").returncode == 0
    for shard in range(1, 5):
        result = call("run", *programs, "--plan", place / "plan.json", "--shard", f"{shard}/4", "--out", place / f"rows/{shard}")
        assert result.returncode == 0 and f"shard {shard}/4" in result.stdout, result.stderr
    assert call("run", *programs, "--plan", place / "plan.json", "--out", place / "whole").returncode == 0
    return place, programs


def plan_of(place):
    plan = json.loads((place / "plan.json").read_text())
    del plan["check"]
    return plan


def test_a_plan_says_what_it_measures(planned):
    plan = plan_of(planned[0])
    assert len(plan["cells"]) == PROGRAMS * 4 * 3 * 2 and plan["seed"] == 11 and plan["schema"] == 1
    for cell in plan["cells"]:
        assert cell["rounds"] == 6 and cell["limit_s"] == 5
    assert all(len(files[""]) == 32 for files in plan["programs"].values())


def test_shards_hold_whole_lines_and_every_trial_once(planned):
    place, _ = planned
    where = {}  # the exponent is claimed along n: all sizes of one mode are measured on one machine
    positions = []
    for shard in range(1, 5):
        for row in rows(place / f"rows/{shard}"):
            assert where.setdefault((row["program"], row["params"]["mode"]), shard) == shard
            positions.append(row["position"])
    assert sorted(positions) == list(range(PROGRAMS * 4 * 3 * 2 * 6))
    sizes = [len(rows(place / f"rows/{shard}")) for shard in range(1, 5)]
    assert sorted(sizes) == [48, 48, 96, 96]


def test_a_shard_keeps_the_whole_plan(planned, tmp_path):
    place, programs = planned
    for shard in range(1, 5):
        part = plan_of(place / f"rows/{shard}")
        assert part.pop("shard") == [shard, 4]
        assert part == {key: value for key, value in plan_of(place).items() if key != "shard"}
    from_a_shard = call("run", *programs, "--plan", place / "rows/2/plan.json", "--shard", "1/4", "--dry-run")
    from_the_plan = call("run", *programs, "--plan", place / "plan.json", "--shard", "1/4", "--dry-run")
    assert from_a_shard.returncode == 0 and from_a_shard.stdout == from_the_plan.stdout


def merged(place, target, order=(1, 2, 3, 4)):
    return merged_of(target, *[place / f"rows/{shard}" for shard in order])


def merged_of(target, *folders):
    result = call("merge", *folders, "--out", target)
    assert result.returncode == 0, result.stderr
    return target


def test_merged_shards_are_the_plan_and_are_judged_as_one_run(planned, tmp_path):
    place, _ = planned
    all_rows = merged(place, tmp_path / "all")
    assert "288 of 288 trials" in call("status", all_rows).stdout
    assert plan_of(all_rows) == plan_of(place)
    missing = 288 - len(rows(place / "rows/3"))
    three = merged(place, tmp_path / "three", order=(1, 2, 4))
    assert f"{missing} of 288 trials" in call("status", three).stdout
    assert f"{missing} of 288 planned trials; the others are missing" in call(
        "merge", place / "rows/4", place / "rows/1", place / "rows/2", "--out", tmp_path / "again").stdout
    assert plan_of(merged_of(tmp_path / "four", three, place / "rows/3")) == plan_of(place)
    assert call("run", *planned[1], "--resume", three).returncode == 0
    assert steady_part(three) == steady_part(place / "whole")

    assert steady_part(all_rows) == steady_part(place / "whole")
    assert verdicts(all_rows) == verdicts(place / "whole")
    assert {line["verdict"] for line in verdicts(all_rows) if line["kind"] == "claim"} == {"held", "refuted"}
    assert call("judge", all_rows).returncode == 0


def test_a_plan_that_is_missing_or_damaged_is_said(planned, tmp_path):
    shutil.copytree(planned[0] / "rows", tmp_path / "rows")
    (tmp_path / "rows/2/plan.json").unlink()
    result = call("merge", *(tmp_path / "rows").iterdir(), "--out", tmp_path / "all")
    assert result.returncode == 0 and "rows/2/plan.json" in result.stdout and "missing trials cannot be counted" in result.stdout
    assert not (tmp_path / "all/plan.json").exists()
    shutil.copy(planned[0] / "rows/2/plan.json", tmp_path / "rows/2")
    edit_json(tmp_path / "rows/2/plan.json", lambda plan: plan.update(profile="other"))
    result = call("merge", *(tmp_path / "rows").iterdir(), "--out", tmp_path / "again")
    assert result.returncode == 0 and "has two different plans, so missing trials cannot be counted" in result.stdout


@pytest.mark.parametrize("name", ["../../out", "/tmp/out", "", "a/b"])
def test_a_hostile_runs_name_writes_nothing_outside(planned, tmp_path, name):
    shutil.copytree(planned[0] / "rows/1", tmp_path / "rows")
    lines = [with_values(line, run=name) for line in (tmp_path / "rows/rows.jsonl").read_text().splitlines()]
    (tmp_path / "rows/rows.jsonl").write_text("".join(line + "\n" for line in lines))
    before = sorted(tmp_path.rglob("*"))
    result = call("merge", tmp_path / "rows", "--out", tmp_path / "all")
    assert result.returncode == 13, result.stdout
    assert sorted(path for path in tmp_path.rglob("*") if tmp_path / "all" not in [path, *path.parents]) == before


@pytest.mark.parametrize("text", ["[1]", '{"schema": 1}', "null"])
def test_a_session_of_another_shape_is_named(planned, tmp_path, text):
    shutil.copytree(planned[0] / "rows/1", tmp_path / "rows")
    [session] = (tmp_path / "rows/sessions").iterdir()
    session.write_text(text)
    result = call("merge", tmp_path / "rows", "--out", tmp_path / "all")
    assert result.returncode == 13 and f"{session} has no checksum: it is damaged, or cliffbench did not write it" in sentence(result)


def test_merge_is_a_pure_function_of_the_files(planned, tmp_path):
    one = merged(planned[0], tmp_path / "one")
    other = merged(planned[0], tmp_path / "other", order=(3, 1, 4, 2, 3))
    assert subprocess.run(["diff", "-r", one, other], capture_output=True, text=True).stdout == ""


def test_the_same_call_again_goes_on(planned, tmp_path):
    place, programs = planned
    rest = tmp_path / "rest"
    shutil.copytree(place / "rows/2", rest)
    lines = (rest / "rows.jsonl").read_text().splitlines(keepends=True)
    (rest / "rows.jsonl").write_text("".join(lines[:20]))
    words = ["run", *programs, "--plan", place / "plan.json", "--out", rest]
    assert call(*words, "--shard", "2/4").returncode == 0
    assert [row["position"] for row in rows(rest)] == [row["position"] for row in rows(place / "rows/2")]
    assert {row["session"] for row in rows(rest)} == {2, 6}
    wrong = call(*words, "--shard", "3/4")
    assert wrong.returncode == 2 and "holds another plan or another shard" in sentence(wrong)


def test_status_says_how_far_all_shards_are(planned, tmp_path):
    place, _ = planned
    shutil.copytree(place / "rows", tmp_path / "rows")
    shutil.rmtree(tmp_path / "rows/1")
    said = call("status", tmp_path / "rows").stdout.splitlines()
    assert len(said) == 4 and said[0].endswith("(100 %)") and "shard 2/4" in said[0]
    missing = len(rows(place / "rows/1"))
    assert f"{288 - missing} of 288 trials" in said[3]
    merged_of(tmp_path / "rows/all", *(tmp_path / "rows").iterdir())  # beside its shards, counted once
    assert f"{288 - missing} of 288 trials" in call("status", tmp_path / "rows").stdout.splitlines()[-1]
    empty = call("status", place / "whole/sessions")
    assert empty.returncode == 2 and "holds no run" in sentence(empty)


def on_another_machine(session):
    session["machine"]["id"] = "another-" + session["machine"]["id"]


def test_a_shard_of_two_machines_is_refused(planned, tmp_path):
    place, programs = planned
    moved = tmp_path / "moved"
    shutil.copytree(place / "rows/2", moved)
    lines = (moved / "rows.jsonl").read_text().splitlines(keepends=True)
    (moved / "rows.jsonl").write_text("".join(lines[:20]))
    for session in (moved / "sessions").iterdir():
        edit_json(session, on_another_machine)
    words = ["run", *programs, "--plan", place / "plan.json", "--shard", "2/4", "--out"]
    result = call(*words, moved)
    assert result.returncode == 2 and "stays on one machine" in sentence(result)
    # One folder, two starts on two machines, whatever their points.
    mixed = tmp_path / "mixed"
    shutil.copytree(place / "rows/2", mixed)
    [session] = (mixed / "sessions").iterdir()
    other = shutil.copy(session, session.with_name(session.name.replace(".2.json", ".6.json")))
    edit_json(other, lambda record: (on_another_machine(record), record.update(session=6)))
    result = call("merge", mixed, "--out", tmp_path / "of_two")
    assert result.returncode == 13 and "shard 2/4 in" in sentence(result) and "on two machines, " in sentence(result)
    # Begun again in another folder, on this machine: its rows and the others' do not make one shard.
    (moved / "rows.jsonl").write_text("".join(lines[:20]))
    again = tmp_path / "again"
    shutil.copytree(place / "rows/2", again)
    (again / "rows.jsonl").write_text("".join(lines[20:]).replace('"session":2,', '"session":6,'))
    lines = [with_values(line) + "\n" for line in (again / "rows.jsonl").read_text().splitlines()]
    (again / "rows.jsonl").write_text("".join(lines))
    [session] = (again / "sessions").iterdir()
    edit_json(session, lambda record: record.update(session=6))
    session.rename(session.with_name(session.name.replace(".2.json", ".6.json")))
    result = call("merge", moved, again, "--out", tmp_path / "both")
    assert result.returncode == 13 and "was measured on two machines, another-" in sentence(result)


@pytest.mark.parametrize("words, code, text", [
    (["--shard", "1/4"], 2, "--shard requires --plan"),
    (["--plan", "PLAN", "--shard", "5/4"], 2, "--shard takes I/N with 1 <= I <= N <= 100000, not '5/4'"),
    (["--plan", "/nowhere"], 13, "cannot read /nowhere"),
    (["--plan", "ROWS"], 13, "has no checksum: it is damaged, or cliffbench did not write it"),
    (["--plan", "DESCRIPTION"], 13, "is not a plan that this program can read"),
])
def test_bad_plans_are_one_sentence(planned, words, code, text, tmp_path):
    place, programs = planned
    files = {"PLAN": place / "plan.json", "ROWS": place / "whole/rows.jsonl", "DESCRIPTION": place / "whole/programs/made0.json"}
    result = call("run", *programs, *[files.get(word, word) for word in words], "--out", tmp_path / "run")
    assert result.returncode == code and text in result.stderr


def test_a_plan_of_another_build_is_refused(planned, tmp_path):
    place, programs = planned
    new = [shutil.copy(program, tmp_path / program.name) for program in programs]
    with open(new[0], "a") as file:
        file.write("# anew\n")
    result = call("run", *new, "--plan", place / "plan.json", "--out", tmp_path / "run")
    assert result.returncode == 2 and "made0 was rebuilt since run" in sentence(result)
    result = call("run", EMPTY, "--plan", place / "plan.json", "--out", tmp_path / "run")
    assert result.returncode == 2 and "made0, which is not built here" in sentence(result)


def test_a_row_with_a_false_checksum_is_left_out_of_a_merge(planned, tmp_path):
    copy = with_line(planned[0] / "rows/1", tmp_path / "copy", 3, lambda line: line.replace('"round":1', '"round":2'))
    result = call("merge", copy, "--out", tmp_path / "out")
    assert result.returncode == 0 and "line 3 is damaged" in result.stdout and "the others are missing" in result.stdout
