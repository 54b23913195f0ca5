"""A signal before anything is measured: one sentence, 130, nothing left behind."""

import shlex
import shutil
import signal
import subprocess
import time

import pytest
from built import BUILD, CLIFFBENCH, EMPTY, call, rows, sentence
from made_gate import script

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


def stop(words, started, number, cwd):
    """Calls `cliffbench`, sends the signal when the file `started` is there, and waits."""
    process = subprocess.Popen([CLIFFBENCH, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd)
    until = time.monotonic() + 60
    while not started.exists() and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


@pytest.mark.parametrize("verb", ["run", "list", "gate"])
@pytest.mark.parametrize("number", SIGNALS)
def test_while_a_program_is_asked_for_its_benchmarks(tmp_path, verb, number):
    hanging = script(tmp_path / "hanging", f"touch {tmp_path}/started; exec sleep 1000")
    words = {"run": ["run", hanging, "--out", "out"], "list": ["list", hanging],
             "gate": ["gate", "--base", hanging, "--head", hanging, "--out", "out"]}[verb]
    result = stop(words, tmp_path / "started", number, tmp_path)
    assert result.returncode == 130, result
    assert "stopped while " in sentence(result) and "was asked for its benchmarks" in sentence(result)
    assert not (tmp_path / "out/rows.jsonl").exists() and not (tmp_path / "out/scratch").exists()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_gate_leaves_no_scratch_folder(tmp_path, number):
    listing = 'case "$*" in *list_tests*"^$"*) ;; *list_tests*) echo one;; '
    hanging = script(tmp_path / "hanging", listing + f"*) touch {tmp_path}/started; exec sleep 1000;; esac")
    words = ["gate", "--base", hanging, "--head", hanging, "--out", "out", "--time-unchanged"]
    result = stop(words, tmp_path / "started", number, tmp_path)
    assert result.returncode == 130 and "stopped" in result.stdout, result
    assert not (tmp_path / "out/scratch").exists()


def test_a_program_that_does_not_answer_and_one_that_crashes_are_told_apart(tmp_path):
    crashing = script(tmp_path / "crashing", "kill -SEGV $$")
    result = call("list", crashing)
    assert result.returncode == 13 and "ended by signal 11 (Segmentation fault)" in sentence(result)


def test_a_closed_pipe_is_no_news_for_a_list(tmp_path):
    """As of any program that prints: `cliffbench list CASE | head -1`."""
    assert (BUILD / "cliffbench").exists()
    done = subprocess.run(["bash", "-o", "pipefail", "-c", f"'{CLIFFBENCH}' list | true"], capture_output=True, text=True)
    assert done.stderr == ""


def test_a_run_of_a_program_by_path_says_how_to_go_on(tmp_path):
    own = tmp_path / "my programs/mine"
    own.parent.mkdir()
    shutil.copy(EMPTY, own)
    begun = call("run", "./my programs/mine", "--axis", "number=1", "--rounds", 2, "--budget", "1ms", "--out", "out", cwd=tmp_path)
    assert begun.returncode == 0 and "the time budget is used up" in begun.stdout, begun
    refused = call("run", "--resume", "out", cwd=tmp_path)
    assert refused.returncode == 2 and "give its path: cliffbench run PATH --resume FOLDER" in sentence(refused)
    [line] = [line for line in begun.stdout.splitlines() if "continue with: " in line]
    words = shlex.split(line.split("continue with: cliffbench ")[1])
    assert call(*words, cwd=tmp_path).returncode == 0 and rows(tmp_path / "out")


def test_a_broken_program_does_not_stop_the_others(tmp_path):
    """A Halide that is missing says nothing against the other cases."""
    (tmp_path / "cases").mkdir()
    shutil.copy(CLIFFBENCH, tmp_path)
    shutil.copy(EMPTY, tmp_path / "cases")
    script(tmp_path / "cases/broken", "echo 'libOther.so: cannot open shared object file' >&2; exit 127")
    words = [tmp_path / "cliffbench", "run"]
    first = subprocess.run([*words, "empty", "--axis", "number=1", "--rounds", "2", "--budget", "1ms", "--out", tmp_path / "out"],
                           capture_output=True, text=True, timeout=60)
    assert first.returncode == 0, first
    again = subprocess.run([*words, "--resume", tmp_path / "out"], capture_output=True, text=True, timeout=60)
    assert again.returncode == 0 and again.stderr == "", again
