"""The claim tables: a row a claim, a group of columns a set, and what changed since the set before."""

from . import panels, units
from .load import Part, Run, Set

SYMBOLS = {"held": "✓", "refuted": "✗", "undecided": "?", "unproven": "!", "not_measured": "–"}


def tables(run: Run) -> list[dict]:
    """A table for each program that has a measured claim. Each has one unit of time."""
    return [table(run, name, parts) for name, parts in run.programs().items()
            if any(claim["measured"] for part in parts for claim in part.claims)]


def table(run: Run, name: str, parts: list[Part]) -> dict:
    keys = list(dict.fromkeys(key_of(claim) for part in parts for claim in part.claims if claim["measured"]))
    found = {part.set: {key_of(claim): claim for claim in part.claims} for part in parts}
    of_set = {part.set: part for part in parts}
    times = [seen["median"] for part in parts for claim in part.claims if claim["measured"] and claim["quantity"] != "memory"
             for seen in pair(part, claim) if seen]
    scale, unit = units.time_unit(times)
    wheres = [dict(key[1]) for key in keys]
    common = {axis: value for axis, value in wheres[0].items() if all(where.get(axis) == value for where in wheres)}
    rows = []
    for key in keys:
        claims = {one: mine.get(key) for one, mine in found.items()}
        shown = next(claim for claim in claims.values() if claim and claim["measured"])
        rows.append({
            "claim": shown, "size": panels.short(shown["where"], common) or "–",
            "promised": units.bounds(shown), "anchor": f"{name}-{shown['id']}",
            "cells": [cell(run, of_set.get(one), claims.get(one), scale) for one in run.sets],
            "since": [since(run, one, claims) for one in run.sets if run.before(one)],
        })
    sets = list(run.sets)
    return {"program": name, "unit": unit if times else "", "common": units.point(common), "rows": rows,
            "unmeasured": [f"{claim['text']} ({claim['reason']})" for claim in parts[-1].claims if not any(
                (mine.get(key_of(claim)) or {}).get("measured") for mine in found.values())],
            "dated": [(run.label(one), run.label(run.before(one))) for one in sets if run.before(one)]}


def key_of(claim: dict) -> tuple:
    return claim["id"], panels.point_key(claim["where"])


def not_measured(claim: dict) -> str:
    return f"not measured here: {claim['reason']}"


def pair(part: Part, claim: dict) -> tuple[dict | None, dict | None]:
    """The times (of the stage that it names) or the peaks of memory that a claim compares; nothing for other quantities."""
    if claim["quantity"] not in ("ratio", "time", "memory") or not claim["where"]:
        return None, None
    cells = {cell["variant"]: cell for cell in panels.at(part.cells, panels.point_key(claim["where"]))}

    def seen(variant: str) -> dict | None:
        mine = cells.get(variant, {})
        if claim["quantity"] == "memory":
            return mine.get("rss_bytes")
        return mine.get("stages", {}).get(claim["of"]) if claim["of"] else mine.get("wall_s")

    return (seen(claim["against"]) if claim["against"] else None), seen(claim["variant"])


def cell(run: Run, part: Part | None, claim: dict | None, scale: float) -> dict:
    """What one set's columns say of a claim."""
    if not part or not claim or not claim["measured"]:
        return {"empty": "this program was not measured" if not part or not claim else not_measured(claim)}
    scale, unit = (1e6, " MB") if claim["quantity"] == "memory" else (scale, "")
    before, after = (units.interval(seen, lambda value: units.digits(value / scale) + unit) for seen in pair(part, claim))
    surprise = "" if claim["as_expected"] else f" (expected: {claim['expected']})"
    return {"empty": "", "before": before, "after": after, "seen": units.quantity(claim),
            "pairs": claim["seen"]["n"] if claim["seen"] else 0, "tone": claim["verdict"], "symbol": SYMBOLS[claim["verdict"]],
            "words": claim["words"] + surprise, "reason": reason(claim)}


def reason(claim: dict) -> str:
    """What to know beside the verdict's word."""
    if claim["control"] and claim["verdict"] == "undecided" and claim["seen"] and "lo" in claim["seen"]:
        return "its interval reaches out of its range, so it says nothing of the machine"
    return claim["reason"] if claim["verdict"] == "undecided" or not claim["as_expected"] else ""


def since(run: Run, one: Set, claims: dict) -> str:
    """What changed against the set before on the same machine."""
    new, old = claims.get(one), claims.get(run.before(one))
    if not new or not old or not new["seen"] or not old["seen"]:
        return "nothing to compare"
    words = [f"was {units.quantity(old)}"]
    if new["words"] != old["words"]:
        words.append(f"was {old['words']}")
    ends = [(claim["seen"].get("lo"), claim["seen"].get("hi")) for claim in (new, old)]
    if None not in (*ends[0], *ends[1]):
        apart = ends[0][0] > ends[1][1] or ends[0][1] < ends[1][0]
        words.append("intervals apart" if apart else "intervals overlap")
    return "; ".join(words)


def median_of(seen: dict | None) -> str:
    bare = {key: value for key, value in (seen or {}).items() if key not in ("lo", "hi")}
    return units.interval(bare, units.seconds)


def in_short(run: Run) -> list[dict]:
    """For the first screen: of each program about which a ratio to the baseline is claimed and held, what its most patched
    variant gives at the claimed point where the baseline takes longest. Without one, at any point. Nothing that no
    interval shows to be faster."""
    lines = []
    for name, parts in run.programs().items():
        part = [part for part in parts if part.set.machine == parts[0].set.machine][-1]
        promised = [claim for claim in part.claims if claim["quantity"] == "ratio" and not claim["control"]]
        held = {panels.point_key(claim["where"]) for claim in promised
                if claim["verdict"] == "held" and claim["against"] == "baseline" and not claim["of"]}
        patches = part.patches()
        faster = [record for record in part.ratios if record["variant"] in patches and record.get("ratio", {}).get("lo", 0) > 1]
        ratios = [record for record in faster if panels.point_key(record["params"]) in held] or faster
        base = {panels.point_key(cell["params"]): cell["wall_s"] for cell in part.cells
                if cell["variant"] == "baseline" and "wall_s" in cell}
        if not promised or not ratios:
            continue

        def rank(record: dict) -> tuple:
            before = base.get(panels.point_key(record["params"]), {}).get("median", 0)
            return patches[record["variant"]], before, record["ratio"]["median"]

        best = max(ratios, key=rank)
        key = panels.point_key(best["params"])
        after = next(c["wall_s"] for c in panels.at(part.cells, key) if c["variant"] == best["variant"])
        lines.append({"program": name, "variant": best["variant"], "ratio": units.interval(best["ratio"], unit="x"),
                      "before": median_of(base.get(key)), "after": median_of(after), "where": units.point(best["params"]),
                      "pairs": best["ratio"]["n"], "set": run.label(part.set)})
    return lines
