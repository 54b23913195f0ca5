"""Stopped at any moment: the next call goes on, every trial is there once, nothing stays alive or behind."""

import json
import random
import signal

from attempt import Attempt, last
from material import FAST, rulings_of, sides, verdicts_of
from programs import left_alive

SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL]
EACH = 8


def rows_are_whole(folder):
    if not (folder / "rows.jsonl").exists():
        return ""
    text = (folder / "rows.jsonl").read_text()
    rows = [json.loads(line) for line in text.splitlines(True) if line.endswith("\n")]
    places = [(row["run"], row["position"]) for row in rows]
    return "" if len(set(places)) == len(places) else "a trial is there twice"


def of_run(number, delay):
    def act(place, material):
        words = ["run", material.case, "--rounds", 6, "--seed", 3, "--out", "run"]
        place.call(*words, stop=(delay, number), timeout=60, signals_are_fine=True)
        wrong = rows_are_whole(place.work / "run") or left_alive(place)
        if wrong:
            return wrong
        again = ["run", material.case, "--resume", "run"] if (place.work / "run/plan.json").exists() else words
        result = place.call(*again, timeout=60)
        if result.code != 0:
            return f"going on ended with {result.code}: {last(result.said)}"
        place.call("judge", "run")
        return "" if verdicts_of(place.work / "run") == material.verdicts else "other verdicts than those of a run in one go"
    return act


def of_gate(number, delay):
    def act(place, material):
        words = ["gate", *sides(place, material)]
        place.call(*words, "--out", "gate", *FAST, stop=(delay, number), timeout=60, signals_are_fine=True)
        wrong = rows_are_whole(place.work / "gate") or left_alive(place)
        if wrong:
            return wrong
        begun = (place.work / "gate/gate.json").exists()
        result = place.call(*words, *(["--resume", "gate", *FAST[:3]] if begun else ["--out", "gate", *FAST]), timeout=60)
        if result.code != 10:
            return f"going on ended with {result.code}: {last(result.said)}"
        seen = [(name, ruling) for name, ruling, _ in rulings_of(place.work / "gate")]
        return "" if seen == [(name, ruling) for name, ruling, _ in material.rulings] else f"other rulings: {seen}"
    return act


def of_compare(number, delay):
    def act(place, material):
        place.call("compare", "sleep 0.01", "sleep 0.01", "--budget", "20s", "--out", "gate", "--trust-times",
                   stop=(delay, number), timeout=60, signals_are_fine=True)
        left = [path.name for path in place.work.rglob("scratch")] if number != signal.SIGKILL else []
        return rows_are_whole(place.work / "gate") or (left and "left its scratch folder behind") or left_alive(place)
    return act


def attempts(material, seed):
    draw = random.Random(seed)
    for name, kind, longest in (("run", of_run, 2.0), ("gate", of_gate, 2.0), ("compare", of_compare, 1.5)):
        for number in SIGNALS:
            for _ in range(EACH):
                delay = draw.uniform(0.005, longest)
                yield Attempt("stops", f"{name}, {signal.Signals(number).name} after {delay:.3f} s",
                              lambda place, act=kind(number, delay): act(place, material))
