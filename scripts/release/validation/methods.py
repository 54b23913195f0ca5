"""One decision of each method on the same two programs: the gate's, and the usual ways on the same budget of time."""

import contextlib
import json
import pathlib
import shutil
import statistics
import subprocess
import time

COMPARE_PY = pathlib.Path("/usr/share/benchmark/compare.py")  # libbenchmark-tools
THRESHOLD = 1.05  # of the means of two blocks: what stored baselines commonly alarm at


class Stopped(RuntimeError):
    """A measured program that should have worked did not."""


def call(words, **kwargs):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **kwargs)


def gate(cliffbench, base, head, job, folder, flags=()):
    """cliffbench gate: its ruling, its pairs, its seconds."""
    start = time.monotonic()
    result = call([cliffbench, "gate", "--base", base, "--head", head, "--filter", f"job:{job}/", "--out", folder, "--time-unchanged",
                   *flags])
    seconds = time.monotonic() - start
    rulings = pathlib.Path(folder) / "rulings.jsonl"
    if not rulings.exists():
        return {"verdict": "none", "exit": result.returncode, "pairs": 0, "seconds": seconds, "words": result.stderr.strip()}
    summary, ruling = [json.loads(line) for line in rulings.read_text().splitlines()][:2]
    plan = json.loads((pathlib.Path(folder) / "gate.json").read_text())
    batches = plan["benchmarks"][0]
    change = ruling.get("instructions", {}).get("change")
    return {"verdict": ruling["ruling"], "exit": result.returncode, "pairs": ruling["pairs"], "seconds": seconds,
            "iterations": batches["iterations"] * batches["batches"], "instructions": change, "unfit": summary["unfit"],
            "measured_s": summary["measured_s"], "control_s": summary["control_s"], "words": ruling["reason"]}


def block(program, job, iterations, repetitions, file):
    """One process, `repetitions` batches: what people run before and after."""
    result = call([program, f"--benchmark_filter=job:{job}/", f"--benchmark_min_time={iterations}x",
                   f"--benchmark_repetitions={repetitions}", f"--benchmark_out={file}", "--benchmark_out_format=json"])
    if result.returncode:
        raise Stopped(f"{program} ended with exit code {result.returncode}")
    report = json.loads(pathlib.Path(file).read_text())
    return [run["cpu_time"] for run in report["benchmarks"] if run["run_type"] == "iteration"]


def mann_whitney(before, after, base_file, head_file, python):
    """p of the CPU times, by Google Benchmark's own script where it is installed, else by the same test in SciPy."""
    if COMPARE_PY.exists():
        out = pathlib.Path(str(head_file) + ".compared")
        result = call([python, COMPARE_PY, "-d", out, "benchmarks", base_file, head_file])
        if result.returncode == 0:
            compared = json.loads(out.read_text())[0]
            return compared["utest"]["cpu_pvalue"], "compare.py"
    from scipy.stats import mannwhitneyu
    return float(mannwhitneyu(before, after, alternative="two-sided").pvalue), "SciPy"


def blocks(base, head, job, iterations, repetitions, folder, python):
    """All of the base, then all of the head: judged by Mann-Whitney, and by a threshold on the means."""
    start = time.monotonic()
    base_file, head_file = folder / "base.json", folder / "head.json"
    before = block(base, job, iterations, repetitions, base_file)
    after = block(head, job, iterations, repetitions, head_file)
    measured = time.monotonic() - start
    p, by = mann_whitney(before, after, base_file, head_file, python)
    slower = statistics.median(after) > statistics.median(before)
    ratio = statistics.mean(after) / statistics.mean(before)
    return [("Mann-Whitney on two blocks", {"verdict": "regression" if p < 0.05 and slower else "ok", "p": p, "by": by,
                                            "pairs": repetitions, "seconds": measured}),
            ("means of two blocks, 5 %", {"verdict": "regression" if ratio > THRESHOLD else "ok", "ratio": ratio,
                                          "pairs": repetitions, "seconds": measured})]


def hyperfine(base, head, job, iterations, runs, folder):
    """hyperfine's "slower by r +- s": an alarm when r - s > 1. Nothing where it is not installed."""
    if not shutil.which("hyperfine"):
        return None
    file = folder / "hyperfine.json"
    command = f"{{}} --benchmark_filter=job:{job}/ --benchmark_min_time={iterations}x"
    start = time.monotonic()
    result = call(["hyperfine", "-N", "--warmup", 1, "--runs", runs, "--export-json", file, command.format(base),
                   command.format(head)])
    seconds = time.monotonic() - start
    if result.returncode:
        raise Stopped(f"hyperfine ended with exit code {result.returncode}: {result.stderr.strip()[-200:]}")
    a, b = json.loads(file.read_text())["results"]
    ratio = b["mean"] / a["mean"]
    deviation = ratio * ((a["stddev"] / a["mean"]) ** 2 + (b["stddev"] / b["mean"]) ** 2) ** 0.5
    return {"verdict": "regression" if ratio - deviation > 1 else "ok", "ratio": ratio, "deviation": deviation,
            "pairs": runs, "seconds": seconds}


@contextlib.contextmanager
def scratch(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
