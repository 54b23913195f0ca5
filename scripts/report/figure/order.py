"""The order in which the trials ran: a slope would be drift."""

import statistics

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .. import looks, panels, units
from ..drawing import Description, Drawing
from ..load import Part

COLUMNS = 5  # of the legend


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


def described(program: str, parts: list[Part], labels: list[str], table: dict) -> Drawing:
    count = sum(len(part.rows) for part in parts)
    note = f" Of {count} trials at most {panels.SAMPLES} a panel are drawn." if count > panels.SAMPLES else ""
    return Drawing("Run order",
                   "Each trial over the median of its cell, in the order in which they ran; "
                   f"grey: the median of twelve neighbouring parts. A slope would be drift.{note}",
                   order(parts, labels, table))


FIGURE = Description("order", "program", place=5, worth=1, draw=described)
