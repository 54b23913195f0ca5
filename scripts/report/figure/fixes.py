"""The forest plot of the fixes that the issues name and of ours beyond them: a row a fix, a colour a platform, hollow where
nothing was measured."""

from matplotlib.figure import Figure

from .. import fixes, looks, panels, units
from ..drawing import Description, Drawing
from ..load import Run

MARKERS = {0: "s", 1: "o", 2: "D"}  # by the platform's colour
WIDTH = 4.3  # inches: on a phone its letters still have 11 pixels
STEP = 0.3  # between the platforms of a row
HOLLOW = 0.93  # of the panel's width: where what was not measured is listed


def draw(run: Run, found: list[dict]) -> Figure | None:
    """`found`: fixes.fixes. The ratio's median with its 95 % interval; beside it its number."""
    if not found:
        return None
    columns = fixes.platforms(run)
    gap = next((place for place, fix in enumerate(found) if not fix["by"]), len(found))
    places = [place + 0.5 * (place >= gap) for place in range(len(found))]
    figure, [axes] = panels.grid([""], 0.9 + 0.37 * len(found))
    figure.set_size_inches(WIDTH, 0.9 + 0.37 * len(found))
    names = [f"{fix['name']}\n{fix['what']}" for fix in found]
    seen = [one["ratio"] for fix in found for one in fix["cells"] if one["ratio"]]
    low, high = 0.75, max([one.get("hi") or one["median"] for one in seen] + [8]) * 6
    panels.ratio_axis(axes.xaxis, low, high)
    axes.set_xlim(low, high)
    axes.spines["left"].set_visible(False)
    axes.axvline(1, color=looks.INK, lw=1)
    axes.grid(axis="x", color=looks.GREY, alpha=0.25, lw=0.6)
    for number, column in enumerate(columns):
        colour = looks.COLOURS[column["colour"]]
        for place, fix in zip(places, found):
            one = fix["cells"][number]
            height = place + STEP * (number - (len(columns) - 1) / 2)
            point(axes, one, height, colour, MARKERS[column["colour"]])
        axes.plot([], [], MARKERS[column["colour"]], color=colour, ls="none", label=column["says"].replace("made on", "on"),
                  mfc=colour if column["set"] else "none")
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(places[-1] + 0.6, -0.6)
    if 0 < gap < len(found):
        axes.axhline(places[gap] - 0.75, color=looks.GREY, lw=0.8, ls="--")
        axes.text(-0.02, places[gap] - 0.75, "beyond the issues:", transform=axes.get_yaxis_transform(), ha="right", va="center",
                  fontsize=9, style="italic")
    figure.legend(loc="upper center", ncols=len(columns), fontsize=9, borderaxespad=0.1, columnspacing=1.2, handletextpad=0.2)
    left = 0.85 * panels.room([line for name in names for line in name.split("\n")])
    panels.place(figure, [axes], "times faster: before / after, 95 % intervals", left, top=0.3)
    return figure


def point(axes, one: dict, height: float, colour: str, marker: str) -> None:
    ratio = one["ratio"]
    if not ratio:
        if one["words"] != "–":
            axes.plot([HOLLOW], [height], marker, color=colour, mfc="none", ms=5, transform=axes.get_yaxis_transform())
        return
    if panels.closed(ratio):
        axes.errorbar([ratio["median"]], [height], xerr=[[ratio["median"] - ratio["lo"]], [ratio["hi"] - ratio["median"]]], color=colour,
                      lw=1.5, capsize=2.5)
    axes.plot([ratio["median"]], [height], marker, color=colour, ms=4)
    axes.annotate(f"{units.digits(ratio['median'])}x", (ratio.get("hi") or ratio["median"], height), **looks.BESIDE)


def described(run: Run) -> Drawing | None:
    hollow = "Hollow, at the right: not measured yet, or void until the next publication."
    return Drawing("What each fix saves", f"Time before / after, 1 is no change: medians with 95 % intervals. {hollow}",
                   draw(run, fixes.fixes(run)))


FIGURE = Description("fixes", "fixes", place=0, draw=described)
