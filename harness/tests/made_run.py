"""A run's folder whose rows are given, for tests of what is made of rows: nothing is started."""

import json

from built import files, sealed
from records import declaration, row, session


def made_run(folder, rows, names=("made",), **declared):
    for part in ("programs", "sessions"):
        (folder / part).mkdir(parents=True)
    for name in names:
        files.write_json(folder / f"programs/{name}@thing.json", declaration(**declared, name=name) | {"file": f"{name}@thing"})
    files.write_json(folder / "sessions/r.1.json", session())
    lines = [sealed(each | {"position": place}) for place, each in enumerate(rows)]
    (folder / "rows.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return folder


def lines_of(folder):
    """verdicts.jsonl: the summary, the other lines."""
    first, *rest = map(json.loads, (folder / "verdicts.jsonl").read_text().splitlines())
    return first, rest


def rows_of_all_kinds():
    """Six rounds; each variant is what its name says."""
    for size in (1, 2, 4, 8):
        for number in range(1, 7):
            point, wave = {"n": str(size), "mode": "a"}, 1 + 0.01 * (number % 3)
            yield row("baseline", point, number, size * 1e-3, stages={"copy": size * 6e-4})
            yield row("control", point, number, size * 1e-3 * wave * (3 if size == 8 else 1 + 0.1 * (number % 3) if size == 4 else 1))
            yield row("fast", point, number, size * 2.5e-4 * wave, page_faults=9000, stages={"copy": size * 1e-4})
            yield row("slow", point, number, None, status="timeout", reason="stopped at the limit of 100 s")
            yield row("liar", point, number, 1e-4, digest="another")
            yield row("absent", point, number, None, status="skipped", reason="this machine has no such library")
            if size == 1:
                yield row("broken", point, number, None, status="crash", reason="ended by signal 11 (Segmentation fault)")


LONG = "four times as fast, in a claim of so many words that not even 120 columns hold it, and all of them are printed"
SAME = {"text": "control takes as long", "variant": "control", "range": {"lo": 0.9, "hi": 1.1}, "control": True}
CLAIMS = [{"id": "same"} | SAME, {"id": "four", "text": LONG, "range": {"lo": 3.5, "hi": 4.5}},
          {"id": "ten", "text": "ten times as fast", "range": {"lo": 10, "hi": None}, "where": {"n": "1"}},
          {"id": "not", "text": "not faster", "range": {"lo": 0, "hi": 1}, "where": {"n": "1"}, "expected": "refuted"},
          {"id": "edge", "text": "on the edge", "range": {"lo": 3.95, "hi": None}, "where": {"n": "1"}},
          {"id": "long", "text": "takes over 90 s", "quantity": "time", "variant": "slow", "against": "", "where": {"n": "1"},
           "range": {"lo": 90, "hi": None}},
          {"id": "share", "text": "copies for most of its time", "quantity": "share", "variant": "baseline", "against": "",
           "of": "copy", "where": {"n": "1"}, "range": {"lo": 0.5, "hi": 1}},
          {"id": "linear", "text": "grows linearly", "quantity": "exponent", "variant": "fast", "against": "", "axis": "n",
           "range": {"lo": 0.9, "hi": 1.1}},
          {"id": "library", "text": "twice as slow elsewhere", "variant": "absent"}, {"id": "lie", "text": "a lie", "variant": "liar"},
          {"id": "other", "text": "not chosen", "where": {"n": "16"}},
          {"id": "m1", "text": "faster on an M1", "machine": "Apple M1"}]


def everything(folder):
    """A run in which everything happens that can."""
    variants = ("baseline", "control", "fast", "slow", "liar", "absent", "broken")
    axes = (("n", ("1", "2", "4", "8", "16")), ("mode", ("a", "b")))
    return made_run(folder, rows_of_all_kinds(), claims=CLAIMS, variants=variants, axes=axes)
