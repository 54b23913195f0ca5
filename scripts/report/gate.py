"""How often the gate raises an alarm, by the slow-down that is really there (validation.json)."""

from matplotlib.figure import Figure

from . import looks


def draw(rows: list[dict]) -> Figure | None:
    """Rates with their Wilson intervals; one line for each series."""
    if not rows:
        return None
    figure = Figure(figsize=(8, 3), layout="constrained")
    axes = figure.add_subplot()
    series = dict.fromkeys((row["series"], row["method"]) for row in rows)
    for place, key in enumerate(series):
        mine = sorted((row for row in rows if (row["series"], row["method"]) == key), key=lambda row: row["slowdown_percent"])
        colour, marker = looks.COLOURS[place % len(looks.COLOURS)], looks.MARKERS[place % len(looks.MARKERS)]
        shift = 0.04 * place
        sizes = [row["slowdown_percent"] + shift for row in mine]
        axes.vlines(sizes, [100 * row["low"] for row in mine], [100 * row["high"] for row in mine], color=colour, lw=2)
        axes.plot(sizes, [100 * rate(row) for row in mine], marker=marker, color=colour, lw=1, label=f"{key[0]}, {key[1]}")
    axes.set_xlabel("slow-down that is there, %", fontsize=9)
    axes.set_ylabel("alarms, % of decisions", fontsize=9)
    axes.set_ylim(-4, 104)
    figure.legend(loc="outside upper center", ncols=2, fontsize=8)
    return figure


def rate(row: dict) -> float:
    return row["alarms"] / row["decisions"]
