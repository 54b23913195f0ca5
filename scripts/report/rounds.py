"""What lies behind a median: the order in which the trials ran, and the ratio of each round."""

import statistics

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from . import looks, panels, units
from .load import Part

COLUMNS = 5  # of the legend
MOST = 24  # rounds that are drawn of a variant


def order(parts: list[Part], labels: list[str], table: dict) -> Figure | None:
    """Time of each trial over the median of its cell, in the order of the run: a slope is drift. The line is the median
    of twelve neighbouring parts of the run."""
    drawn = [deviations(part) for part in parts]
    if not any(drawn):
        return None
    figure, axes = panels.grid(labels, 3.0)
    shown: dict[str, None] = {}
    for points, one in zip(drawn, axes):
        one.axhline(1, color=looks.INK, lw=0.8)
        kept = panels.thinned(points, panels.SAMPLES)
        for variant in dict.fromkeys(variant for _, _, variant in kept):
            shown[variant] = None
            mine = [(place, value) for place, value, name in kept if name == variant]
            one.plot(*zip(*mine), **looks.dots(table[variant]), ls="none", ms=4, alpha=0.7)
        if not points:
            panels.empty(one)
        line = drift(points)
        one.plot([place for place, _ in line], [value for _, value in line], color=looks.GREY, lw=2)
    values = [value for points in drawn for _, value, _ in points]
    low, high = min(values + [0.7]) / 1.05, max(values + [1.4]) * 1.05
    panels.ratio_axis(axes[0].yaxis, low, high)
    axes[0].set_ylim(low, high)
    axes[0].set_ylabel("time / median of its cell")
    legend(figure, list(shown), table)
    panels.place(figure, axes, "trials of this program, in the order in which they ran", 0.75, top=panels.rows_of_legend(len(shown), COLUMNS))
    return figure


def deviations(part: Part) -> list[tuple[int, float, str]]:
    medians = {(cell["variant"], panels.point_key(cell["params"])): cell["wall_s"]["median"] for cell in part.cells
               if "wall_s" in cell and not cell["wall_s"].get("bound") and cell["wall_s"]["median"]}
    keys: dict[int, tuple] = {}
    points = []
    for row in part.rows:
        key = keys.setdefault(id(row.params), panels.point_key(row.params))
        if row.status == "ok" and row.wall_s and (row.variant, key) in medians:
            points.append((row.run, row.position, row.wall_s / medians[row.variant, key], row.variant))
    # A run's name begins with its time.
    return [(place, value, variant) for place, (_, _, value, variant) in enumerate(sorted(points), 1)]


def drift(points: list[tuple[int, float, str]], groups: int = 12) -> list[tuple[float, float]]:
    size = -(-len(points) // groups) or 1
    chunks = [points[start:start + size] for start in range(0, len(points), size)]
    return [(statistics.median(place for place, _, _ in chunk), statistics.median(value for _, value, _ in chunk))
            for chunk in chunks] if len(points) >= 3 * groups else []


def legend(figure: Figure, names: list[str], table: dict) -> None:
    handles = [Line2D([], [], **looks.dots(table[name]), ls="none", ms=5, label=name) for name in names]
    figure.legend(handles=handles, loc="upper center", ncols=min(COLUMNS, len(names)), fontsize=8, borderaxespad=0.1)


def point_of(part: Part) -> tuple | None:
    """The best point at which something was compared with the baseline."""
    compared = {panels.point_key(record["params"]) for record in part.ratios if "ratio" in record and not record["ratio"].get("bound")}
    return panels.best_point(part, [cell for cell in part.cells if panels.point_key(cell["params"]) in compared],
                             "baseline", "ratio")


def ratios(part: Part, key: tuple) -> dict[str, list[float]]:
    """The ratio to the baseline of each round at one point, by variant; as the judge pairs them."""
    times: dict[str, dict] = {}
    for row in part.rows:
        if row.status == "ok" and row.wall_s and panels.point_key(row.params) == key:
            times.setdefault(row.variant, {})[row.run, row.round] = row.wall_s
    base = times.pop("baseline", {})
    judged = {record["variant"] for record in panels.at(part.ratios, key) if "ratio" in record}
    return {variant: [base[pair] / mine[pair] for pair in mine if pair in base]
            for variant, mine in times.items() if variant in judged}


def distribution(parts: list[Part], labels: list[str], table: dict, key: tuple) -> Figure | None:
    """The ratio of each round on a logarithmic axis, the median and its interval below; the band is the control's margin,
    a bracket the range that a claim names."""
    here = [ratios(part, key) for part in parts]
    names = [name for name in table if any(found.get(name) for found in here)]
    if not names:
        return None
    figure, axes = panels.grid(labels, 1.1 + 0.36 * len(names))
    for part, found, one in zip(parts, here, axes):
        one.axvspan(*panels.margin(parts), color=looks.GREY, alpha=0.25, lw=0)
        one.axvline(1, color=looks.INK, lw=0.8)
        for line, name in enumerate(names):
            look = table[name]
            values = panels.thinned(sorted(found.get(name, [])), MOST)
            heights = [line - 0.12 - 0.1 * (place % 3) for place in range(len(values))]
            one.plot(values, heights, **looks.dots(look), ls="none", ms=4, alpha=0.7)
            for record in panels.at(part.ratios, key):
                seen = record.get("ratio", {})
                if record["variant"] == name and panels.closed(seen):
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
    return [(claim["lo"], claim["hi"], claim["variant"]) for claim in part.claims
            if claim["quantity"] == "ratio" and claim["against"] == "baseline" and not claim["of"]
            and not claim["control"] and panels.point_key(claim["where"]) == key]


def bracket(axes, height: float, low: float, high: float | None) -> None:
    """From `low` to `high`; open to the right without one."""
    axes.plot([low, high or low * 1.15], [height, height], color=looks.INK, lw=1)
    axes.plot([low], [height], "|", color=looks.INK, ms=7)
    axes.plot([high or low * 1.15], [height], "|" if high else ">", color=looks.INK, ms=7 if high else 3)
