"""The common parts of the figures: a panel for each set, with shared axes; the choice of points and samples. Matplotlib takes
half a second to import, so only what draws imports it."""

from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from report.say import units

if typing.TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

LETTER = 0.073  # inches, of the widest text that occurs at 9 points
APART = 0.072  # of a panel's height: names at the ends of lines
WIDTH = 4.2  # inches, of a figure of one panel: on a phone its letters still have 11 pixels


def grid(labels: Sequence[str], height: float, columns: int = 3) -> tuple[Figure, list[Axes]]:
    """One panel for each set with shared axes, so many beside each other; their titles where there are several. Who draws
    ends with `place`."""
    from matplotlib.figure import Figure

    columns = min(columns, len(labels))
    rows = -(-len(labels) // columns)
    figure = Figure(figsize=(WIDTH if columns < 2 else 10.2, height * rows))
    axes = list(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
    for spare in axes[len(labels) :]:
        spare.remove()
    for one, label in zip(axes, labels):
        one.tick_params(labelbottom=True)
        if len(labels) > 1:
            one.set_title(label)
    return figure, axes[: len(labels)]


def room(names: Sequence[str]) -> float:
    """Inches for the longest of them beside an axis."""
    return 0.3 + LETTER * max(map(len, names), default=0)


def columns_of_legend(names: Sequence[str], width: float) -> int:
    """As many as fit above a figure of this width."""
    return max(
        1, min(len(names), int(width / (0.5 + 0.9 * LETTER * max(map(len, names), default=1))))
    )


def rows_of_legend(entries: int, columns: int) -> float:
    """Inches for a legend above the panels."""
    return 0.1 + 0.19 * -(-entries // columns)


def place(
    figure: Figure,
    axes: list[Axes],
    words: str,
    left: float,
    right: float = 0.15,
    top: float = 0.1,
    foot: float = 0.3,
) -> None:
    """Puts the panels where there is room for names on their left and right, a legend at the top of the figure, tick labels
    at the foot of each, and below all the words for what the axis shows. All in inches; the figure grows rather than that
    a panel becomes too narrow. (A layout engine finds the same by drawing everything twice, which takes as long again.)"""
    of = axes[0].get_subplotspec().get_gridspec()
    titles, gap, below = 0.25 * (len(axes) > 1), 0.15, 0.22
    width, height = figure.get_size_inches()
    wide = max(
        1.4 if len(axes) == 1 else 2.4,
        (width - left - right - (of.ncols - 1) * (right + gap)) / of.ncols,
    )
    high = max(0.6, (height - top - below) / of.nrows - titles - foot)
    width = left + of.ncols * (wide + right) + (of.ncols - 1) * gap
    height = top + below + of.nrows * (titles + high + foot)
    figure.set_size_inches(width, height)
    figure.supxlabel(
        words,
        fontsize=9,
        y=0.05 / height,
        x=(left + (wide if of.ncols == 1 else width - left - right) / 2) / width
        if LETTER * len(words) < 2 * left + wide
        else 0.5,
    )
    for number, one in enumerate(axes):
        row, column = divmod(number, of.ncols)
        across, down = (
            left + column * (wide + right + gap),
            top + (row + 1) * (titles + high) + row * foot,
        )
        one.set_position((across / width, 1 - down / height, wide / width, high / height))


def empty(axes: Axes) -> None:
    axes.text(
        0.5,
        0.5,
        "not measured here",
        ha="center",
        va="center",
        transform=axes.transAxes,
        style="italic",
    )


def dots(axes: Axes, places: list, values: list, size: float, **how) -> None:
    """Many small round points as one line of nothing but its ends: a marker each would take three times the bytes."""
    axes.plot(
        *([one for value in of for one in (value, value, math.nan)] for of in (places, values)),
        lw=size,
        ls="-",
        solid_capstyle="round",
        **how,
    )


def ratio_axis(axis: Axis, low: float, high: float) -> None:
    """A logarithmic axis of ratios on which some ticks can be read, however short or long it is."""
    axis.axes.set_xscale("log") if axis.axis_name == "x" else axis.axes.set_yscale("log")
    decades = math.log10(high / low)
    if decades > 4:
        ticks = [10.0**power for power in range(-12, 13, 2)]
    elif decades > 2.5:
        ticks = [10.0**power for power in range(-12, 13)]
    elif decades > 1.6:
        ticks = [step * 10.0**power for power in range(-3, 7) for step in (1, 3)]
    elif decades > 0.9:
        ticks = [step * 10.0**power for power in range(-3, 7) for step in (1, 2, 5)]
    elif decades > 0.35:
        ticks = [0.3, 0.5, 0.7, 1, 1.4, 2, 3, 5]
    else:
        ticks = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 8, 10]
    axis.set_ticks([tick for tick in ticks if low <= tick <= high], minor=False)
    axis.set_ticks([], minor=True)
    axis.set_major_formatter(
        lambda value, _: f"{value:,.0f}x" if value >= 1 and value % 1 == 0 else f"{value:g}x"
    )


def time_axis(axes: list[Axes], words: str) -> str:
    """Ticks on a logarithmic axis of times, all in one unit, unless that would need too many digits; the axis' title."""
    from matplotlib.ticker import LogLocator, NullLocator

    low, high = axes[0].get_ylim()
    shown = next(
        (
            (unit, scale)
            for unit, scale in units.TIME_UNITS
            if low / scale > 0.005 and high / scale < 5000
        ),
        None,
    )
    for one in axes:
        one.yaxis.set_major_locator(
            LogLocator(subs=(1, 2, 5) if high / low < 60 else (1, 3) if high / low < 1000 else (1,))
        )
        one.yaxis.set_major_formatter(
            (lambda value, _: f"{value / shown[1]:g}")
            if shown
            else lambda value, _: units.tick_seconds(value)
        )
        one.yaxis.set_minor_locator(NullLocator())
    return f"{words}, {shown[0]}" if shown else words


def write_ends(axes: Axes, ends: list[tuple[float, str, dict]]) -> None:
    """Names each line, with its marker, to the right of its end and far enough from the others."""
    from report.draw import looks

    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    scale = axes.transScale.transform
    foot, head = scale((1, low))[1], scale((1, high))[1]
    place, rest = -1.0, len(ends)
    gap = min(APART, 1 / max(1, rest))
    for end, words, look in sorted(ends, key=lambda one: one[0]):
        height = (scale((1, end))[1] - foot) / (head - foot)
        place = max(place + gap, min(height, 1 - gap * rest))
        rest -= 1
        mark = looks.dots(look) | {"ms": 5, "ls": "none", "clip_on": False}
        axes.plot([1.03], [place], transform=axes.transAxes, **mark)
        beside = looks.BESIDE | {"xytext": (7, 0)}
        axes.annotate(
            words, (1.03, place), xycoords="axes fraction", annotation_clip=False, **beside
        )
