"""validate.py quick|full|busy FOLDER: how often the gate is wrong, and how often the usual ways are, on this machine in
this hour; busy: the gate alone, while other programs keep the machine busy. Appends each decision to FOLDER/decisions.jsonl
(a second call goes on), writes FOLDER/validation.json."""

import contextlib
import fcntl
import json
import pathlib
import random
import shutil
import statistics
import sys
import time

import load
import methods
from scipy.stats import binomtest

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
from report.read import files  # noqa: E402

BUILD = ROOT / "build"
CLIFFBENCH = BUILD / "cliffbench"
PROGRAMS = BUILD / "validation"
JOBS = ["sort", "parse", "count"]
# decisions of each series: A/A on copies, and per slowdown
FORMS = {"quick": (6, 2), "full": (300, 60), "busy": (300, 40)}
SLOWDOWNS = [2, 5, 10, 20]
BUSY_SLOWDOWNS = [5, 10]
USUAL_WAYS = 20  # of a series' decisions are taken by the usual ways too: their errors are not rare


def series(form):
    copies, slow = FORMS[form]
    slowdowns = BUSY_SLOWDOWNS if form == "busy" else SLOWDOWNS
    return [("A/A", 0, copies)] + [(f"+{p} %", p, slow) for p in slowdowns]


def decide(name, percent, number, folder, busy):
    """All methods on one pair of programs, in random order after the gate, which sets the budget."""
    job = JOBS[number % len(JOBS)]
    base, head = folder / "prior/work-00", folder / "after/work-00"  # paths of equal length
    for side, program in ((base, "work-00"), (head, f"work-{percent:02}")):
        side.parent.mkdir()
        shutil.copy2(PROGRAMS / program, side)
    # Counting would decide what is open: here the times are asked.
    seen = methods.gate(CLIFFBENCH, base, head, job, folder / "gate", ["--instructions", "never"] if busy else ())
    if "iterations" not in seen:
        raise methods.Stopped(seen["words"])
    iterations, pairs = seen["iterations"], max(seen["pairs"], 12)
    found = [("cliffbench gate", seen)]
    if busy or number >= USUAL_WAYS:
        return records(name, percent, number, job, found)
    others = [lambda: methods.blocks(base, head, job, iterations, pairs, folder, sys.executable),
              lambda: [("hyperfine, r - s > 1", methods.hyperfine(base, head, job, iterations, pairs, folder))]]
    random.Random(number).shuffle(others)
    for other in others:
        found += [(method, answer) for method, answer in other() if answer]
    return records(name, percent, number, job, found)


def records(name, percent, number, job, found):
    return [{"series": name, "slowdown_percent": percent, "number": number, "job": job, "method": method, **answer}
            for method, answer in found]


def complete(decisions, busy):
    """The (series, number) that all their methods have decided; a stopped run may have left one half done."""
    if busy:
        return {(d["series"], d["number"]) for d in decisions}
    last = "hyperfine" if shutil.which("hyperfine") else "means"
    return {(d["series"], d["number"]) for d in decisions if d["number"] >= USUAL_WAYS or d["method"].startswith(last)}


def table(decisions):
    rows = []
    for key in dict.fromkeys((d["series"], d["slowdown_percent"], d["method"]) for d in decisions):
        mine = [d for d in decisions if (d["series"], d["slowdown_percent"], d["method"]) == key]
        alarms = sum(d["verdict"] == "regression" for d in mine)
        bound = binomtest(alarms, len(mine)).proportion_ci(0.95, method="wilson")
        rows.append({"series": key[0], "slowdown_percent": key[1], "method": key[2], "alarms": alarms,
                     "decisions": len(mine), "low": bound.low, "high": bound.high,
                     "inconclusive": sum(d["verdict"] == "inconclusive" for d in mine),
                     "mean_pairs": sum(d["pairs"] for d in mine) / len(mine),
                     "seconds_per_decision": sum(d["seconds"] for d in mine) / len(mine)})
    return rows


