"""Peak resident memory up to the end of the timed region."""

from matplotlib.figure import Figure

from .. import looks, panels, units
from ..drawing import Description, Drawing, first_point
from ..load import Part


def point_of(part: Part) -> tuple | None:
    return panels.best_point(part, [cell for cell in part.cells if "rss_bytes" in cell], "baseline", "memory")


def draw(parts: list[Part], labels: list[str], table: dict, key: tuple) -> Figure:
    """Medians with their intervals at one point, the largest first."""
    here = [[cell for cell in panels.at(part.cells, key) if "rss_bytes" in cell] for part in parts]
    order = {}
    for cell in sorted((cell for cells in here for cell in cells), key=lambda cell: -cell["rss_bytes"]["median"]):
        order.setdefault(cell["variant"], len(order))
    figure, axes = panels.grid(labels, 1.0 + 0.3 * len(order))
    for cells, one in zip(here, axes):
        for cell in cells:
            seen, look, line = cell["rss_bytes"], table[cell["variant"]], order[cell["variant"]]
            one.barh([line], [seen["median"] / 1e6], facecolor=look["color"] if look["filled"] else "none",
                     edgecolor=look["color"], alpha=0.85, height=0.6)
            end = seen["median"]
            if panels.closed(seen):
                one.plot([seen["lo"] / 1e6, seen["hi"] / 1e6], [line, line], color=looks.GREY, lw=2, marker="|", ms=8)
                end = max(end, seen["hi"])
            one.annotate(units.digits(seen["median"] / 1e6), (end / 1e6, line), **looks.BESIDE)
        if not cells:
            panels.empty(one)
        one.margins(x=0.16)
    axes[0].set_xlim(left=0)
    axes[0].set_yticks(range(len(order)), list(order))
    axes[0].set_ylim(len(order) - 0.4, -0.6)
    panels.place(figure, axes, "peak resident memory, MB", panels.room(list(order)))
    return figure


def described(program: str, parts: list[Part], labels: list[str], table: dict) -> Drawing | None:
    key = first_point(parts, point_of)
    return key and Drawing("Peak memory",
                           f"Up to the end of the timed region, medians with 95 % intervals, at {units.point(dict(key))}. "
                           "Hollow: a reference or a control.", draw(parts, labels, table, key))


FIGURE = Description("memory", "program", place=4, worth=3, draw=described)
