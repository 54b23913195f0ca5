"""The common parts of the figures: a panel for each set, with shared axes; the choice of points and samples. Matplotlib takes
half a second to import, so only what draws imports it."""

from __future__ import annotations

import math
import typing
from collections import Counter, defaultdict
from collections.abc import Sequence

from . import units
from .load import Part, size_of

if typing.TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

SAMPLES = 100  # at most that many faint samples a panel: the page must stay small
MOVED = ", control moved"
VOID = "void until the next publication"
LETTER = 0.073  # inches, of the widest text that occurs at 9 points
WIDTH = 4.2  # inches, of a figure of one panel: on a phone its letters still have 11 pixels


def grid(labels: Sequence[str], height: float, columns: int = 3) -> tuple[Figure, list[Axes]]:
    """One panel for each set with shared axes, so many beside each other; their titles where there are several. Who draws
    ends with `place`."""
    from matplotlib.figure import Figure
    columns = min(columns, len(labels))
    rows = -(-len(labels) // columns)
    figure = Figure(figsize=(WIDTH if columns < 2 else 10.2, height * rows))
    axes = list(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
    for spare in axes[len(labels):]:
        spare.remove()
    for one, label in zip(axes, labels):
        one.tick_params(labelbottom=True)
        if len(labels) > 1:
            one.set_title(label)
    return figure, axes[:len(labels)]


def room(names: Sequence[str]) -> float:
    """Inches for the longest of them beside an axis."""
    return 0.3 + LETTER * max(map(len, names), default=0)


def columns_of_legend(names: Sequence[str], width: float) -> int:
    """As many as fit above a figure of this width."""
    return max(1, min(len(names), int(width / (0.5 + 0.9 * LETTER * max(map(len, names), default=1)))))


def rows_of_legend(entries: int, columns: int) -> float:
    """Inches for a legend above the panels."""
    return 0.1 + 0.19 * -(-entries // columns)


def place(figure: Figure, axes: list[Axes], words: str, left: float, right: float = 0.15, top: float = 0.1,
          foot: float = 0.3) -> None:
    """Puts the panels where there is room for names on their left and right, a legend at the top of the figure, tick labels
    at the foot of each, and below all the words for what the axis shows. All in inches; the figure grows rather than that
    a panel becomes too narrow. (A layout engine finds the same by drawing everything twice, which takes as long again.)"""
    of = axes[0].get_subplotspec().get_gridspec()
    titles, gap, below = 0.25 * (len(axes) > 1), 0.15, 0.22
    width, height = figure.get_size_inches()
    wide = max(1.5 if len(axes) == 1 else 2.4, (width - left - right - (of.ncols - 1) * (right + gap)) / of.ncols)
    high = max(0.6, (height - top - below) / of.nrows - titles - foot)
    width = left + of.ncols * (wide + right) + (of.ncols - 1) * gap
    height = top + below + of.nrows * (titles + high + foot)
    figure.set_size_inches(width, height)
    figure.supxlabel(words, fontsize=9, y=0.05 / height, x=(left + (wide if of.ncols == 1 else width - left - right) / 2) / width
                     if LETTER * len(words) < 2 * left + wide else 0.5)
    for number, one in enumerate(axes):
        row, column = divmod(number, of.ncols)
        across, down = left + column * (wide + right + gap), top + (row + 1) * (titles + high) + row * foot
        one.set_position((across / width, 1 - down / height, wide / width, high / height))


def empty(axes: Axes) -> None:
    axes.text(0.5, 0.5, "not measured here", ha="center", va="center", transform=axes.transAxes, style="italic")


def thinned(items: list, most: int) -> list:
    """At most `most` of them, evenly, always the same."""
    if len(items) <= most:
        return items
    return [items[place * len(items) // most] for place in range(most)]


def dots(axes: Axes, places: list, values: list, size: float, **how) -> None:
    """Many small round points as one line of nothing but its ends: a marker each would take three times the bytes."""
    axes.plot(*([one for value in of for one in (value, value, math.nan)] for of in (places, values)), lw=size, ls="-",
              solid_capstyle="round", **how)


def point_key(params: dict) -> tuple:
    return tuple(sorted(params.items()))


def point_order(declared: dict, params: dict, usual: dict) -> tuple:
    """Sorts points: those that differ from the usual one in the same axes together, sizes as numbers."""
    other = tuple(axis for axis, value in params.items() if value != usual.get(axis))
    return len(other), other, tuple((size_of(declared, axis, value) or 0, value) for axis, value in params.items())


def best_point(part: Part, cells: list[dict], needed: str, quantity: str) -> tuple | None:
    """The point of which something is claimed of this quantity; of several, or without one, that with the most variants,
    then patches, then the largest and slowest; of those with the variant `needed`."""
    points = defaultdict(list)
    for cell in cells:
        points[point_key(cell["params"])].append(cell)
    with_needed = {key: group for key, group in points.items() if any(cell["variant"] == needed for cell in group)}
    patches = set(part.patches())
    claimed = {point_key(claim["where"]) for claim in part.claims
               if claim["quantity"] == quantity and claim["measured"] and not claim["control"]
               and (quantity != "ratio" or claim["against"] == "baseline" and not claim["of"])}

    def rank(key: tuple) -> tuple:
        group = {cell["variant"] for cell in with_needed[key]}
        slowest = max(cell.get("wall_s", {}).get("median", 0) for cell in with_needed[key])
        size = sum(size_of(part.declared, axis, value) or 1 for axis, value in key)
        return key in claimed, len(group), len(group & patches), size, slowest

    return max(with_needed, key=rank, default=None)


def margin(parts: list[Part]) -> tuple[float, float]:
    """The range out of which a control moves, where all controls of a program have one."""
    ranges = {(claim["lo"], claim["hi"]) for part in parts for claim in part.claims
              if claim["control"] and claim["quantity"] == "ratio"}
    low, high = ranges.pop() if len(ranges) == 1 else (0.9, 1.1)
    return (low, high) if low and high else (0.9, 1.1)


def margin_words(parts: list[Part]) -> str:
    low, high = margin(parts)
    return f"{low:g} to {high:g}, the margin of a control"


def ratio_text(record: dict) -> str:
    """A ratio with its interval, marked where a control of its point moved."""
    return units.interval(record.get("ratio"), unit="x") + (MOVED if record.get("control_moved") else "")


def closed(seen: dict) -> bool:
    """Whether what the judge saw has an interval with both ends."""
    return "lo" in seen and seen["hi"] is not None


def apart(one: dict, other: dict) -> bool:
    """Whether two intervals with both ends have nothing in common."""
    return one["lo"] > other["hi"] or one["hi"] < other["lo"]


def at(records: list[dict], key: tuple) -> list[dict]:
    return [record for record in records if point_key(record["params"]) == key]


def usual_of(records: list[dict]) -> dict:
    """The most common value of each axis that all have: a line names only what differs from it."""
    seen: dict[str, Counter] = {}
    for record in records:
        for axis, value in record["params"].items():
            seen.setdefault(axis, Counter())[value] += 1
    return {axis: values.most_common(1)[0][0] for axis, values in seen.items() if values.total() == len(records)}


def unusual(params: dict, usual: dict) -> str:
    return units.point({axis: value for axis, value in params.items() if value != usual.get(axis)})


def ratio_axis(axis: Axis, low: float, high: float) -> None:
    """A logarithmic axis of ratios on which some ticks can be read, however short or long it is."""
    axis.axes.set_xscale("log") if axis.axis_name == "x" else axis.axes.set_yscale("log")
    decades = math.log10(high / low)
    if decades > 4:
        ticks = [10.0 ** power for power in range(-12, 13, 2)]
    elif decades > 2.5:
        ticks = [10.0 ** power for power in range(-12, 13)]
    elif decades > 1.6:
        ticks = [step * 10.0 ** power for power in range(-3, 7) for step in (1, 3)]
    elif decades > 0.9:
        ticks = [step * 10.0 ** power for power in range(-3, 7) for step in (1, 2, 5)]
    elif decades > 0.35:
        ticks = [0.3, 0.5, 0.7, 1, 1.4, 2, 3, 5]
    else:
        ticks = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 8, 10]
    axis.set_ticks([tick for tick in ticks if low <= tick <= high], minor=False)
    axis.set_ticks([], minor=True)
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}x" if value >= 1 and value % 1 == 0 else f"{value:g}x")


def time_axis(axes: list[Axes], words: str) -> str:
    """Ticks on a logarithmic axis of times, all in one unit, unless that would need too many digits; the axis' title."""
    from matplotlib.ticker import LogLocator, NullLocator
    low, high = axes[0].get_ylim()
    shown = next(((unit, scale) for unit, scale in units.TIME_UNITS if low / scale > 0.005 and high / scale < 5000), None)
    for one in axes:
        one.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 60 else (1, 3) if high / low < 1000 else (1,)))
        one.yaxis.set_major_formatter((lambda value, _: f"{value / shown[1]:g}") if shown else lambda value, _: units.tick_seconds(value))
        one.yaxis.set_minor_locator(NullLocator())
    return f"{words}, {shown[0]}" if shown else words


def short(params: dict, common: dict) -> str:
    return " ".join(f"{axis}:{value}" for axis, value in params.items() if axis not in common)
