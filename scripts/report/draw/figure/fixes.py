"""The forest plot of the fixes that the issues name and of ours beyond them: a row a point, a colour a platform."""

from matplotlib.figure import Figure

from report.draw import looks, panels
from report.draw.drawing import Description, Drawing
from report.read.load import Run
from report.say import fixes, units

APART = 0.15  # inches between the platforms of a row, whose numbers stand below each other
LINE = 0.2  # inches


def draw(run: Run, found: list[dict]) -> Figure | None:
    """`found`: fixes.fixes. The ratio's median with its 95 % interval; beside it its number."""
    if not found:
        return None
    columns = fixes.platforms(run)
    lines, gap, foot = laid_out(found)
    figure, [axes] = panels.grid([""], 0)
    figure.set_size_inches(panels.WIDTH, 0.9 + foot)
    ends = [one["ratio"].get("hi") or one["ratio"]["median"] for fix in found for one in seen(fix)]
    low, high = 0.75, max([*ends, 8]) * 8
    panels.ratio_axis(axes.xaxis, low, high)
    axes.set_xlim(low, high)
    axes.spines["left"].set_visible(False)
    axes.axvline(1, color=looks.INK, lw=1)
    axes.grid(axis="x", color=looks.GREY, alpha=0.25, lw=0.6)
    beside = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "center", "fontsize": 9}
    for place, words, weight, cells in lines:
        axes.text(-0.03, place, words, weight=weight, **beside)
        points(axes, cells, columns, place)
    for column in columns:
        axes.barh([0], [0], label=column["says"].replace("made on", "on"), **look(column))
    axes.set_yticks([])
    axes.set_ylim(foot, -0.05)
    if gap:
        axes.axhline(gap, color=looks.GREY, lw=0.8, ls="--")
        axes.text(-0.03, gap, "beyond the issues:", style="italic", **beside)
    figure.legend(
        loc="upper center",
        ncols=len(columns),
        fontsize=9,
        borderaxespad=0.1,
        columnspacing=1.2,
        handletextpad=0.2,
    )
    left = 0.95 * panels.room([words for _, words, _, _ in lines])
    words = "times faster, with 95 % intervals"
    panels.place(figure, [axes], words, left, top=0.45)
    return figure


def laid_out(found: list[dict]) -> tuple[list[tuple], float, float]:
    """The lines from the top, each with its place in inches, its words, their weight and its cells; the place between the
    issues' fixes and ours, or 0; the foot. Each line of words by itself: two lines in one text are not flush in an SVG, whose
    letters are the reader's."""
    lines, place, gap = [], 0.1, 0.0
    for fix in found:
        if not fix["by"] and lines and not gap:
            gap = place + 0.05
            place += LINE + 0.1
        lines.append((place, fix["name"], "bold", []))
        place += LINE
        if fix["several"]:
            lines.append((place, f"{fix['what']}:", "normal", []))
            place += LINE
        for row in fix["rows"]:
            more = APART * max(0, sum(bool(one["ratio"]) for one in row["cells"]) - 1)
            words = row["says"] if fix["several"] else fix["what"]
            lines.append((place + more / 2, words, "normal", row["cells"]))
            place += LINE + more
        place += 0.08
    return lines, gap, place


def seen(fix: dict) -> list[dict]:
    return [one for row in fix["rows"] for one in row["cells"] if one["ratio"]]


def points(axes, cells: list[dict], columns: list[dict], place: float) -> None:
    """A row's, below each other."""
    shown = [(one["ratio"], column) for one, column in zip(cells, columns) if one["ratio"]]
    for number, (ratio, column) in enumerate(shown):
        height = place + APART * (number - (len(shown) - 1) / 2)
        median = ratio["median"]
        axes.barh([height], [median - 1], left=[1], height=0.1, **look(column))
        if units.closed(ratio):
            axes.hlines([height], [ratio["lo"]], [ratio["hi"]], color=looks.INK, lw=1)
        end = max(ratio.get("hi") or median, 1)
        axes.annotate(f"{units.digits(median)}x", (end, height), **looks.BESIDE)


def look(column: dict) -> dict:
    """Filled, or hollow for code that was made for another machine."""
    colour = looks.COLOURS[column["colour"]]
    return {"facecolor": "none" if column["code"] else colour, "edgecolor": colour, "lw": 1}


def described(run: Run) -> Drawing | None:
    found = fixes.fixes(run)
    caption = "Time before / after, 1x is no change. A bar ends at the median; the line across its end is the 95 % interval."
    finding = "; ".join(
        f"{fix['name']} ({fix['what']}) {next(filter(None, [*fix['ranges'], units.digits(seen(fix)[0]['ratio']['median']) + 'x']))}"
        for fix in found
        if seen(fix)
    )
    return Drawing("What each fix saves", caption, draw(run, found), f"Times faster: {finding}.")


FIGURE = Description("fixes", "fixes", place=0, draw=described)
