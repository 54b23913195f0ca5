"""A made gate for the tests: no number in it was measured."""

from . import made

LINE = {"kind": "gate", "schema": 1, "base": "before", "head": "after", "machine": "a machine, 2 cores", "unfit": "", "notes": [],
        "seconds": 61, "measured_s": 50, "control_s": 10, "exit": 10, "margin": 0.02, "must_find": 0.05, "decisions": 3,
        "suite_alarm": 0.01, "open": 0, "sentence": "1 REGRESSION, 2 ok."}


def ruling(name, word, median, **more):
    return {"kind": "ruling", "program": "bench", "name": name, "head": "head", "ruling": word, "reason": f"why {name}",
            "metric": "cpu", "pairs": 12, "control_moved": False,
            "ratio": {"n": 12, "median": median, "lo": median * 0.98, "hi": median * 1.02}} | more


def written(folder, *lines, **more):
    folder.mkdir(exist_ok=True)
    (folder / "gate.json").write_text("{}")
    (folder / "rulings.jsonl").write_text(made.lines_of([LINE | more, *lines]))
    return folder


THREE = [ruling("sort", "ok", 1.0), ruling(made.LABEL, "regression", 0.9), ruling("count", "ok", 0.97)]
