"""Bad days of the runner: killed, moved, without room, beside another. Nothing measured is lost or doubled."""

import os
import platform
import random
import re
import shutil
import subprocess
import sys
import time

import pytest
from built import (
    BUILD,
    CLIFFBENCH,
    EMPTY,
    FAULTS,
    call,
    edit_json,
    linux_only,
    mounted,
    needs_namespaces,
    own_disk_only,
    plain_build_only,
    rows,
    sentence,
    state_of,
    whole_rows,
)
from made_case import made_case

KILLS = 200 if "CLIFFBENCH_ALL" in os.environ else 12


def start(*words, **kwargs):
    return subprocess.Popen([CLIFFBENCH, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kwargs)


def test_stopped_at_random_moments_it_has_exactly_the_planned_rows(tmp_path):
    """Every signal is followed by a new start of the same run, at another place."""
    folder, plan = tmp_path / "run", tmp_path / "plan.json"
    rounds = 4 * KILLS  # so that the run outlasts the kills
    assert call("plan", EMPTY, "--axis", "number=1,2,3", "--rounds", rounds, "--seed", 5, "--out", plan).returncode == 0
    chance = random.Random(7)
    whole, alive = b"", 0
    for kill in range(KILLS):
        begun = kill % 2 == 0 and (folder / "plan.json").exists()
        run = start("run", EMPTY, *(["--resume", folder] if begun else ["--plan", plan, "--out", folder]))
        time.sleep(chance.uniform(0, 0.1))
        alive += run.poll() is None
        run.send_signal(chance.choice([1, 2, 3, 9, 9, 9, 15]))
        run.wait()
        if (folder / "rows.jsonl").exists():
            text = (folder / "rows.jsonl").read_bytes()
            assert text.startswith(whole)
            whole = text[:text.rfind(b"\n") + 1]
            folder = folder.rename(tmp_path / f"moved{kill % 2}")
    ended = call("run", EMPTY, "--plan", plan, "--out", folder)
    assert ended.returncode == 0, ended.stderr
    assert sorted(row["position"] for row in rows(folder)) == list(range(6 * rounds))
    assert all(row["status"] == "ok" for row in rows(folder))
    assert not (folder / "scratch").exists()
    assert alive > 0.9 * KILLS


@linux_only
def test_a_killed_runner_leaves_no_trial_behind(tmp_path):
    run = start("run", FAULTS, "--axis", "deed=hang", "--variant", "baseline", "--rounds", 1, "--limit", 60,
                "--out", tmp_path / "run")
    while not (children := children_of(run.pid)):
        time.sleep(0.01)
    run.kill()
    run.wait()
    for _ in range(200):
        if not any(os.path.exists(f"/proc/{child}") for child in children):
            return
        time.sleep(0.01)
    raise AssertionError("the trial outlived its runner")


@linux_only
def test_what_a_killed_runners_trial_had_started_ends_with_the_next_start(tmp_path):
    """The trial dies with its runner, its own children do not."""
    body = f"""
if "fast" in name and not os.path.exists({str(tmp_path / "forked")!r}):
    if child := os.fork():
        open({str(tmp_path / "forked")!r}, "w").write(str(child))
    else:
        os.setsid()
    time.sleep(60)
write()"""
    program = made_case(tmp_path / "made", body, axes=(("n", ("1",)),))
    run = start("run", program, "--rounds", 1, "--out", tmp_path / "run")
    while not (tmp_path / "forked").exists() or not (child := (tmp_path / "forked").read_text()):
        time.sleep(0.01)
    run.kill()
    run.wait()
    assert state_of(child) != "Z"
    assert call("run", program, "--resume", tmp_path / "run").returncode == 0
    assert not os.path.exists(f"/proc/{child}") or state_of(child) == "Z"
    assert whole_rows(tmp_path / "run") == 2


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return file.read().split()
    except FileNotFoundError:
        return []


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("measured") / "run"
    assert call("run", EMPTY, "--axis", "number=1,2", "--rounds", 6, "--seed", 2, "--out", folder).returncode == 0
    return folder


def test_killed_before_it_kept_its_declarations_it_keeps_them_when_it_goes_on(measured, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(measured, folder)
    shutil.rmtree(folder / "programs")
    assert call("judge", folder).returncode == 13
    assert call("run", EMPTY, "--resume", folder).returncode == 0
    assert call("judge", folder).returncode == call("judge", measured).returncode
    assert (folder / "programs").is_dir() and whole_rows(folder) == whole_rows(measured)


def test_a_folder_moved_while_it_is_measured_stops_the_run(tmp_path):
    run = subprocess.Popen([CLIFFBENCH, "run", FAULTS, "--axis", "deed=nothing", "--rounds", "20", "--out", tmp_path / "here"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_for_rows(tmp_path / "here", 5)
    (tmp_path / "here").rename(tmp_path / "there")
    _, said = run.communicate(timeout=30)
    assert run.returncode == 13 and "was moved or removed during the run" in said
    assert all(row["status"] == "ok" for row in rows(tmp_path / "there"))
    assert call("run", FAULTS, "--resume", tmp_path / "there").returncode == 0
    assert whole_rows(tmp_path / "there") == 80 and not (tmp_path / "here").exists()


def wait_for_rows(folder, count):
    patience = time.monotonic() + 60
    while not (folder / "rows.jsonl").exists() or (folder / "rows.jsonl").read_bytes().count(b"\n") < count:
        assert time.monotonic() < patience, "no rows come"
        time.sleep(0.005)


@linux_only
@plain_build_only
def test_a_stepped_clock_changes_no_row(tmp_path):
    """The wall clock jumps by up to a day at every reading: no time is measured with it."""
    folder = tmp_path / "run"
    stepped = os.environ | {"LD_PRELOAD": str(BUILD / "test_cases/libstepped_clock.so")}
    words = ["--axis", "deed=nothing", "--rounds", 5]
    run = start("run", FAULTS, *words, "--out", folder, env=stepped)
    wait_for_rows(folder, 6)
    run.kill()
    run.wait()
    ended = call("run", FAULTS, "--resume", folder, env=stepped)
    assert ended.returncode == 0, ended.stderr
    assert whole_rows(folder) == 20
    for row in rows(folder):
        assert row["status"] == "ok" and 0.002 <= row["wall_s"] <= row["process_s"] < 60


@plain_build_only
@linux_only
def test_another_subject_under_the_program_is_not_resumed(tmp_path):
    library = tmp_path / "libunder.so"
    shutil.copy(BUILD / "test_cases/libstepped_clock.so", library)
    under = os.environ | {"LD_PRELOAD": str(library)}
    folder = tmp_path / "run"
    assert call("run", EMPTY, "--rounds", 2, "--out", folder, env=under).returncode == 0
    assert call("run", EMPTY, "--resume", folder, env=under).returncode == 0
    with library.open("ab") as file:
        file.write(b"\0")
    result = call("run", EMPTY, "--resume", folder, env=under)
    assert result.returncode == 2 and "libunder.so under empty has changed, so the measured subject is another one" in sentence(result)
    result = call("run", EMPTY, "--resume", folder)
    assert result.returncode == 2 and "libunder.so under empty has changed" in sentence(result)


def test_a_program_built_anew_while_it_is_measured_stops_the_run(tmp_path):
    program = tmp_path / "faults"
    shutil.copy(FAULTS, program)
    folder = tmp_path / "run"
    run = subprocess.Popen([CLIFFBENCH, "run", program, "--axis", "deed=nothing", "--rounds", "20", "--out", folder],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_for_rows(folder, 5)
    shutil.copy(FAULTS, tmp_path / "new")
    (tmp_path / "new").rename(program)
    _, said = run.communicate(timeout=30)
    assert run.returncode == 13 and "was changed while it was measured" in said
    assert whole_rows(folder) < 80


def test_a_run_of_another_machine_is_not_resumed(measured, tmp_path):
    copy = shutil.copytree(measured, tmp_path / "copy")
    [session] = (copy / "sessions").iterdir()
    edit_json(session, lambda record: record["machine"].update(id="another-" + record["machine"]["id"]))
    result = call("run", EMPTY, "--resume", copy)
    assert result.returncode == 2 and "was begun on the machine another-" in sentence(result)


@plain_build_only
@pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "x86_64", reason="it makes an x86-64 Linux look like an emulated one")
@pytest.mark.parametrize("verb", ["run", "gate"])
def test_times_under_emulation_are_never_recorded(tmp_path, verb):
    words = {"run": [EMPTY], "gate": ["--base", EMPTY, "--head", EMPTY]}[verb]
    emulated = os.environ | {"LD_PRELOAD": str(BUILD / "test_cases/libemulated.so")}
    result = call(verb, *words, "--out", tmp_path / "out", env=emulated)
    assert result.returncode == 13 and "times under emulation are not recorded" in sentence(result)
    assert not (tmp_path / "out").exists()


def test_only_one_of_several_runners_begins_a_folder(tmp_path):
    runs = [start("run", EMPTY, "--axis", "number=1,2", "--rounds", 20, "--out", tmp_path / "run") for _ in range(4)]
    codes = sorted(run.wait() for run in runs)
    assert codes[0] == 0 and set(codes[1:]) <= {2, 13}
    assert whole_rows(tmp_path / "run") == 80


def test_a_used_up_budget_loses_no_row(tmp_path):
    folder = tmp_path / "run"
    first = call("run", FAULTS, "--axis", "deed=nothing", "--rounds", 20, "--budget", "0.3s", "--out", folder)
    assert first.returncode == 0 and "the time budget is used up; continue with" in first.stdout
    assert 0 < whole_rows(folder) < 80 and whole_rows(folder) % 2 == 0  # whole points
    status = call("status", folder)
    assert f"{whole_rows(folder)} of 80 trials" in status.stdout and "not running" in status.stdout
    assert call("run", FAULTS, "--resume", folder, "--quiet").returncode == 0
    assert "80 of 80 trials (100 %)" in call("status", folder).stdout
    log = (folder / "trials.log").read_text().splitlines()
    assert len(log) == 80 and all("faults" in line for line in log)


@needs_namespaces
@own_disk_only
def test_a_full_disk_is_said_and_every_row_is_whole(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    result = mounted(f"-t tmpfs -o size=100k none {folder}", folder, "run", FAULTS, "--axis", "deed=nothing", "--rounds", 100,
                     "--out", folder / "run")
    assert result.returncode == 13, result.stdout
    assert re.search("cannot (append to|write) .*: No space left", sentence(result))
    kept = tmp_path / "disk.kept/run"
    assert {row["status"] for row in rows(kept)} == {"ok"}  # no trial is blamed for the disk
    assert 20 < whole_rows(kept) < 400
    assert call("run", FAULTS, "--resume", kept, "--budget", "0.1s").returncode == 0  # there is room here
