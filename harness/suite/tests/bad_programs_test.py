"""Programs that misbehave: each gets its own status and a reason, and the run goes on."""

import os
import subprocess
import sys

import pytest
from built import CLIFFBENCH, call, limited_memory_only, rows, sentence
from made_case import made_case

ODD = ["a b", "\"quoted\"", "it's", "two\nlines", "$(touch hit)", "`touch hit`", "; touch hit", "| cat", "*", "a/b", "..", "%s",
       "<script>alert(1)</script>", "\\", "grün", "tab\t", "{a,b}", "^(x|y)+$", "[z]"]


def measured(tmp_path, body, *words, **made):
    """The rows of a program with this body, by variant; one point, one round."""
    program = made_case(tmp_path / "made", body, axes=(("n", ("1",)),), **made)
    result = call("run", program, "--rounds", 1, "--out", tmp_path / "run", *words)
    assert result.returncode == 0, result.stderr
    return {row["variant"]: row for row in rows(tmp_path / "run")}


@pytest.mark.parametrize("body, status, reason", [
    ("write(real_time=-1.0)", "failed", "the program reported no usable time"),
    ("write(real_time=float('nan'))", "failed", "the program reported no usable time"),
    ("write(real_time=float('inf'))", "failed", "the program reported no usable time"),
    ("write(real_time=1e400)", "failed", "the program reported no usable time"),
    ("write(real_time='fast')", "failed", "the program reported no usable time"),
    ("write(time_unit='weeks')", "failed", "the program reported no usable time"),
    ("write(**{'cliff:cpu_s': -1.0})", "failed", "the program reported a CPU time of -1, which is impossible"),
    ("write(**{'cliff:rss_bytes': -5})", "failed", "a memory of -5, which is impossible"),
    ("write(**{'cliff:page_faults': -5})", "failed", "a page fault count of -5, which is impossible"),
    ("write(**{'stage:copy': -0.5})", "failed", "a stage copy of -0.5, which is impossible"),
    ("write(name='another')", "failed", "the program gave 1 results instead of one named"),
    ("pass", "failed", "the program wrote no result"),
    ("open(out, 'w').write('[' * 100000)", "failed", "the program wrote no valid result"),
    ("open(out, 'wb').write(bytes(range(256)))", "failed", "the program wrote no valid result"),
    ("open(out, 'wb').truncate(100 << 20)", "failed", "the program wrote a result of 105 MB, more than 67.1 MB"),
    ("write(); os.kill(os.getpid(), 11)", "crash", "ended by signal 11"),
    ("write(); sys.exit(3)", "crash", "ended with exit code 3"),
    pytest.param("eaten = [bytes(range(256)) * (1 << 16) for _ in range(1000)]; write()", "oom", "MemoryError",
                 marks=limited_memory_only),
    ("write(error_occurred=True, error_message='out of luck')", "failed", "out of luck"),
    ("write(skipped=True, skip_message='no luck at all')", "skipped", "no luck at all"),
    ("write(error_occurred=True, error_message='no such luck', label='skipped')", "skipped", "no such luck"),
])
def test_what_a_program_says_or_does_becomes_a_status(tmp_path, body, status, reason):
    words = ["--memory-limit", "300MB"] if "eaten" in body else []
    row = measured(tmp_path, "if 'fast' in name:\n    " + body + "\nelse:\n    write()", *words)["fast"]
    assert row["status"] == status and reason in row["reason"], row
    assert row["wall_s"] is None and row["cpu_s"] is None and row["stages"] == {} and row["digest"] == ""


def test_what_the_library_says_of_our_flag_is_no_last_word(tmp_path):
    body = ("os.write(2, b'-- LOG(0): Value passed to --benchmark_min_time should have a suffix. Eg., `30s` for 30-seconds.\\n')\n"
            "os.kill(os.getpid(), 11)")
    assert measured(tmp_path, body)["baseline"]["reason"] == "ended by signal 11 (Segmentation fault)"


