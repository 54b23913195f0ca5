"""The forest plot of the fixes that the issues name and of ours beyond them: a row a fix, a colour a platform, hollow where
nothing was measured."""

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from report.draw import looks, panels
from report.draw.drawing import Description, Drawing
from report.read.load import Run
from report.say import fixes, units

MARKERS = {0: "s", 1: "o", 2: "D"}  # by the platform's colour
APART = 0.15  # inches between the platforms of a row, whose numbers stand below each other
BAND = 0.12  # of the panel's width, at the right: for the hollow markers, which stand on no scale


def draw(run: Run, found: list[dict]) -> Figure | None:
    """`found`: fixes.fixes. The ratio's median with its 95 % interval; beside it its number."""
    if not found:
        return None
    columns = fixes.platforms(run)
    gap = next((place for place, fix in enumerate(found) if not fix["by"]), len(found))
    places = [place + 0.6 * (place >= gap) for place in range(len(found))]
    row = max(0.37, 0.07 + APART * max(len(seen_of(fix)) for fix in found))  # inches
    figure, [axes] = panels.grid([""], 0)
    figure.set_size_inches(panels.WIDTH, 1.0 + row * (places[-1] + 1))
    low, high = (
        0.75,
        max(
            [
                one["ratio"].get("hi") or one["ratio"]["median"]
                for fix in found
                for one in seen_of(fix)
            ]
            + [8]
        )
        * 8,
    )
    panels.ratio_axis(axes.xaxis, low, high)
    axes.set_xlim(low, high)
    axes.spines["left"].set_visible(False)
    axes.axvline(1, color=looks.INK, lw=1)
    axes.grid(axis="x", color=looks.GREY, alpha=0.25, lw=0.6)
    for place, fix in zip(places, found):
        points(axes, fix["cells"], columns, place, APART / row)
        name(axes, fix, place)
    for column in columns:
        axes.plot(
            [],
            [],
            MARKERS[column["colour"]],
            color=looks.COLOURS[column["colour"]],
            ls="none",
            label=column["says"].replace("made on", "on"),
            mfc=None if column["set"] else "none",
        )
    axes.set_yticks([])
    axes.set_ylim(places[-1] + 0.6, -0.6)
    if any(hollow(one) for fix in found for one in fix["cells"]):
        axes.add_patch(
            Rectangle(
                (1 - BAND, 0), BAND, 1, transform=axes.transAxes, color=looks.GREY, alpha=0.2, lw=0
            )
        )
        axes.text(
            1, 1, "no time yet", transform=axes.transAxes, ha="right", va="bottom", fontsize=9
        )
    if 0 < gap < len(found):
        axes.axhline(places[gap] - 0.8, color=looks.GREY, lw=0.8, ls="--")
        axes.text(
            -0.03,
            places[gap] - 0.8,
            "beyond the issues:",
            transform=axes.get_yaxis_transform(),
            ha="right",
            va="center",
            fontsize=9,
            style="italic",
        )
    figure.legend(
        loc="upper center",
        ncols=len(columns),
        fontsize=9,
        borderaxespad=0.1,
        columnspacing=1.2,
        handletextpad=0.2,
    )
    left = 0.85 * panels.room([line for fix in found for line in (fix["name"], fix["what"])])
    panels.place(figure, [axes], "times faster, with 95 % intervals", left, top=0.45)
    return figure


def seen_of(fix: dict) -> list[dict]:
    return [one for one in fix["cells"] if one["ratio"]]


def hollow(one: dict) -> bool:
    return not one["ratio"] and one["words"] != "–"


def name(axes, fix: dict, place: float) -> None:
    """Each line by itself: two lines in one text are not flush in an SVG, whose letters are the reader's."""
    for words, weight, shift in ((fix["name"], "bold", -0.19), (fix["what"], "normal", 0.17)):
        axes.text(
            -0.03,
            place + shift,
            words,
            transform=axes.get_yaxis_transform(),
            ha="right",
            va="center",
            fontsize=9,
            weight=weight,
        )


def points(axes, cells: list[dict], columns: list[dict], place: float, apart: float) -> None:
    """A row's, below each other: what was measured on the scale, what was not in the band."""
    seen = [
        (one["ratio"], looks.COLOURS[column["colour"]], MARKERS[column["colour"]])
        for one, column in zip(cells, columns)
        if one["ratio"] or hollow(one)
    ]
    for shown in ([one for one in seen if one[0]], [one for one in seen if not one[0]]):
        for number, (ratio, colour, marker) in enumerate(shown):
            height = place + apart * (number - (len(shown) - 1) / 2)
            if not ratio:
                axes.plot(
                    [1 - BAND / 2],
                    [height],
                    marker,
                    color=colour,
                    mfc="none",
                    ms=5,
                    transform=axes.get_yaxis_transform(),
                )
                continue
            if units.closed(ratio):
                axes.errorbar(
                    [ratio["median"]],
                    [height],
                    xerr=[[ratio["median"] - ratio["lo"]], [ratio["hi"] - ratio["median"]]],
                    color=colour,
                    lw=1.5,
                    capsize=2.5,
                )
            axes.plot([ratio["median"]], [height], marker, color=colour, ms=4)
            axes.annotate(
                f"{units.digits(ratio['median'])}x",
                (ratio.get("hi") or ratio["median"], height),
                **looks.BESIDE,
            )


def described(run: Run) -> Drawing | None:
    note = "Hollow, at the right: not measured yet, or void until the next publication."
    return Drawing(
        "What each fix saves",
        f"Time before / after, 1 is no change: medians with 95 % intervals. {note}",
        draw(run, fixes.fixes(run)),
    )


FIGURE = Description("fixes", "fixes", place=0, draw=described)
