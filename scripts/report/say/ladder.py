"""A program's patches as a ladder: the baseline, each patch alone, together, and what is there for comparison; with time,
memory and what each costs."""

from report.read.load import Part
from report.say import selection, units

RUNGS = {"baseline": "", "patch": "", "reference": "for comparison: "}


def ladder(part: Part, label: str) -> dict | None:
    """At the point of which something is claimed where most patches were measured."""
    key = selection.best_point(
        part, [cell for cell in part.cells if "wall_s" in cell], "baseline", "ratio"
    )
    if not key:
        return None
    ratios = {record["variant"]: record for record in selection.at(part.ratios, key)}
    variants = {variant["name"]: variant for variant in part.declared["variants"]}
    role_of = {name: variant["role"] for name, variant in variants.items()}
    costs = {patch["name"]: patch["cost"] for patch in part.declared["patches"]}
    cells = [
        cell
        for cell in selection.at(part.cells, key)
        if role_of[cell["variant"]] in RUNGS and "wall_s" in cell
    ]

    def rung(cell: dict) -> tuple:
        return (
            list(RUNGS).index(role_of[cell["variant"]]),
            len(variants[cell["variant"]]["patches"]),
            -cell["wall_s"]["median"],
        )

    rows = []
    for cell in sorted(cells, key=rung):
        variant = variants[cell["variant"]]
        record = ratios.get(cell["variant"], {})
        alone = (
            variant["patches"][0]
            if len(variant["patches"]) == 1 and role_of[cell["variant"]] == "patch"
            else ""
        )
        rows.append(
            {
                "name": cell["variant"],
                "reference": role_of[cell["variant"]] == "reference",
                "why": RUNGS[role_of[cell["variant"]]] + variant["why"],
                "cost": costs.get(alone, ""),
                "time": units.interval(cell["wall_s"], units.seconds),
                "ratio": units.interval(record.get("ratio"), unit="x"),
                "counters": record.get("counters", ""),
                "memory": units.megabytes(cell.get("rss_bytes")),
                "less": units.interval(record.get("rss_ratio"), unit="x"),
            }
        )
    if len(rows) < 2:
        return None
    return {
        "program": part.program,
        "void": part.void,
        "moved": dict(key) in part.moved(),
        "set": label,
        "point": units.point(dict(key)),
        "rows": rows,
    }


def say_costs_once(ladders: list[dict]) -> None:
    """A patch's cost stands where the patch stands first."""
    said = set()
    for row in (row for one in ladders for row in one["rows"]):
        row["cost"] = "" if (row["name"], row["cost"]) in said else row["cost"]
        said.add((row["name"], row["cost"]))