def test_memory_beyond_the_limit_is_oom(tmp_path):
    """As C++ programs die of it: std::bad_alloc, or SIGKILL by the system."""
    body = "os.write(2, b\"terminate called after throwing an instance of 'std::bad_alloc'\\n\"); os.kill(os.getpid(), {})"
    for signal in (6, 9):
        folder = tmp_path / str(signal)
        folder.mkdir()
        row = measured(folder, body.format(signal))["baseline"]
        assert row["status"] == "oom", row


def test_ignoring_sigterm_does_not_help(tmp_path):
    rows_seen = measured(tmp_path, "import signal; signal.signal(15, signal.SIG_IGN); signal.signal(1, signal.SIG_IGN)\n"
                                   "time.sleep(1000)", limit_s=0.3)
    assert {row["status"] for row in rows_seen.values()} == {"timeout"}
    assert all(row["process_s"] < 60 for row in rows_seen.values())


@pytest.mark.skipif(sys.platform != "linux", reason="macOS gives no way to adopt what a trial leaves behind")
def test_a_daemon_does_not_outlive_its_trial(tmp_path):
    pids = tmp_path / "pids"
    body = f"""
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open({str(pids)!r}, "a") as file:
            file.write(f"{{os.getpid()}}\\n")
        time.sleep(1000)
    os._exit(0)
while not os.path.exists({str(pids)!r}):
    time.sleep(0.001)
write()"""
    seen = measured(tmp_path, body)
    assert {row["status"] for row in seen.values()} == {"ok"}
    left = [pid for pid in pids.read_text().split() if os.path.exists(f"/proc/{pid}")]
    assert pids.read_text().split() and not left


def test_much_output_is_read_and_forgotten(tmp_path):
    body = """
words = b"y" * (1 << 20)
for i in range(400):
    os.write(1 + i % 2, words)
write()"""
    program = made_case(tmp_path / "made", body, variants=("baseline",), axes=(("n", ("1",)),))
    run = subprocess.Popen([CLIFFBENCH, "run", program, "--rounds", "1", "--out", tmp_path / "run", "--quiet"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(run.pid, 0)
    assert status == 0 and rows(tmp_path / "run")[0]["status"] == "ok"
    assert usage.ru_maxrss < 200_000  # kB, of the runner and of what it waited for


@pytest.mark.parametrize("name, subject", [("../../up", "thing"), ("a/b", "thing"), (".hidden", "thing"), ("x" * 300, "thing"),
                                           ("made", "a/../../b"), ("nul\0", "thing")])
def test_a_name_that_leaves_the_folder_is_refused(tmp_path, name, subject):
    program = made_case(tmp_path / "made", name=name, subject=subject)
    result = call("run", program, "--out", tmp_path / "in/run")
    assert result.returncode == 13 and "cannot name a file" in sentence(result)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made"]


def test_names_are_never_seen_by_a_shell(tmp_path):
    place = tmp_path / "a place; touch hit $(touch hit)"
    place.mkdir()
    program = made_case(place / "it's a \"program\"\n", axes=(("odd", ODD),), variants=("baseline",))
    result = call("run", program, "--rounds", 1, "--out", place / "run", cwd=place)
    assert result.returncode == 0, result.stderr
    seen = rows(place / "run")
    assert {row["params"]["odd"] for row in seen} == set(ODD)
    assert {row["status"] for row in seen} == {"ok"}, [row["reason"] for row in seen]
    assert call("judge", place / "run").returncode == 0
    assert "hit" not in {path.name for path in tmp_path.rglob("*")}
    assert len((place / "run/trials.log").read_text().splitlines()) == len(ODD)


def test_when_nothing_works_it_calls_for_a_person_once(tmp_path):
    program = made_case(tmp_path / "made", "sys.exit(7)")
    result = call("run", program, "--rounds", 3, "--out", tmp_path / "run", "--quiet")
    assert result.returncode == 0
    assert sentence(result) == "warning: 3 trials of made in a row went wrong; the last: ended with exit code 7"
    assert result.stdout.count("\n") == 1  # the estimate
