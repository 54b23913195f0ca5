"""One figure an issue: the time of the ways out against the size that makes it grow (results/issues.toml names them)."""

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from report.draw import looks, panels
from report.draw.drawing import Description, Drawing
from report.read.load import Run, size_of
from report.say import story, units

COLOURS = [looks.COLOURS[place] for place in (0, 3, 1, 4, 6, 2, 5)]
STYLES = list(zip(COLOURS, "os^PXDv", "-----:-"))


def lines_of(run: Run, issue: dict, told: dict) -> list[tuple[dict, tuple, list]]:
    """The style of each series and its (size, the value's name, time) by size; the point holds all axes but one."""
    found = []
    for series, style in zip(issue["series"], STYLES):
        program, variant = series["cell"].split(" ")
        part = run.part(told["set"], program)
        along = {name: value for name, value in told["point"].items() if name != issue["axis"]}
        cells = (
            [
                cell
                for cell in part.cells
                if cell["variant"] == variant
                and along.items() <= cell["params"].items()
                and cell.get("wall_s")
                and cell["wall_s"]["median"] > 0
            ]
            if part
            else []
        )
        points = sorted(
            (
                (
                    size_of(part.declared, issue["axis"], cell["params"][issue["axis"]]),
                    cell["params"][issue["axis"]],
                    cell["wall_s"],
                )
                for cell in cells
            ),
            key=lambda point: point[0] or 0,
        )
        if points and points[0][0]:
            found.append((series, style, points))
    return found


def draw(run: Run, issue: dict) -> Figure | None:
    """A panel a set. A trial stopped at its limit is an arrow at the end of a dashed line."""
    told = [one for one in issue["told"] if lines_of(run, issue, one)]
    if not told:
        return None
    figure, axes = panels.grid([one["label"] for one in told], 2.8, columns=2)
    names, labels = {}, []
    for of_set, one in zip(told, axes):
        one.set_xscale("log")
        one.set_yscale("log")
        ends = []
        for series, style, points in lines_of(run, issue, of_set):
            names |= {size: name for size, name, _ in points}
            look = {"marker": style[1], "color": style[0], "filled": True}
            ends.append((line(one, style, points), series["says"], look))
        labels.append(ends)
        one.margins(x=0.05, y=0.1)
    ticks(axes, names)
    for one, ends in zip(axes, labels):
        panels.write_ends(one, ends)
    longest = [words for ends in labels for _, words, _ in ends]
    axes[0].set_ylabel(panels.time_axis(axes, issue.get("y", "time")))
    panels.place(figure, axes, told[0]["x"], 0.7, 0.9 * panels.room(longest), top=0.12, foot=0.24)
    return figure


def bars(run: Run, issue: dict) -> Figure | None:
    """At the point of the answer and the issue's others, on a linear scale: there a fix that saves a tenth shows. A panel a
    set."""
    told = [one for one in issue["told"] if lines_of(run, issue, one)]
    if not told:
        return None
    places = [{"says": issue.get("says", ""), "at": {}}, *issue.get("also", [])]
    places = [one for one in places if any(bars_at(run, issue, of_set, one) for of_set in told)]
    count = len(issue["series"])
    height = 0.8 + len(places) * (0.19 * count + 0.15)
    figure, axes = panels.grid([one["label"] for one in told], height, columns=2)
    names = [series["says"] for series in issue["series"]]
    for of_set, one in zip(told, axes):
        found = [bars_at(run, issue, of_set, place) for place in places]
        medians = [time["median"] for seen in found for _, time in seen.values()]
        scale, unit = units.time_unit([max(medians)])
        for group, seen in enumerate(found):
            for says, (colour, time) in seen.items():
                place = group * (count + 1) + names.index(says)
                one.barh([place], [time["median"] / scale], color=colour, height=0.8)
                if units.closed(time):
                    ends = [time["lo"] / scale], [time["hi"] / scale]
                    one.hlines([place], *ends, color=looks.INK, lw=1.5)
                end = (time.get("hi") or time["median"]) / scale
                one.annotate(units.median_seconds(time), (end, place), **looks.BESIDE)
        one.set_xlim(left=0)
    middles = [group * (count + 1) + (count - 1) / 2 for group in range(len(places))]
    labels = [one["says"].replace(", ", ",\n").replace(" (", "\n(") for one in places]
    if len(places) == 1:
        middles, labels = range(count), names
    axes[0].set_yticks(middles, labels)
    axes[0].set_ylim(len(places) * (count + 1) - 1.4, -0.6)
    top = 0.1
    if len(places) > 1:
        handles = [
            axes[0].barh([0], [0], color=style[0], label=says) for says, style in zip(names, STYLES)
        ]
        columns = panels.columns_of_legend(names, figure.get_size_inches()[0])
        figure.legend(handles=handles, loc="upper center", ncols=columns, fontsize=9)
        top = 0.15 + panels.rows_of_legend(count, columns)
    words = story.filled(issue["bars"], told[0]["point"] | {"unit": unit})
    lines = [line for label in labels for line in label.split("\n")]
    panels.place(figure, axes, words, panels.room(lines), right=0.65, top=top)
    return figure