def instructions(decisions):
    """The real size of the injected slowdowns, where the gate counted instructions."""
    counted = {}
    for d in decisions:
        if d.get("instructions") is not None:
            counted.setdefault(d["series"], []).append(d["instructions"])
    return {name: {"low": min(values), "high": max(values), "n": len(values)} for name, values in counted.items()}


def overhead(decisions):
    """Time to decide over the measured processes' own time, the control's share apart."""
    ratios = [(d["seconds"] - d["control_s"]) / (d["measured_s"] - d["control_s"])
              for d in decisions if d.get("measured_s") and d.get("instructions") is None]
    return sorted(ratios)[len(ratios) // 2] if ratios else None


def busy_share(decisions):
    """The part of the processors' time that was busy during a decision, in all programs, the gate's own too."""
    shares = sorted(d["busy"] for d in decisions if "busy" in d)
    return {"low": shares[0], "median": statistics.median(shares), "high": shares[-1]} if shares else None


def say(rows):
    print(f"\n{'series':<16} {'method':<28} {'alarms':>12}  {'95 %':<16} {'pairs':>5} {'s each':>6}")
    for row in rows:
        print(f"{row['series']:<16} {row['method']:<28} {row['alarms']:>5} of {row['decisions']:<4} "
              f"[{row['low']:6.1%}, {row['high']:6.1%}] {row['mean_pairs']:>5.1f} {row['seconds_per_decision']:>6.2f}")


def main(form, where):
    if form not in FORMS:
        print(f"validate: unknown form '{form}'; it is one of {', '.join(FORMS)}", file=sys.stderr)
        return 2
    folder = pathlib.Path(where).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"validate: another validation is running in {folder}", file=sys.stderr)
        return 2
    log = folder / "decisions.jsonl"
    decisions = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    done = complete(decisions, form == "busy")
    decisions = [d for d in decisions if (d["series"], d["number"]) in done]
    log.write_text("".join(json.dumps(d) + "\n" for d in decisions))
    todo = [(name, percent, number) for name, percent, count in series(form) for number in range(count) if (name, number) not in done]
    random.Random(1).shuffle(todo)  # every series sees every part of the hour
    start = time.monotonic()
    for i, (name, percent, number) in enumerate(todo):
        with methods.scratch(folder / "scratch") as work, (load.busy(number) if form == "busy" else contextlib.nullcontext()) as share:
            found = decide(name, percent, number, work, form == "busy")
            if share:
                found[0]["busy"] = share()
        with log.open("a") as file:
            file.write("".join(json.dumps(d) + "\n" for d in found))
        decisions += found
        left = (time.monotonic() - start) / (i + 1) * (len(todo) - i - 1)
        print(f"{i + 1} of {len(todo)}  {name} {found[0]['job']}: {found[0]['verdict']} after {found[0]['pairs']} pairs; "
              f"about {left / 60:.0f} min left", flush=True)
    rows = table(decisions)
    machine = json.loads(methods.call([CLIFFBENCH, "doctor", "--json"]).stdout)
    files.write_json(folder / "validation.json",
                     {"form": form, "date": time.strftime("%Y-%m-%d", time.gmtime()), "machine": machine, "rows": rows,
                      "instructions": instructions(decisions), "overhead": overhead(decisions), "busy": busy_share(decisions)})
    say(rows)
    for name, values in instructions(decisions).items():
        print(f"{name:<16} instructions {values['low']:+.2%} to {values['high']:+.2%} ({values['n']} counted)")
    if overhead(decisions):
        print(f"time to decide / measured processes' own time, without the control: {overhead(decisions):.2f} (median)")
    print(folder / "validation.json")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2]))
    except methods.Stopped as error:
        print(f"validate: {error}", file=sys.stderr)
        sys.exit(13)
    except KeyboardInterrupt:
        print("\nvalidate: stopped; run the same command to resume", file=sys.stderr)
        sys.exit(130)
