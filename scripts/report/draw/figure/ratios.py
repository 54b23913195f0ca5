"""The forest plot: baseline / variant with its interval, on a logarithmic axis; one line a variant and point."""

from matplotlib.figure import Figure

from report.draw import looks, panels
from report.draw.drawing import Description, Drawing
from report.read.load import Part
from report.say import selection, units
from report.say.selection import point_key

TALL = 25  # lines: with more, the scale stands at the top, too
MOST = 30  # lines: with more, only the variants that a claim is about


def draw(parts: list[Part], labels: list[str], table: dict) -> Figure | None:
    """The ratios of one program at the sizes of which something is claimed, a panel for each set."""
    records = records_of(parts)
    if not records:
        return None
    usual = selection.usual_of(records)
    declared = parts[0].declared
    records.sort(
        key=lambda record: (
            record["role"] != "patch",
            selection.point_order(declared, record["params"], usual),
            -record["ratio"]["median"],
        )
    )
    places = {key_of(record): place for place, record in enumerate(records)}
    names = [name_of(record, usual) for record in records]
    above = len(labels) == 1  # a phone has no room for the names on the left
    figure, shared = panels.grid(labels, 0.9 + (0.36 if above else 0.25) * len(records))
    tall = len(records) > TALL
    shown_of = {
        part.set: [record for record in drawn(part) if key_of(record) in places] for part in parts
    }
    shown = sum(shown_of.values(), [])
    low, high = limits_of(shown)
    for part, axes in zip(parts, shared):
        axes.axvspan(*selection.margin(parts), color=looks.GREY, alpha=0.25, lw=0)
        panels.ratio_axis(axes.xaxis, low, high)
        axes.set_xlim(low, high)
        axes.set_yticks([])
        axes.spines["left"].set_visible(not above)
        upright(
            axes,
            [(place - 0.2, place + 0.3) for place in range(len(records))]
            if above
            else [(-0.6, len(records) - 0.4)],
        )
        if tall:
            axes.tick_params(top=True, labeltop=True)
        lines(axes, places, shown_of[part.set], table)
    for place, name in enumerate(names):  # as ticks they would take several times as long to draw
        shared[0].text(
            0 if above else -0.02,
            place - 0.45 * above,
            name,
            transform=shared[0].get_yaxis_transform(),
            ha="left" if above else "right",
            va="center",
            fontsize=9,
        )
    shared[0].set_ylim(len(records) - (0.6 if above else 0.4), -0.8 if above else -0.6)
    texts = [units.ratio_text(record) for record in shown]
    panels.place(
        figure,
        shared,
        "baseline / variant, right is faster",
        0.2 if above else panels.room(names),
        0.9 * panels.room(texts),
        top=0.35 if tall else 0.1,
    )
    return figure


def upright(axes, rows: list[tuple[float, float]]) -> None:
    """The line of no change and the grid, in these rows only: between them stand names."""
    grid = {"color": looks.GREY, "alpha": 0.3, "lw": 0.6}
    for at, how in (
        (1, {"color": looks.INK, "lw": 0.8}),
        *((tick, grid) for tick in axes.get_xticks()),
    ):
        axes.vlines([at] * len(rows), *zip(*rows), zorder=1, **how)


def drawn(part: Part) -> list[dict]:
    """The ratios of which more than an upper bound is known."""
    return [
        record
        for record in part.ratios
        if "ratio" in record and record["ratio"]["median"] is not None
    ]


def records_of(parts: list[Part]) -> list[dict]:
    """A ratio of each variant and claimed point, whichever set has it."""
    claims = [
        claim
        for part in parts
        for claim in part.claims
        if claim["measured"] and claim["quantity"] == "ratio"
    ]
    own = [claim for claim in claims if not claim["control"]]
    points = {point_key(claim["where"]) for claim in own}
    records = {
        key_of(record): record
        for part in parts
        for record in drawn(part)
        if point_key(record["params"]) in points
    }
    if len(records) > MOST:
        named = {(claim["variant"], point_key(claim["where"])) for claim in own}
        records = {key: record for key, record in records.items() if key in named}
    return list(records.values())


def name_of(record: dict, usual: dict) -> str:
    return f"{record['variant']}  {selection.unusual(record['params'], usual)}".strip()


def key_of(record: dict) -> tuple:
    return record["variant"], point_key(record["params"])


def lines(axes, places: dict, records: list[dict], table: dict) -> None:
    """Interval, median and both as text of each; a bound and an interval that is open above have an arrow."""
    for variant in dict.fromkeys(record["variant"] for record in records):
        look, mine = table[variant], [record for record in records if record["variant"] == variant]
        closed = [record for record in mine if units.closed(record["ratio"])]
        axes.hlines(
            [places[key_of(record)] for record in closed],
            [record["ratio"]["lo"] for record in closed],
            [record["ratio"]["hi"] for record in closed],
            color=look["color"],
            lw=2,
        )
        axes.plot(
            [record["ratio"]["median"] for record in mine],
            [places[key_of(record)] for record in mine],
            **looks.dots(look),
            ms=7,
            ls="none",
        )
    for record in records:
        seen, place = record["ratio"], places[key_of(record)]
        axes.text(
            1.01,
            place,
            units.ratio_text(record),
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=9,
        )
        if seen.get("hi") is None and (seen.get("bound") or "lo" in seen):
            low = seen.get("lo", seen["median"])
            tip = min(low * 2, axes.get_xlim()[1])
            axes.annotate(
                "",
                (tip, place),
                (low, place),
                annotation_clip=False,
                arrowprops={
                    "arrowstyle": "->",
                    "color": table[record["variant"]]["color"],
                    "lw": 1.5,
                },
            )


def limits_of(records: list[dict]) -> tuple[float, float]:
    """The ends of the axis: from all medians and intervals, and around 1."""
    ends = [
        end
        for record in records
        for end in (record["ratio"].get("lo"), record["ratio"]["median"], record["ratio"].get("hi"))
        if end
    ]
    return min(ends + [0.5]) / 1.3, max(ends + [2]) * 1.6


def described(program: str, parts: list[Part], labels: list[str], table: dict) -> Drawing:
    usual = selection.usual_of(records_of(parts))
    return Drawing(
        "Ratios at the claimed sizes",
        "Baseline / variant: median and 95 % interval of the paired rounds"
        f"{', where a line names nothing else, at ' + units.point(usual) if usual else ''}. Filled: a patch; "
        f"hollow: a reference or a control; grey band: {selection.margin_words(parts)}.",
        draw(parts, labels, table),
    )


FIGURE = Description("ratios", "program", place=0, draw=described)
