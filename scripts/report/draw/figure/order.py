"""The order in which the trials of a run were made: a slope would be drift."""

import math
import statistics

from matplotlib.figure import Figure

from report.draw import looks, panels
from report.draw.drawing import Description, Drawing
from report.read.load import Part, Run
from report.say import selection, units

NEAR = 0.7, 1.4  # times its cell's median
MOST = 200  # of those near the median, and of the others


def order(run: Run) -> Figure | None:
    """Time of each trial over the median of its cell, in the order of the run. The line is the median of twelve
    neighbouring parts of the run."""
    drawn = [deviations([part for part in run.parts if part.set == one]) for one in run.sets]
    if not any(drawn):
        return None
    figure, axes = panels.grid([run.label(one) for one in run.sets], 3.0)
    for values, one in zip(drawn, axes):
        one.axhline(1, color=looks.INK, lw=0.8)
        kept = shown(values)
        panels.dots(
            one,
            [place for place, _ in kept],
            [value for _, value in kept],
            3,
            color=looks.COLOURS[1],
            alpha=0.5,
        )
        if not values:
            panels.empty(one)
        line = drift(values)
        one.plot(
            [place for place, _ in line], [value for _, value in line], color=looks.COLOURS[0], lw=2
        )
    values = [value for values in drawn for value in values]
    low, high = min([*values, NEAR[0]]) / 1.05, max([*values, NEAR[1]]) * 1.05
    panels.ratio_axis(axes[0].yaxis, low, high)
    axes[0].set_ylim(low, high)
    axes[0].set_ylabel("time / median of its cell")
    panels.place(figure, axes, "trials, in the order in which they ran", 0.75)
    return figure


def shown(values: list[float]) -> list[tuple[int, float]]:
    """All that lie far from their median, which the axis is scaled to, or so many; and some of the others."""
    places = list(enumerate(values, 1))
    far = [one for one in places if not NEAR[0] <= one[1] <= NEAR[1]]
    far.sort(key=lambda one: -abs(math.log(one[1])))
    near = [one for one in places if NEAR[0] <= one[1] <= NEAR[1]]
    return far[:MOST] + selection.thinned(near, MOST)


def deviations(parts: list[Part]) -> list[float]:
    """The deviations of all trials of one set, whatever their program."""
    points = []
    for part in parts:
        medians = {
            (cell["variant"], selection.point_key(cell["params"])): cell["wall_s"]["median"]
            for cell in part.cells
            if "wall_s" in cell and not cell["wall_s"].get("bound") and cell["wall_s"]["median"]
        }
        keys: dict[int, tuple] = {}
        for row in part.rows:
            key = keys.setdefault(id(row.params), selection.point_key(row.params))
            if row.status == "ok" and row.wall_s and (row.variant, key) in medians:
                points.append((row.run, row.position, row.wall_s / medians[row.variant, key]))
    return [value for _, _, value in sorted(points)]  # a run's name begins with its time


def drift(values: list[float], groups: int = 12) -> list[tuple[float, float]]:
    size = -(-len(values) // groups) or 1
    chunks = [(start, values[start : start + size]) for start in range(0, len(values), size)]
    return (
        [(start + (len(chunk) + 1) / 2, statistics.median(chunk)) for start, chunk in chunks]
        if len(values) >= 3 * groups
        else []
    )


def described(run: Run) -> Drawing:
    count = sum(len(part.rows) for part in run.parts)
    note = (
        f" Of {count} trials a panel shows at most {MOST} within {NEAR[0]:g}x and {NEAR[1]:g}x, and "
        f"the {MOST} furthest of the others."
        if count > MOST
        else ""
    )
    return Drawing(
        "Run order",
        "Each trial over the median of its cell, in the order in which they ran; line: the median of "
        f"twelve neighbouring parts. A slope would be drift.{note}",
        order(run),
        drift_words(run),
    )


def drift_words(run: Run) -> str:
    lines = [drift(deviations([part for part in run.parts if part.set == one])) for one in run.sets]
    medians = [value for line in lines for _, value in line]
    low, high = (units.digits(end(medians)) for end in (min, max)) if medians else ("", "")
    return f"The medians of the twelve parts lie between {low}x and {high}x." if medians else ""


FIGURE = Description("order", "run", place=5, draw=described)
