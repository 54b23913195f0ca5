"""Where the time goes: stages stacked."""

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from report.draw import looks, panels
from report.draw.drawing import Description, Drawing, first_point
from report.read.load import Part
from report.say import selection, story, units

LABEL = 0.5  # inches for a time to the right of the longest bar


def names_of(parts: list[Part]) -> list[str]:
    """In the order of time, as far as it is declared (results/issues.toml)."""
    order = story.figure_words()["stages"]
    found = {stage for part in parts for cell in part.cells for stage in cell["stages"]}
    return sorted(
        found, key=lambda stage: (order.index(stage) if stage in order else len(order), stage)
    )


def baseline_of(declared: dict) -> str:
    """The variant whose stages stand for the baseline's."""
    return declared["stages_from"] or "baseline"


def point_of(part: Part) -> tuple | None:
    staged = [cell for cell in part.cells if cell["stages"] and "wall_s" in cell]
    return selection.best_point(part, staged, baseline_of(part.declared), "share")


def stacked(parts: list[Part], labels: list[str], key: tuple) -> Figure:
    """The baseline beside each variant but the controls, at one point of the axes; medians. White: time that no stage holds."""
    instead = baseline_of(parts[0].declared)
    controls = {
        variant["name"] for variant in parts[0].declared["variants"] if variant["role"] == "control"
    } - {instead}
    here = [
        [
            cell
            for cell in selection.at(part.cells, key)
            if cell["stages"] and "wall_s" in cell and cell["variant"] not in controls
        ]
        for part in parts
    ]
    order = {}
    for cell in sorted(
        (cell for cells in here for cell in cells), key=lambda cell: -cell["wall_s"]["median"]
    ):
        order.setdefault(cell["variant"], len(order))
    figure, axes = panels.grid(labels, 1.5 + 0.36 * len(order))
    names = names_of(parts)
    scale, unit = units.time_unit(
        [max(cell["wall_s"]["median"] for cells in here for cell in cells)]
    )
    for cells, one in zip(here, axes):
        for cell in cells:
            left, line = 0.0, order[cell["variant"]]
            for name in names:
                width = cell["stages"].get(name, {}).get("median", 0.0) / scale
                colour, hatch = looks.STAGES[names.index(name) % len(looks.STAGES)]
                if width:
                    one.barh(
                        [line],
                        [width],
                        left=[left],
                        color=colour,
                        hatch=hatch,
                        edgecolor="#333333",
                        lw=0.5,
                    )
                left += width
            total = cell["wall_s"]["median"] / scale
            if total > left:
                one.barh(
                    [line], [total - left], left=[left], color="none", edgecolor="#777777", lw=0.5
                )
            one.annotate(
                units.median_seconds(cell["wall_s"]), (max(left, total), line), **looks.BESIDE
            )
        if not cells:
            panels.empty(one)
        one.margins(x=0.02)
    axes[0].set_xlim(left=0)
    shown = [f"baseline (as {name})" if name == instead != "baseline" else name for name in order]
    axes[0].set_yticks(range(len(order)), shown)
    axes[0].set_ylim(len(order) - 0.4, -0.6)
    columns = panels.columns_of_legend(names, figure.get_size_inches()[0])
    legend(figure, names, columns)
    panels.place(
        figure,
        axes,
        f"time, {unit}",
        panels.room(shown),
        right=0.15 + LABEL,
        top=panels.rows_of_legend(len(names), columns),
    )
    return figure


def legend(figure: Figure, names: list[str], columns: int) -> None:
    handles = [
        Patch(
            facecolor=looks.STAGES[place % len(looks.STAGES)][0],
            hatch=looks.STAGES[place % len(looks.STAGES)][1],
            edgecolor="#333333",
            lw=0.5,
            label=name,
        )
        for place, name in enumerate(names)
    ]
    handles = [
        handle for column in range(columns) for handle in handles[column::columns]
    ]  # it is filled by columns, and read by rows
    figure.legend(handles=handles, loc="upper center", ncols=columns, fontsize=9, borderaxespad=0.1)


def described(program: str, parts: list[Part], labels: list[str], table: dict) -> Drawing | None:
    key = first_point(parts, point_of)
    if not key:
        return None
    source = parts[0].declared["stages_from"]
    instead = (
        f' The baseline is one call that shows no stages; its bar, "baseline (as {source})", was measured on {source}, '
        "the same stages composed unchanged."
    )
    return Drawing(
        "Stages",
        f"Medians at {units.point(dict(key))}."
        f"{instead if source not in ('', 'baseline') else ''} White: time between the stages.",
        stacked(parts, labels, key),
        found(parts[-1], key),
    )


def found(part: Part, key: tuple) -> str:
    """The largest stage of the baseline."""
    cells = {
        cell["variant"]: cell
        for cell in selection.at(part.cells, key)
        if cell["stages"] and "wall_s" in cell
    }
    base = cells.get(baseline_of(part.declared))
    if not base:
        return ""
    name, seen = max(base["stages"].items(), key=lambda stage: stage[1]["median"])
    time = units.median_seconds(base["wall_s"])
    return f"{name} takes {units.seconds(seen['median'])} of the {time} of {base['variant']}, at {units.point(dict(key))}."


FIGURE = Description("stages", "program", place=2, draw=described)
