"""Figures from records. Functions take data and return a figure; colours and markers belong to the variant."""

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure  # noqa: E402

from . import units  # noqa: E402
from .load import size_of  # noqa: E402

# Stands for "the colour of the text around": render.py puts `currentColor` in its place, so that one figure serves
# light and dark pages. No other element may use it.
INK = "#010203"
GREY = "#8a8a8a"
# Okabe and Ito's colours, without black (the baseline is drawn in ink) and yellow (unreadable on white), then three
# of Paul Tol's.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#AA4499", "#999933", "#44AA99"]
MARKERS = ["s", "^", "D", "v", "P", "X", "<", ">", "h"]
HATCHES = ["", "///", "...", "xxx", "\\\\\\", "+++"]

matplotlib.rcParams.update({
    "svg.hashsalt": "cliffbench", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "axes.titlecolor": INK,
    "xtick.color": INK, "ytick.color": INK, "axes.spines.top": False, "axes.spines.right": False,
    "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none",
    "legend.frameon": False, "hatch.linewidth": 0.6,
})


def styles(program: dict) -> dict[str, dict]:
    """One colour and marker for each variant, in every figure: by its place in the program's table."""
    table = {}
    for place, variant in enumerate(program["variants"]):
        baseline = variant["role"] == "baseline"
        table[variant["name"]] = {
            "color": INK if baseline else COLOURS[place % len(COLOURS)],
            "marker": "o" if baseline else MARKERS[place % len(MARKERS)],
        }
    return table


def short(params: dict, common: dict) -> str:
    return " ".join(f"{axis}:{value}" for axis, value in params.items() if axis not in common)


def common_params(records: list[dict]) -> dict:
    """The axes that stand at one value in all records: said once, not on every line."""
    first = records[0]["params"]
    return {axis: value for axis, value in first.items()
            if all(record["params"].get(axis) == value for record in records)}


def ratios(records: list[dict], table: dict[str, dict]) -> Figure:
    """A forest plot: baseline / variant with its interval, on a logarithmic axis."""
    records = sorted(records, key=lambda r: (r["role"] != "patch", r["params"] != records[0]["params"], -r["ratio"]["median"]),
                     reverse=True)
    common = common_params(records)
    figure = Figure(figsize=(8, 0.9 + 0.3 * len(records)), layout="constrained")
    axes = figure.add_subplot()
    axes.axvspan(0.9, 1.1, color=GREY, alpha=0.25, lw=0)
    axes.axvline(1, color=INK, lw=0.8)
    for line, record in enumerate(records):
        seen = record["ratio"]
        style = table[record["variant"]]
        filled = style["color"] if record["role"] == "patch" else "none"
        if "lo" in seen:
            high = seen["hi"] if seen["hi"] is not None else seen["median"] * 3
            axes.plot([seen["lo"], high], [line, line], color=style["color"], lw=2)
        marker = ">" if seen.get("bound") else style["marker"]
        axes.plot([seen["median"]], [line], marker=marker, color=style["color"], mfc=filled, ms=7, ls="none")
        axes.annotate(units.interval(seen, unit="x"), (1.01, line), xycoords=("axes fraction", "data"),
                      va="center", fontsize=9)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}x")
    axes.xaxis.set_minor_formatter("")
    axes.set_yticks(range(len(records)),
                    [f"{r['variant']}  {short(r['params'], common)}".strip() for r in records])
    axes.set_ylim(-0.6, len(records) - 0.4)
    axes.set_xlabel("baseline / variant, right is faster", fontsize=9)
    return figure