def bars_at(run: Run, issue: dict, told: dict, place: dict) -> dict[str, tuple]:
    """By series: its colour and its time."""
    point = told["point"] | place["at"]
    return {
        series["says"]: (style[0], time)
        for series, style, times in lines_of(run, issue, told | {"point": point})
        for _, value, time in times
        if value == point[issue["axis"]]
    }


def line(axes, style: tuple, points: list) -> float:
    """Draws it; returns the time at its end."""
    colour, marker, dashes = style
    whole = [(size, seen) for size, _, seen in points if not seen.get("bound")]
    axes.plot(
        [size for size, _ in whole],
        [seen["median"] for _, seen in whole],
        color=colour,
        marker=marker,
        ls=dashes,
        lw=2,
        ms=4,
    )
    closed = [(size, seen) for size, seen in whole if units.closed(seen)]
    axes.vlines(
        [size for size, _ in closed],
        [seen["lo"] for _, seen in closed],
        [seen["hi"] for _, seen in closed],
        color=colour,
        lw=2,
        alpha=0.5,
    )
    for size, _, seen in points:
        if seen.get("bound"):
            before = [(other, at["median"]) for other, at in whole if other < size][-1:]
            axes.plot(*zip(*before, (size, seen["median"])), color=colour, ls=(0, (2, 2)), lw=1.5)
            axes.annotate(
                "",
                (size, seen["median"] * 2.6),
                (size, seen["median"] / 1.05),
                arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 2, "mutation_scale": 14},
            )
            axes.plot([size], [seen["median"] * 2.6], alpha=0)  # room for the arrow
    return points[-1][2]["median"]


def ticks(axes: list, names: dict) -> None:
    """Sizes by their names where these are numbers, else as round numbers."""
    for one in axes:
        named = all(name.isdigit() for name in names.values())
        if named or max(names) < 10 * min(
            names
        ):  # so close that no round number may lie between them
            one.set_xticks(
                sorted(names),
                [names[size] if named else units.short_count(size) for size in sorted(names)],
            )
        else:
            one.xaxis.set_major_locator(LogLocator())
            one.xaxis.set_major_formatter(FuncFormatter(lambda value, _: units.short_count(value)))
        one.xaxis.set_minor_locator(NullLocator())
        one.grid(axis="y", color=looks.GREY, alpha=0.25, lw=0.6)


def described(run: Run, issue: dict) -> Drawing | None:
    stopped = any(
        seen.get("bound")
        for told in issue["told"]
        for _, _, points in lines_of(run, issue, told)
        for *_, seen in points
    )
    arrow = (
        "; arrow: stopped there, so it takes longer" if stopped and not issue.get("bars") else ""
    )
    drawn = bars(run, issue) if issue.get("bars") else draw(run, issue)
    hides = (
        ""
        if issue.get("bars")
        else "; a mark names its line, and hides an interval that is smaller"
    )
    finding = " ".join(told["answer"] for told in issue["told"])
    return Drawing(
        issue["title"],
        f"Medians with 95 % intervals{hides}{arrow}.",
        drawn,
        finding,
        f"-{issue['name']}",
    )


FIGURE = Description("hero", "issue", place=0, draw=described)
