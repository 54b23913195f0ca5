"""Where the time goes: stages stacked, and what the patches save of each as a waterfall."""

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from . import looks, panels, units
from .load import Part

REST = "between the stages"
COLUMNS = 4  # of the legend


def names_of(parts: list[Part]) -> list[str]:
    return sorted({stage for part in parts for cell in part.cells for stage in cell["stages"]})


def baseline_of(declared: dict) -> str:
    """The variant whose stages stand for the baseline's."""
    return declared["stages_from"] or "baseline"


def point_of(part: Part) -> tuple | None:
    staged = [cell for cell in part.cells if cell["stages"] and "wall_s" in cell]
    return panels.best_point(part, staged, baseline_of(part.declared), "share")


def stacked(parts: list[Part], labels: list[str], key: tuple) -> Figure:
    """The baseline beside each variant, at one point of the axes; medians. White: time that no stage holds."""
    here = [[cell for cell in panels.at(part.cells, key) if cell["stages"] and "wall_s" in cell] for part in parts]
    order = {}
    for cell in sorted((cell for cells in here for cell in cells), key=lambda cell: -cell["wall_s"]["median"]):
        order.setdefault(cell["variant"], len(order))
    figure, axes = panels.grid(labels, 1.5 + 0.36 * len(order))
    names = names_of(parts)
    scale, unit = units.time_unit([cell["wall_s"]["median"] for cells in here for cell in cells])
    for cells, one in zip(here, axes):
        for cell in cells:
            left, line = 0.0, order[cell["variant"]]
            for name in names:
                width = cell["stages"].get(name, {}).get("median", 0.0) / scale
                colour, hatch = looks.STAGES[names.index(name) % len(looks.STAGES)]
                if width:
                    one.barh([line], [width], left=[left], color=colour, hatch=hatch, edgecolor="#333333", lw=0.5)
                left += width
            total = cell["wall_s"]["median"] / scale
            if total > left:
                one.barh([line], [total - left], left=[left], color="none", edgecolor="#777777", lw=0.5)
            one.annotate(f"{units.digits(total)} {unit}", (max(left, total), line), **looks.BESIDE)
        if not cells:
            panels.empty(one)
        one.margins(x=0.18)
    axes[0].set_xlim(left=0)
    instead = baseline_of(parts[0].declared)
    shown = [f"baseline ({name})" if name == instead != "baseline" else name for name in order]
    axes[0].set_yticks(range(len(order)), shown)
    axes[0].set_ylim(len(order) - 0.4, -0.6)
    legend(figure, names)
    panels.place(figure, axes, f"{unit}, medians", panels.room(shown), top=panels.rows_of_legend(len(names), COLUMNS))
    return figure


def legend(figure: Figure, names: list[str]) -> None:
    handles = [Patch(facecolor=looks.STAGES[place % len(looks.STAGES)][0], hatch=looks.STAGES[place % len(looks.STAGES)][1],
                     edgecolor="#333333", lw=0.5, label=name) for place, name in enumerate(names)]
    figure.legend(handles=handles, loc="upper center", ncols=min(COLUMNS, len(names)), fontsize=9, borderaxespad=0.1)


def savings(part: Part, key: tuple, patched: str) -> list[tuple[str, float]] | None:
    """Seconds that the patches save of each stage: differences of medians. The rest is what no stage holds."""
    cells = {cell["variant"]: cell for cell in panels.at(part.cells, key) if cell["stages"] and "wall_s" in cell}
    before, after = cells.get(baseline_of(part.declared)), cells.get(patched)
    if not before or not after or before["wall_s"].get("bound") or after["wall_s"].get("bound"):
        return None
    names = sorted(set(before["stages"]) | set(after["stages"]))
    saved = [(name, before["stages"].get(name, {}).get("median", 0.0) - after["stages"].get(name, {}).get("median", 0.0))
             for name in names]
    total = before["wall_s"]["median"] - after["wall_s"]["median"]
    return saved + [(REST, total - sum(amount for _, amount in saved))]


def waterfall(parts: list[Part], labels: list[str], key: tuple, patched: str) -> Figure | None:
    """From the baseline's time down to the patched one's, a step for each stage."""
    found = [savings(part, key, patched) for part in parts]
    if not any(found):
        return None
    names = list(dict.fromkeys(name for saved in found if saved for name, _ in saved))
    figure, axes = panels.grid(labels, 1.3 + 0.34 * (len(names) + 2))
    shown = ["baseline", *names, patched]
    tops = [before(part, key) for part in parts]
    scale, unit = units.time_unit([top for top, saved in zip(tops, found) if saved])
    for part, saved, top, one in zip(parts, found, tops, axes):
        if not saved:
            panels.empty(one)
            continue
        level = top / scale
        bar(one, 0, 0, level, (looks.GREY, ""), units.digits(level))
        for name, amount in saved:
            place = 1 + names.index(name)
            step = amount / scale
            look = (looks.GREY, "") if name == REST else looks.STAGES[names_of(parts).index(name) % len(looks.STAGES)]
            bar(one, place, min(level, level - step), abs(step), look, signed(-step, level))
            level -= step
        bar(one, len(names) + 1, 0, level, (looks.GREY, ""), units.digits(level))
        one.use_sticky_edges = False  # a step of nothing at the right end would take the room of its words
        one.margins(x=0.18)
    axes[0].set_xlim(left=0)
    axes[0].set_yticks(range(len(names) + 2), shown)
    axes[0].set_ylim(len(names) + 1.6, -0.6)
    panels.place(figure, axes, f"{unit}; differences of medians", panels.room(shown))
    return figure


def signed(step: float, level: float) -> str:
    """A step of nothing is no -0.00."""
    if abs(step) < 1e-6 * (level or 1):
        return "0"
    return f"{'+' if step > 0 else '-'}{units.digits(abs(step))}"


def before(part: Part, key: tuple) -> float:
    return next((cell["wall_s"]["median"] for cell in panels.at(part.cells, key)
                 if cell["variant"] == baseline_of(part.declared) and "wall_s" in cell), 0.0)


def bar(axes, line: int, left: float, width: float, look: tuple, text: str) -> None:
    axes.barh([line], [width], left=[left], color=look[0], hatch=look[1], edgecolor="#333333", lw=0.5, height=0.7)
    axes.annotate(text, (left + width, line), **looks.BESIDE)
