"""Points of a case: which one is shown, what is usual there."""

from collections import defaultdict

from report.read.load import Part, size_of


def point_key(params: dict) -> tuple:
    return tuple(sorted(params.items()))


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


def short(params: dict, common: dict) -> str:
    return " ".join(f"{axis}:{value}" for axis, value in params.items() if axis not in common)


def thinned(items: list, most: int) -> list:
    """At most `most` of them, evenly, always the same."""
    if len(items) <= most:
        return items
    return [items[place * len(items) // most] for place in range(most)]
