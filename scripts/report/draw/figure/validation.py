"""How often the gate and the usual ways raise an alarm, by the slowdown that is really there (validation.json)."""

from matplotlib.figure import Figure

from report.draw import looks
from report.draw.drawing import Description, Drawing
from report.read.load import Run


def draw(rows: list[dict]) -> Figure | None:
    """Rates with their Wilson intervals: a place for each series, a colour and a marker for each method."""
    if not rows:
        return None
    figure = Figure(figsize=(4.3, 3.6), layout="constrained")
    axes = figure.add_subplot()
    series = list(
        dict.fromkeys(
            row["series"]
            for row in sorted(rows, key=lambda row: (row["slowdown_percent"], row["series"]))
        )
    )
    methods = sorted(
        {row["method"] for row in rows},
        key=lambda method: (not method.startswith("cliffbench"), method),
    )
    for number, method in enumerate(methods):
        mine = [row for row in rows if row["method"] == method]
        shift = 0.16 * (number - (len(methods) - 1) / 2)
        places = [series.index(row["series"]) + shift for row in mine]
        colour = looks.COLOURS[number % len(looks.COLOURS)]
        axes.vlines(
            places,
            [100 * row["low"] for row in mine],
            [100 * row["high"] for row in mine],
            color=colour,
            lw=2,
        )
        axes.plot(
            places,
            [100 * rate(row) for row in mine],
            linestyle="none",
            color=colour,
            label=method,
            marker=looks.MARKERS[number % len(looks.MARKERS)],
        )
    axes.set_xticks(range(len(series)), [name.replace(", ", ",\n") for name in series], fontsize=9)
    axes.set_xlabel("true slowdown (A/A: none)", fontsize=9)
    axes.set_ylabel("alarms, % of decisions", fontsize=9)
    axes.set_ylim(-4, 104)
    figure.legend(
        loc="outside upper center", ncols=2, fontsize=9, columnspacing=1, handletextpad=0.2
    )
    return figure


def rate(row: dict) -> float:
    return row["alarms"] / row["decisions"]


def described(run: Run) -> Drawing | None:
    if not run.validation:
        return None
    rows = run.validation["rows"]
    found = [
        f"{row['alarms']} of {row['decisions']} at {row['slowdown_percent']} %"
        for row in sorted(rows, key=lambda row: row["slowdown_percent"])
        if row["method"].startswith("cliffbench")
    ]
    finding = f"Alarms of cliffbench gate by true slowdown: {', '.join(found)}."
    return Drawing("Alarms of the gate", "Bars: 95 % Wilson intervals.", draw(rows), finding)


FIGURE = Description("validation", "run", place=0, draw=described)
