"""The story of a run as results/issues.toml declares it: for each issue the point, the ways out with times and ratios, the
figure's series. An issue without a program in the run has none."""

import fnmatch
import functools
import pathlib
import re
import tomllib

from report.read.files import Unreadable, read_text
from report.read.load import Run, Set, size_of
from report.say import selection, units

FILE = pathlib.Path(__file__).parents[3] / "results/issues.toml"
SAME = "the same"  # is written for the problem of the previous way


def declared(kind: str = "issue") -> list[dict]:
    """The issues; or what else the file declares, if it does."""
    try:
        data = parsed(read_text(FILE))
        return data["issue"] if kind == "issue" else data.get(kind, [])
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise Unreadable(f"{FILE} declares no issues: {error}") from None


@functools.lru_cache(maxsize=1)
def parsed(text: str) -> dict:
    """For readers, who ask at each claim."""
    return tomllib.loads(text)


def figure_words() -> dict:
    """Words for figures: the order of stages, and axes in words."""
    found = parsed(read_text(FILE)).get("figures", {})
    return {"stages": found.get("stages", []), "axes": found.get("axes", {})}


def about_another(cpu: str) -> set[str]:
    """Claims about an Apple M1, on a machine that is not one and so cannot decide them."""
    if cpu.startswith("Apple"):
        return set()
    return {name for issue in declared() for name in issue.get("m1_only", ())}


def agrees(at: dict, params: dict) -> bool:
    """Whether a point is one of those meant, of which an axis may not be one of this program's."""
    return all(params.get(axis, value) == value for axis, value in at.items())


def is_of(issue: dict, program: str) -> bool:
    return any(fnmatch.fnmatchcase(program, pattern) for pattern in issue["programs"])


def issues(run: Run) -> list[dict]:
    """The issues of which this run measured something, each with its `told` of every set that did."""
    found = []
    for issue in declared():
        parts = [part for part in run.parts if is_of(issue, part.program)]
        if parts:
            told = [one for one in (tell(run, issue, of_set) for of_set in run.sets) if one]
            found.append(
                issue
                | {
                    "parts": parts,
                    "programs": sorted({part.program for part in parts}),
                    "told": told,
                }
            )
    return found


def cell_of(run: Run, one: Set, name: str, key: tuple) -> dict | None:
    """The cell that "PROGRAM VARIANT" names in a set at a point, if it has a time."""
    program, variant = name.split(" ")
    part = run.part(one, program)
    cells = selection.at(part.cells, key) if part else []
    return next((cell for cell in cells if cell["variant"] == variant and cell.get("wall_s")), None)


def tell(run: Run, issue: dict, one: Set) -> dict | None:
    """At the point where most ways have a ratio, then an interval, then pairs; of those the largest."""
    part = run.part(one, issue["way"][0]["before"].split(" ")[0])
    keys = (
        [
            selection.point_key(cell["params"])
            for cell in part.cells
            if issue["at"].items() <= cell["params"].items()
        ]
        if part
        else []
    )

    def rank(key: tuple) -> tuple:
        found = [way for way in (walked(run, one, way, key) for way in issue["way"]) if way]
        finite = [way for way in found if not way["ratio"].get("bound")]
        sizes = tuple(size_of(part.declared, axis, value) or 0 for axis, value in key)
        return (
            len(finite),
            sum("lo" in way["ratio"] for way in finite),
            sum(way["paired"] for way in finite),
            len(found),
            sizes,
        )

    key = max(keys, key=rank, default=None)
    ways, problem = [], ""
    for way in issue["way"] if key else []:
        problem = way.get("problem", problem)
        if found := walked(run, one, way, key):
            new = not ways or ways[-1]["of"] != problem
            also = others(run, one, issue, way, key)
            shown = problem if new else SAME
            ways.append(found | {"of": problem, "problem": shown, "new": new, "also": also})
    if not ways:
        return None
    best = best_of(ways)
    facts = (
        dict(key)
        | {name: best[name] for name in ("before", "after")}
        | {"with": best.get("with", ""), "ratio": ratio_words(best)}
        | {"range": units.range_of([best["ratio"], *(one["ratio"] for one in best["also"])])}
        | {"also": "".join(f"; {one['says']}: {one['words']}" for one in best["also"])}
        | {"minutes": units.minutes(best["first"]["median"])}
    )
    told = [issue["answer"], *([issue["spread"]] if "spread" in issue and best["also"] else [])]
    return {
        "set": one,
        "label": run.label(one),
        "point": dict(key),
        "ways": [way | {"problem": filled(way["problem"], facts)} for way in ways],
        "answer": filled(" ".join(told), facts),
        "headline": filled(issue.get("headline", ""), facts),
        "x": filled(issue["x"], facts),
    }


