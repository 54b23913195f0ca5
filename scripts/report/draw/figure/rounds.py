"""The ratio of each round, which a median hides."""

from matplotlib.figure import Figure

from report.draw import looks, panels
from report.draw.drawing import Description, Drawing, first_point
from report.read.load import Part
from report.say import selection, units

MOST = 24  # rounds that are drawn of a variant


def point_of(part: Part) -> tuple | None:
    """The best point at which something was compared with the baseline."""
    compared = {
        selection.point_key(record["params"])
        for record in part.ratios
        if "ratio" in record and not record["ratio"].get("bound")
    }
    return selection.best_point(
        part,
        [cell for cell in part.cells if selection.point_key(cell["params"]) in compared],
        "baseline",
        "ratio",
    )


def ratios(part: Part, key: tuple) -> dict[str, list[float]]:
    """The ratio to the baseline of each round at one point, by variant; as the judge pairs them."""
    times: dict[str, dict] = {}
    for row in part.rows:
        if row.status == "ok" and row.wall_s and selection.point_key(row.params) == key:
            times.setdefault(row.variant, {})[row.run, row.round] = row.wall_s
    base = times.pop("baseline", {})
    judged = {record["variant"] for record in selection.at(part.ratios, key) if "ratio" in record}
    return {
        variant: [base[pair] / mine[pair] for pair in mine if pair in base]
        for variant, mine in times.items()
        if variant in judged
    }


def distribution(parts: list[Part], labels: list[str], table: dict, key: tuple) -> Figure | None:
    """The ratio of each round on a logarithmic axis, the median and its interval below; the band is the control's margin,
    a bracket the range that a claim names."""
    here = [ratios(part, key) for part in parts]
    names = [name for name in table if any(found.get(name) for found in here)]
    if not names:
        return None
    figure, axes = panels.grid(labels, 1.1 + 0.36 * len(names))
    for part, found, one in zip(parts, here, axes):
        one.axvspan(*selection.margin(parts), color=looks.GREY, alpha=0.25, lw=0)
        one.axvline(1, color=looks.INK, lw=0.8)
        for line, name in enumerate(names):
            look = table[name]
            values = panels.thinned(sorted(found.get(name, [])), MOST)
            heights = [line - 0.12 - 0.1 * (place % 3) for place in range(len(values))]
            one.plot(values, heights, **looks.dots(look), ls="none", ms=4, alpha=0.7)
            for record in selection.at(part.ratios, key):
                seen = record.get("ratio", {})
                if record["variant"] == name and units.closed(seen):
                    one.plot([seen["lo"], seen["hi"]], [line + 0.15] * 2, color=look["color"], lw=2)
                    one.plot([seen["median"]], [line + 0.15], "|", color=look["color"], ms=9, mew=2)
        for low, high, name in margins(part, key):
            if name in names:
                bracket(one, names.index(name) + 0.34, low, high)
        if not any(found.values()):
            panels.empty(one)
    drawn = [value for found in here for values in found.values() for value in values]
    low, high = min(drawn + [0.8]) / 1.1, max(drawn + [1.25]) * 1.1
    panels.ratio_axis(axes[0].xaxis, low, high)
    axes[0].set_xlim(low, high)
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylim(len(names) - 0.4, -0.6)
    panels.place(figure, axes, "baseline / variant, each round", panels.room(names))
    return figure


def margins(part: Part, key: tuple) -> list[tuple[float, float | None, str]]:
    """The ranges that claims (no controls) name for ratios to the baseline at this point."""
    return [
        (claim["lo"], claim["hi"], claim["variant"])
        for claim in part.claims
        if claim["quantity"] == "ratio"
        and claim["against"] == "baseline"
        and not claim["of"]
        and not claim["control"]
        and selection.point_key(claim["where"]) == key
    ]


def bracket(axes, height: float, low: float, high: float | None) -> None:
    """From `low` to `high`; open to the right without one."""
    axes.plot([low, high or low * 1.15], [height, height], color=looks.INK, lw=1)
    axes.plot([low], [height], "|", color=looks.INK, ms=7)
    axes.plot(
        [high or low * 1.15], [height], "|" if high else ">", color=looks.INK, ms=7 if high else 3
    )


def described(program: str, parts: list[Part], labels: list[str], table: dict) -> Drawing | None:
    key = first_point(parts, point_of)
    if not key:
        return None
    most = max((len(found) for part in parts for found in ratios(part, key).values()), default=0)
    note = f" Of {most} rounds {MOST} are drawn." if most > MOST else ""
    ranges = [claimed for part in parts for claimed in margins(part, key)]
    brackets = "; bracket: the range that a claim names" if ranges else ""
    brackets += (
        ", with an arrow where it is open" if any(high is None for _, high, _ in ranges) else ""
    )
    return Drawing(
        "Ratios of the rounds",
        f"Log-ratio of each round at {units.point(dict(key))}; below: median and 95 % interval. Grey band: "
        f"{selection.margin_words(parts)}{brackets}.{note}",
        distribution(parts, labels, table, key),
    )


FIGURE = Description("rounds", "program", place=6, draw=described)
