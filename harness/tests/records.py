"""Made records: each function gives one as cliffbench writes it, and takes the fields that differ."""

MACHINE = {"id": "m1", "cpu": "made", "arch": "x86_64", "cores": 2, "core_kinds": "", "caches": "", "memory_bytes": 8_000_000_000,
           "os": "Debian", "kernel": "6", "virtualised": False, "emulated": False}


def declaration(axes=(("n", ("1", "2")),), variants=("baseline", "fast"), claims=(), name="made", subject="thing", limit_s=20):
    """What `--describe` prints."""
    roles = {"baseline": "baseline", "control": "control"}
    return {
        "schema": 1, "case": name, "subject": {"name": subject, "version": "1", "sha256": ""}, "why": "It is made up.",
        "readme": "", "build": {"compiler": "", "flags": "", "commit": "", "dirty": False},
        "axes": [{"name": axis, "unit": "", "values": list(values)} for axis, values in axes],
        "variants": [{"name": variant, "role": roles.get(variant, "patch"), "why": "", "patches": [], "equals": "baseline"}
                     for variant in variants],
        "stages_from": "", "patches": [],
        "claims": [{"id": "c", "text": "a claim", "quantity": "ratio", "variant": "fast", "against": "baseline", "of": "",
                    "axis": "", "where": {}, "machine": "", "range": {"lo": 1.5, "hi": None}, "control": False,
                    "origin": "ours", "figure_by": "before", "expected": "held", "source": "made up"} | claim for claim in claims],
        "profiles": [{"name": "quick", "why": "", "selections": [
            {"where": {axis: list(values) for axis, values in axes}, "variants": list(variants), "rounds": 6, "limit_s": 0}]}],
        "limit_s": limit_s}


def session(**more):
    return {"schema": 1, "run": "r", "session": 1, "command": "cliffbench run", "profile": "", "seed": 3, "shard": [1, 1],
            "started": "2026-01-01T00:00:00Z", "load_before": [0, 0, 0], "machine": MACHINE} | more


def row(variant, params, number, wall_s, case="made", subject="thing", **more):
    """`number`: of the round, from 1."""
    name = "/".join([case, *(f"{axis}:{value}" for axis, value in params.items()), f"variant:{variant}"])
    return {"schema": 1, "run": "r", "session": 1, "program": f"{case}@{subject}", "case": case, "subject": subject, "name": name,
            "variant": variant, "params": params, "round": number, "status": "ok", "reason": "", "limit_s": 100, "iterations": 1,
            "wall_s": wall_s, "cpu_s": wall_s, "rss_bytes": 1_000_000, "page_faults": 4, "digest": "same"} | more
