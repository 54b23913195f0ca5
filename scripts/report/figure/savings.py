"""What the patches save of each stage, as a waterfall."""

from matplotlib.figure import Figure

from .. import looks, panels, units
from ..drawing import Description, Drawing, first_point
from ..load import Part
from .stages import COLUMNS, baseline_of, legend, names_of, point_of

REST = "between the stages"


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


def most_patched(parts: list[Part], key: tuple) -> str | None:
    """The staged variant with the most patches at this point; of equals the fastest."""
    for part in parts:
        patches = part.patches()
        cells = [cell for cell in panels.at(part.cells, key)
                 if cell["stages"] and "wall_s" in cell and cell["variant"] in patches]
        if cells:
            return min(cells, key=lambda cell: (-patches[cell["variant"]], cell["wall_s"]["median"]))["variant"]
    return None


def described(program: str, parts: list[Part], labels: list[str], table: dict) -> Drawing | None:
    key = first_point(parts, point_of)
    patched = key and most_patched(parts, key)
    if not patched:
        return None
    counts = parts[0].patches()
    more = [other for other in counts if counts[other] > counts[patched]
            and any(cell["variant"] == other and "wall_s" in cell and not cell["stages"] for part in parts for cell in panels.at(part.cells, key))]
    note = f" Of {' and '.join(more)} no stage is left." if more else ""
    return Drawing(f"What {patched} saves of each stage",
                   f"Differences of medians, from the baseline down, at {units.point(dict(key))}.{note}",
                   waterfall(parts, labels, key, patched))


FIGURE = Description("savings", "program", place=3, worth=4, draw=described)
