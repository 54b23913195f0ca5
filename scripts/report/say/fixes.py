"""The fixes that results/issues.toml names, with their ratios on each platform: the first table and figure of page and README."""

import fnmatch

from report.read import machines
from report.read.load import Part, Run, Set, size_of
from report.say import selection, story, units

APPLE = "Apple M1"
MADE_ON = "M1 code, made on {}"
NOT_YET = "not measured yet"


def platforms(run: Run) -> list[dict]:
    """The columns: each set; then M1 code made on it; last an Apple M1, with nothing, if no set is of one."""
    found = []
    for one in run.sets:
        found.append({"says": run.label(one), "set": one, "code": "", "colour": 1})
        if not machines.is_apple(run.machines[one.machine]):
            found.append(
                {"says": MADE_ON.format(run.label(one)), "set": one, "code": "m1", "colour": 0}
            )
    if not any(map(machines.is_m1, run.machines.values())):
        found.append({"says": APPLE, "set": None, "code": "", "colour": 2})
    return found


def fixes(run: Run) -> list[dict]:
    """Each declared fix with a cell a platform; none where a run measured nothing of any."""
    columns = platforms(run)
    found = [
        fix | {"cells": [cell(run, fix, column) for column in columns]}
        for fix in story.declared("fix")
    ]
    for fix in found:
        facts = next((dict(one["key"]) for one in fix["cells"] if one.get("key")), {})
        fix["what"] = story.filled(fix["what"], facts) if facts else unfilled(fix["what"])
    return (
        found if any(one["ratio"] or one["void"] for fix in found for one in fix["cells"]) else []
    )


def unfilled(text: str) -> str:
    return text.replace(", {dims} size", "").replace(" of {size}", "")


def cell(run: Run, fix: dict, column: dict) -> dict:
    """A platform's figures for a fix: before, after and their ratio; or, in `words`, why there are none."""
    nothing = {"ratio": None, "void": False, "words": "not measured"}
    if not column["set"]:
        return nothing | {"words": NOT_YET}
    if column["code"] and column["code"] not in fix:
        return nothing | {"words": "–"}
    part = part_of(run, column["set"], fix["program"])
    at = fix["at"] | (fix[column["code"]] if column["code"] else {})
    if not part:
        return nothing
    if part.void:
        return nothing | {"void": True, "words": units.VOID}
    times = {
        (c["variant"], selection.point_key(c["params"])): c["wall_s"]
        for c in part.cells
        if c.get("wall_s") and story.agrees(at, c["params"])
    }
    keys = [
        key
        for variant, key in times
        if variant == fix["before"] and (fix["after"], key) in times and ratio_of(part, fix, key)
    ]
    if not keys:
        return nothing
    key = max(
        keys,
        key=lambda key: (
            "lo" in ratio_of(part, fix, key),
            [size_of(part.declared, *one) or 0 for one in key],
        ),
    )
    ratio = ratio_of(part, fix, key)
    before, after = (units.median_seconds(times[fix[end], key]) for end in ("before", "after"))
    return {
        "ratio": ratio,
        "void": False,
        "key": key,
        "before": before,
        "after": after,
        "words": units.ratio_text({"ratio": ratio, "control_moved": dict(key) in part.moved()}),
    }


def part_of(run: Run, one: Set, pattern: str) -> Part | None:
    return next(
        (
            part
            for part in run.parts
            if part.set == one and fnmatch.fnmatchcase(part.program, pattern)
        ),
        None,
    )


def ratio_of(part: Part, fix: dict, key: tuple) -> dict | None:
    """The judge's, of the paired rounds: against the baseline, or as a claim has it against another variant."""
    records = [
        record.get("ratio")
        for record in selection.at(part.ratios, key)
        if (record["variant"], record["against"]) == (fix["after"], fix["before"])
    ]
    claimed = [
        claim["seen"]
        for claim in part.claims
        if (claim["variant"], claim["against"], claim["quantity"], claim["of"])
        == (fix["after"], fix["before"], "ratio", "")
        and claim["where"].items() <= dict(key).items()
        and claim["seen"]
    ]
    return next(
        (ratio for ratio in records + claimed if ratio and ratio["median"] is not None), None
    )


def known(run: Run) -> list[dict]:
    """The declared claims about an M1 that runs elsewhere decide, as they were seen."""
    return [
        one | {"seen": claim["seen_text"]}
        for one in story.declared("known")
        for part in run.parts
        for claim in part.claims
        if part.program == one["program"]
        and claim["id"] == one["claim"]
        and claim["measured"]
        and not part.void
    ]