def scaling(lines: list[dict], cells: list[dict], rows: list[dict], table: dict[str, dict], declared: dict) -> Figure:
    """Time against size on logarithmic axes: every sample faint, the median, its interval; a stopped trial is an open
    triangle at its limit. `lines` are the judge's exponents of one axis at one `where`."""
    axis, where = lines[0]["axis"], lines[0]["where"]
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    axes = figure.add_subplot()

    def on_line(record: dict, variant: str) -> bool:
        return (record["variant"] == variant and
                all(record["params"].get(name) == value for name, value in where.items()))

    for line in lines:
        style = table[line["variant"]]
        for row in (row for row in rows if on_line(row, line["variant"])):
            size = size_of(declared, axis, row["params"][axis])
            if row["status"] == "ok":
                axes.plot([size], [row["wall_s"]], style["marker"], color=style["color"], alpha=0.25, ms=4, mew=0)
            elif row["status"] == "timeout":
                axes.plot([size], [row["limit_s"]], "^", color=style["color"], mfc="none", ms=10)
        points = sorted((size_of(declared, axis, cell["params"][axis]), cell["wall_s"]) for cell in cells
                        if on_line(cell, line["variant"]) and "wall_s" in cell and not cell["wall_s"].get("bound"))
        axes.plot([size for size, _ in points], [seen["median"] for _, seen in points], marker=style["marker"],
                  color=style["color"], lw=1.5, ms=6,
                  label=f"{line['variant']}: exponent {units.interval(line['exponent'])}")
        for size, seen in points:
            if seen.get("hi") is not None and "lo" in seen:
                axes.plot([size, size], [seen["lo"], seen["hi"]], color=style["color"], lw=3, alpha=0.6)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    labels = {size_of(declared, axis, cell["params"][axis]): cell["params"][axis] for line in lines for cell in cells
              if on_line(cell, line["variant"])}
    words = any(not label[0].isdigit() for label in labels.values())
    axes.set_xticks(list(labels), list(labels.values()), rotation=30 if words else 0, ha="right" if words else "center")
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter(lambda value, _: units.seconds(value))
    axes.yaxis.set_minor_formatter("")
    axes.grid(axis="y", color=GREY, alpha=0.3, lw=0.6)
    unit = next((known["unit"] for known in declared["axes"] if known["name"] == axis and words), "")
    axes.set_xlabel(f"{axis}{', by ' + unit if unit else ''}   ({units.point(where)})")
    axes.set_ylabel("timed region")
    axes.legend(loc="upper left", fontsize=9)
    axes.margins(y=0.25)
    return figure


def stages(cells: list[dict], baseline: str) -> Figure:
    """Stacked stages, the baseline beside each patched variant, at one point of the axes."""
    names = sorted({stage for cell in cells for stage in cell["stages"]})
    cells = sorted(cells, key=lambda cell: cell["wall_s"]["median"], reverse=True)
    figure = Figure(figsize=(8, 1.3 + 0.42 * len(cells)), layout="constrained")
    axes = figure.add_subplot()
    labels = [f"baseline ({baseline})" if cell["variant"] == baseline else cell["variant"] for cell in cells]
    left = [0.0] * len(cells)
    for place, name in enumerate(names):
        widths = [cell["stages"].get(name, {}).get("median", 0.0) for cell in cells]
        axes.barh(labels, widths, left=left, label=name, color=COLOURS[place % len(COLOURS)],
                  hatch=HATCHES[place % len(HATCHES)], edgecolor="white", lw=0.5)
        left = [start + width for start, width in zip(left, widths)]
    for line, total in enumerate(left):
        axes.annotate(f" {units.seconds(total)}", (total, line), va="center", fontsize=9)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlabel("seconds (medians)")
    axes.legend(loc="lower right", fontsize=9)
    return figure


def memory(cells: list[dict], table: dict[str, dict]) -> Figure:
    """Peak resident memory up to the end of the timed region, with its interval."""
    cells = sorted(cells, key=lambda cell: cell["rss_bytes"]["median"], reverse=True)
    figure = Figure(figsize=(8, 1.0 + 0.34 * len(cells)), layout="constrained")
    axes = figure.add_subplot()
    for line, cell in enumerate(cells):
        seen, style = cell["rss_bytes"], table[cell["variant"]]
        axes.barh([line], [seen["median"] / 1e6], color=style["color"], alpha=0.85, height=0.6)
        if "lo" in seen:
            axes.plot([seen["lo"] / 1e6, seen["hi"] / 1e6], [line, line], color=GREY, lw=2)
        axes.annotate(f"  {units.megabytes(seen['median'])}", (seen["median"] / 1e6, line), va="center", fontsize=9)
    axes.set_yticks(range(len(cells)), [cell["variant"] for cell in cells])
    axes.invert_yaxis()
    axes.margins(x=0.14)
    axes.set_xlabel("peak resident memory, MB")
    return figure
