"""Injected faults: each must end in its own state and exit code, and lose nothing that was measured."""

import json
import pathlib
import resource
import shutil
import signal
import subprocess
import time

from methods import call, gate


def one(cliffbench, base, head, folder, want, flags=()):
    seen = gate(cliffbench, base, head, "sort", folder, flags)
    return {"state": seen["verdict"], "exit": seen["exit"], "words": seen["words"],
            "as_wanted": (seen["verdict"], seen["exit"]) == want}


def killed_runner(cliffbench, base, folder):
    """kill -9 in the middle, then --resume: decided, and no pair across the two sessions."""
    words = [cliffbench, "gate", "--base", base, "--head", base, "--filter", "job:sort/", "--trust-times"]
    process = subprocess.Popen([*map(str, words), "--out", str(folder)], stdout=subprocess.DEVNULL)
    rows = pathlib.Path(folder) / "rows.jsonl"
    until = time.monotonic() + 60
    while time.monotonic() < until and (not rows.exists() or rows.read_text().count("\n") < 10):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    result = call([*words, "--resume", folder])
    lines = [json.loads(line) for line in rows.read_text().splitlines()]
    sessions = {line["session"] for line in lines}
    places = {(line["round"], line["session"], line["variant"]) for line in lines}
    good = result.returncode == 0 and sessions == {1, 2} and len(places) == len(lines)
    return {"state": "resumed" if good else "broken", "exit": result.returncode, "words": f"{len(lines)} rows", "as_wanted": good}


def full_disk(cliffbench, base, folder):
    """No file may grow over 8 kB, as on a disk that is full; the rows until then are kept."""
    def small_disk():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    result = call([cliffbench, "gate", "--base", base, "--head", base, "--filter", "job:sort/", "--out", folder],
                  preexec_fn=small_disk)
    words = result.stderr.strip()
    text = (pathlib.Path(folder) / "rows.jsonl").read_text()
    whole = [json.loads(line) for line in text.splitlines()]
    good = result.returncode == 13 and words.count("\n") == 0 and text.endswith("\n") and len(whole) > 5
    return {"state": "refused" if good else "broken", "exit": result.returncode, "words": words, "as_wanted": good}


def run_all(cliffbench, programs, folder):
    base = programs / "work-00"
    faults = {
        "crash": lambda at: one(cliffbench, base, programs / "work-crash", at, ("not_measured", 13)),
        "wrong output": lambda at: one(cliffbench, base, programs / "work-wrong", at, ("wrong_output", 13)),
        "hang": lambda at: one(cliffbench, base, programs / "work-hang", at, ("not_measured", 13), ["--limit", "2s"]),
        "killed runner": lambda at: killed_runner(cliffbench, base, at),
        "full disk": lambda at: full_disk(cliffbench, base, at),
    }
    seen = []
    for name, make in faults.items():
        shutil.rmtree(folder, ignore_errors=True)
        seen.append({"fault": name, **make(folder)})
    shutil.rmtree(folder, ignore_errors=True)
    return seen