def best_of(ways: list[dict]) -> dict:
    """The first of those whose `best` is largest; the last where none says so."""
    best = max(ways, key=lambda way: way.get("best", 0))
    return best if "best" in best else ways[-1]


def others(run: Run, one: Set, issue: dict, way: dict, key: tuple) -> list[dict]:
    """The way at the issue's other points, where its ratio differs by more than a third."""
    here, found = walked(run, one, way, key)["ratio"], []
    for point in issue.get("also", []):
        other = walked(run, one, way, selection.point_key(dict(key) | point["at"]))
        if not other or other["ratio"].get("bound") or here.get("bound"):
            continue
        if not 3 / 4 <= other["ratio"]["median"] / here["median"] <= 4 / 3:
            found.append(
                {"says": point["says"], "words": ratio_words(other), "ratio": other["ratio"]}
            )
    return found


def filled(text: str, facts: dict) -> str:
    for name, value in facts.items():
        text = text.replace(f"{{{name}}}", value)
    return one_of(text)


def one_of(text: str) -> str:
    """ "1 embedded 2x2 matrices" -> "1 embedded 2x2 matrix"."""
    return re.sub(r"\b1 ((?:embedded \S+ )?)matrices\b", r"1 \1matrix", text)


def walked(run: Run, one: Set, way: dict, key: tuple) -> dict | None:
    """A way with its two times and their ratio: the judge's of the paired rounds, or, of two programs, of the medians."""
    before, after = (cell_of(run, one, way[end], key) for end in ("before", "after"))
    if not before or not after or after["wall_s"].get("bound"):
        return None
    part = run.part(one, way["after"].split(" ")[0])
    if part.void:
        return None
    paired = next(
        (
            record["ratio"]
            for record in selection.at(part.ratios, key)
            if record["variant"] == after["variant"]
            and f"{part.program} {record['against']}" == way["before"]
            and record.get("ratio")
        ),
        None,
    )
    outputs = {variant["name"]: variant["equals"] for variant in part.declared["variants"]}
    program, variant = way["before"].split(" ")
    same_output = program == part.program and "" != outputs[variant] == outputs[after["variant"]]
    return way | {
        "other": not same_output,
        "before": units.median_seconds(before["wall_s"]),
        "after": units.median_seconds(after["wall_s"]),
        "ratio": paired or quotient(before["wall_s"], after["wall_s"]),
        "paired": bool(paired),
        "moved": dict(key) in part.moved(),
        "seen": after["wall_s"],
        "first": before["wall_s"],
        "cell": f"{way['after']} at {units.point(dict(key))}",
    }


def quotient(before: dict, after: dict) -> dict:
    """The ratio of two times that no round pairs: the ends of both intervals give one that holds with at least 90 %."""
    found = {"n": min(before["n"], after["n"]), "median": before["median"] / after["median"]}
    if before.get("bound"):
        return found | {"bound": True, "stopped": before["stopped"]}
    if units.closed(before) and units.closed(after):
        found |= {"lo": before["lo"] / after["hi"], "hi": before["hi"] / after["lo"]}
    return found


def ratio_words(way: dict) -> str:
    return (
        units.interval(way["ratio"], unit="x")
        + ("" if way["paired"] else ", not paired")
        + (units.MOVED if way.get("moved") else "")
    )
