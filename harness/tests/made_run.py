"""A run's folder whose rows are given, for tests of what is made of rows: nothing is started."""

import json

from built import files, sealed
from made_case import declaration

MACHINE = {"id": "m1", "cpu": "made", "arch": "x86_64", "cores": 2, "core_kinds": "", "caches": "", "memory_bytes": 8_000_000_000,
           "os": "Debian", "kernel": "6", "virtualised": False, "emulated": False}


def row(variant, params, number, wall_s, **more):
    """`number`: of the round, from 1."""
    name = "/".join(["made", *(f"{axis}:{value}" for axis, value in params.items()), f"variant:{variant}"])
    return {"schema": 1, "run": "r", "session": 1, "program": "made@thing", "case": "made", "subject": "thing", "name": name,
            "variant": variant, "params": params, "round": number, "status": "ok", "reason": "", "limit_s": 100, "iterations": 1,
            "wall_s": wall_s, "cpu_s": wall_s, "rss_bytes": 1_000_000, "page_faults": 4, "digest": "same"} | more


def made_run(folder, rows, **declared):
    for part in ("programs", "sessions"):
        (folder / part).mkdir(parents=True)
    files.write_json(folder / "programs/made@thing.json", declaration(**declared) | {"file": "made@thing"})
    files.write_json(folder / "sessions/r.1.json", {
        "schema": 1, "run": "r", "session": 1, "command": "cliffbench run", "profile": "", "seed": 3, "shard": [1, 1],
        "started": "2026-01-01T00:00:00Z", "load_before": [0, 0, 0], "machine": MACHINE})
    lines = [sealed(each | {"position": place}) for place, each in enumerate(rows)]
    (folder / "rows.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return folder


def lines_of(folder):
    """verdicts.jsonl: the summary, the other lines."""
    first, *rest = map(json.loads, (folder / "verdicts.jsonl").read_text().splitlines())
    return first, rest
