"""The fixes that results/issues.toml names, with their ratios on each platform: the first table and figure of page and README."""

import fnmatch
from collections.abc import Iterator

from report.read import machines
from report.read.load import Part, Run, Set, size_of
from report.say import earlier, selection, story, units

MADE_ON = "M1 code, made on {}"


def platforms(run: Run) -> list[dict]:
    """The columns that have a number: each set, and M1 code made on it."""
    declared = story.declared("fix")
    return [
        one
        for one in columns(run)
        if any(cell(run, row, one)["words"] for fix in declared for row in points(fix))
    ]


def columns(run: Run) -> Iterator[dict]:
    for one in run.sets:
        yield {"says": run.label(one), "set": one, "code": "", "colour": 1}
        if not machines.is_apple(run.machines[one.machine]):
            made_on = MADE_ON.format(run.label(one))
            yield {"says": made_on, "set": one, "code": "m1", "colour": 0}


def points(fix: dict) -> list[dict]:
    """A fix at its own point and at its others."""
    return [
        fix | {"says": more["says"], "at": fix["at"] | more["at"]}
        for more in [{"says": fix.get("says", ""), "at": {}}, *fix.get("also", [])]
    ]


def fixes(run: Run) -> list[dict]:
    """Each declared fix of which something was measured: its rows, one a point, each with a cell a platform; and where it has
    several, `ranges`, the smallest and the largest ratio on each platform."""
    shown, found = platforms(run), []
    for fix in story.declared("fix"):
        rows = [row | {"cells": [cell(run, row, one) for one in shown]} for row in points(fix)]
        rows = [row for row in rows if any(one["words"] for one in row["cells"])]
        if not rows:
            continue
        facts = next((dict(one["key"]) for one in rows[0]["cells"] if one["ratio"]), {})
        says = story.filled if facts else unfilled
        for row in rows:
            row["says"] = says(row["says"], facts)
        ranges = [
            units.range_of([row["cells"][place]["ratio"] for row in rows])
            for place in range(len(shown))
        ]
        found.append(
            fix
            | {"what": says(fix["what"], facts), "rows": rows, "ranges": ranges}
            | {"several": len(rows) > 1}
        )
    return found


def unfilled(text: str, _: dict) -> str:
    return text.replace(", {dims} size", "").replace(" of {size}", "")


def cell(run: Run, fix: dict, column: dict) -> dict:
    """A platform's figures for a fix: before, after and their ratio; `words` is empty where it has none."""
    nothing = {"ratio": None, "void": False, "words": ""}
    if column["code"] and column["code"] not in fix:
        return nothing
    part = part_of(run, column["set"], fix["program"])
    at = fix["at"] | (fix[column["code"]] if column["code"] else {})
    if not part:
        return nothing
    if part.void:
        return nothing | {"void": True, "words": units.VOID}
    keys = keys_of(part, fix, at)
    if not keys:
        return nothing
    times = times_of(part, fix)
    key = max(
        keys,
        key=lambda key: (
            "lo" in ratio_of(part, fix, key),
            [size_of(part.declared, *one) or 0 for one in key],
        ),
    )
    ratio = ratio_of(part, fix, key)
    before, after = (units.median_seconds(times[fix[end], key]) for end in ("before", "after"))
    old = earlier.fix_of(run.earlier, fix, key)
    return {
        "ratio": ratio,
        "was": old and earlier.compared(ratio, old),
        "control": control_at(part, key),
        "void": False,
        "key": key,
        "before": before,
        "after": after,
        "words": units.ratio_text({"ratio": ratio, "control_moved": dict(key) in part.moved()}),
    }


def control_at(part: Part, key: tuple) -> str:
    """The verdict of the program's control against itself at a point, or nothing."""
    return next(
        (
            claim["verdict"]
            for claim in part.claims
            if claim["control"] and claim["variant"] == "control" and claim["measured"]
            if claim["where"] and claim["where"].items() <= dict(key).items()
        ),
        "",
    )


def controls(found: list[dict], shown: list[int]) -> str:
    """How steady the points of the proposed fixes' ratios were, on these platforms, in a sentence."""
    cells = [
        row["cells"][place] for fix in found if fix["by"] for row in fix["rows"] for place in shown
    ]
    verdicts = [one["control"] for one in cells if one["ratio"]]
    if not verdicts:
        return ""
    words = {"held": "within range", "undecided": "too wide to tell", "refuted": "moved"}
    counts = [f"{verdicts.count(name)} {says}" for name, says in words.items() if name in verdicts]
    there = len(verdicts) - verdicts.count("")
    where = f"stands at the points of {there} of these {len(verdicts)} ratios"
    return f"A control, the program against itself, {where}{': ' if counts else ''}{', '.join(counts)}."


def times_of(part: Part, fix: dict) -> dict:
    return {
        (one["variant"], selection.point_key(one["params"])): one["wall_s"]
        for one in part.cells
        if one.get("wall_s") and one["variant"] in (fix["before"], fix["after"])
    }


def keys_of(part: Part, fix: dict, at: dict) -> list[tuple]:
    """The points that agree with `at` and have both times and their ratio."""
    times = times_of(part, fix)
    return [
        key
        for variant, key in times
        if variant == fix["before"]
        and story.agrees(at, dict(key))
        and (fix["after"], key) in times
        and ratio_of(part, fix, key)
    ]


def hidden(run: Run, fix: dict) -> list[tuple[dict, float]]:
    """The points that answer the fix's question with a ratio more than a third outside those that its rows show."""
    found = []
    for column in columns(run):
        if column["code"] and column["code"] not in fix:
            continue
        part = part_of(run, column["set"], fix["program"])
        cells = [one for row in points(fix) if (one := cell(run, row, column))["ratio"]]
        shown = [one["ratio"]["median"] for one in cells]
        asked = (
            {axis: value for axis, value in cells[0]["key"] if axis in fix["asks"]} if cells else {}
        )
        code = fix[column["code"]] if column["code"] else {}
        for key in keys_of(part, fix, asked | code) if part and shown else []:
            median = ratio_of(part, fix, key)["median"]
            if not min(shown) * 3 / 4 <= median <= max(shown) * 4 / 3:
                found.append((dict(key), median))
    return found


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
