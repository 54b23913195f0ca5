"""Points of a case: which one is shown, what is usual there."""

from collections import Counter, defaultdict

from report.read.load import Part, size_of
from report.say import units


def point_key(params: dict) -> tuple:
    return tuple(sorted(params.items()))


def point_order(declared: dict, params: dict, usual: dict) -> tuple:
    """Sorts points: those that differ from the usual one in the same axes together, sizes as numbers."""
    other = tuple(axis for axis, value in params.items() if value != usual.get(axis))
    return (
        len(other),
        other,
        tuple((size_of(declared, axis, value) or 0, value) for axis, value in params.items()),
    )


def best_point(part: Part, cells: list[dict], needed: str, quantity: str) -> tuple | None:
    """The point of which something is claimed of this quantity; of several, or without one, that with the most variants,
    then patches, then the largest and slowest; of those with the variant `needed`."""
    points = defaultdict(list)
    for cell in cells:
        points[point_key(cell["params"])].append(cell)
    with_needed = {
        key: group
        for key, group in points.items()
        if any(cell["variant"] == needed for cell in group)
    }
    patches = set(part.patches())
    claimed = {
        point_key(claim["where"])
        for claim in part.claims
        if claim["quantity"] == quantity
        and claim["measured"]
        and not claim["control"]
        and (quantity != "ratio" or claim["against"] == "baseline" and not claim["of"])
    }

    def rank(key: tuple) -> tuple:
        group = {cell["variant"] for cell in with_needed[key]}
        slowest = max(cell.get("wall_s", {}).get("median", 0) for cell in with_needed[key])
        size = sum(size_of(part.declared, axis, value) or 1 for axis, value in key)
        return key in claimed, len(group), len(group & patches), size, slowest

    return max(with_needed, key=rank, default=None)


def at(records: list[dict], key: tuple) -> list[dict]:
    return [record for record in records if point_key(record["params"]) == key]


def usual_of(records: list[dict]) -> dict:
    """The most common value of each axis that all have: a line names only what differs from it."""
    seen: dict[str, Counter] = {}
    for record in records:
        for axis, value in record["params"].items():
            seen.setdefault(axis, Counter())[value] += 1
    return {
        axis: values.most_common(1)[0][0]
        for axis, values in seen.items()
        if values.total() == len(records)
    }


def unusual(params: dict, usual: dict) -> str:
    return units.point({axis: value for axis, value in params.items() if value != usual.get(axis)})


def short(params: dict, common: dict) -> str:
    return " ".join(f"{axis}:{value}" for axis, value in params.items() if axis not in common)


def thinned(items: list, most: int) -> list:
    """At most `most` of them, evenly, always the same."""
    if len(items) <= most:
        return items
    return [items[place * len(items) // most] for place in range(most)]
