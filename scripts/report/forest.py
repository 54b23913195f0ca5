"""The forest plot: baseline / variant with its interval, on a logarithmic axis; one line a variant and point."""

from matplotlib.figure import Figure

from . import looks, panels, units
from .load import Part
from .panels import common_params, point_key, short


def draw(parts: list[Part], labels: list[str], table: dict, limits: tuple[float, float] | None = None,
         margin: float = 0) -> Figure | None:
    """All ratios of one program, a panel for each set. The same `limits` of the axis and the same `margin` to its left (in
    inches) make the figures of several programs comparable."""
    shown = {key_of(record): record for part in parts for record in part.ratios if "ratio" in record}
    if not shown:
        return None
    records = sorted(shown.values(), key=lambda r: (r["role"] != "patch", point_key(r["params"]), -r["ratio"]["median"]))
    common = common_params(records)
    places = {key_of(record): place for place, record in enumerate(records)}
    figure, shared = panels.grid(labels, 0.9 + 0.27 * len(records))
    align(figure, shared, margin or margin_of([parts]))
    for part, axes in zip(parts, shared):
        axes.axvspan(0.9, 1.1, color=looks.GREY, alpha=0.25, lw=0)
        axes.axvline(1, color=looks.INK, lw=0.8)
        for record in part.ratios:
            if "ratio" in record:
                line(axes, places[key_of(record)], record, table[record["variant"]])
        low, high = limits or limits_of([parts])
        panels.ratio_axis(axes.xaxis, low, high)
        axes.set_xlim(low, high)
    shared[0].set_yticks(range(len(records)), [name_of(record, common) for record in records])
    shared[0].set_ylim(len(records) - 0.4, -0.6)
    figure.supxlabel("baseline / variant, right is faster", fontsize=9)
    return figure


def align(figure: Figure, shared: list, margin: float) -> None:
    """Panels of one width wherever the names end; room for the intervals as text on the right of each."""
    text, panel = 1.75, max(2.0, 8 - margin - 1.75) if len(shared) == 1 else 2.4
    width, height = margin + len(shared) * (panel + text), figure.get_figheight()
    figure.set_layout_engine("none")
    figure.set_figwidth(width)
    for place, axes in enumerate(shared):
        axes.set_position(((margin + place * (panel + text)) / width, 0.52 / height, panel / width,
                           1 - (0.62 + 0.25 * (len(shared) > 1)) / height))


def margin_of(programs: list[list[Part]]) -> float:
    """Inches for the longest name of a line."""
    longest = 0
    for parts in programs:
        records = [record for part in parts for record in part.ratios if "ratio" in record]
        common = common_params(records) if records else {}
        longest = max([longest, *(len(name_of(record, common)) for record in records)])
    return 0.2 + 0.073 * longest


def name_of(record: dict, common: dict) -> str:
    return f"{record['variant']}  {short(record['params'], common)}".strip()


def key_of(record: dict) -> tuple:
    return record["variant"], point_key(record["params"])


def line(axes, place: int, record: dict, look: dict) -> None:
    seen = record["ratio"]
    if "lo" in seen and seen["hi"] is not None:
        axes.plot([seen["lo"], seen["hi"]], [place, place], color=look["color"], lw=2)
    elif seen.get("bound") or "lo" in seen:  # open above: an arrow
        low = seen.get("lo", seen["median"])
        axes.annotate("", (low * 2, place), (low, place), arrowprops={"arrowstyle": "->", "color": look["color"], "lw": 1.5})
    axes.plot([seen["median"]], [place], **looks.dots(look), ms=7, ls="none")
    axes.annotate(units.interval(seen, unit="x"), (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize=9)


def limits_of(programs: list[list[Part]]) -> tuple[float, float] | None:
    """One axis for the forest plots of all programs."""
    ends = [end for parts in programs for part in parts for record in part.ratios if "ratio" in record
            for end in (record["ratio"].get("lo"), record["ratio"]["median"], record["ratio"].get("hi")) if end]
    return (min(ends + [0.5]) / 1.3, max(ends + [2]) * 1.6) if ends else None
