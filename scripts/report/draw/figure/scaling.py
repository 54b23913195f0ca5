"""Time against size on logarithmic axes."""

import math
from collections import defaultdict

from matplotlib.figure import Figure

from report.draw import looks, panels
from report.draw.drawing import Description, Drawing
from report.read.load import Part, size_of
from report.say import selection, story, units

SIZES = 3  # fewer sizes are no line
MOST = 7  # lines of a figure


def lines_of(parts: list[Part]) -> list[tuple[str, dict]]:
    """One line for each axis with sizes, through a point of the others at which some variant was measured at enough sizes: the
    point of which an exponent is claimed, else the one of which most was measured."""
    claimed = {
        (claim["axis"], selection.point_key(claim["where"]))
        for part in parts
        for claim in part.claims
        if claim["quantity"] == "exponent" and claim["measured"]
    }
    found: dict[str, tuple] = {}
    for part in parts:
        groups = defaultdict(lambda: defaultdict(set))
        for cell in part.cells:
            for axis, value in cell["params"].items():
                if size_of(part.declared, axis, value) is not None and (
                    "wall_s" in cell or cell["status"] == "timeout"
                ):
                    where = {name: other for name, other in cell["params"].items() if name != axis}
                    groups[axis, selection.point_key(where)][cell["variant"]].add(value)
        for (axis, where), variants in groups.items():
            if max(map(len, variants.values())) >= SIZES:
                cells = sum(map(len, variants.values()))
                found[axis] = max(found.get(axis, ()), ((axis, where) in claimed, cells, where))
    return [(axis, dict(where)) for axis, (*_, where) in sorted(found.items())]


def shown(parts: list[Part], line: tuple[str, dict]) -> list[str]:
    """The variants with a line: the baseline, then those of most patches, then what is there for comparison."""
    axis, where = line
    sizes = defaultdict(set)
    for part in parts:
        for cell in part.cells:
            if along(cell["params"], axis, where) and (
                "wall_s" in cell or cell["status"] == "timeout"
            ):
                sizes[cell["variant"]].add(cell["params"][axis])
    roles = {"baseline": 0, "patch": 1, "reference": 2, "control": 3}
    variants = {
        variant["name"]: (roles[variant["role"]], -len(variant["patches"]))
        for variant in parts[0].declared["variants"]
        if len(sizes[variant["name"]]) >= (1 if variant["role"] == "baseline" else 2)
    }
    return sorted(variants, key=variants.get)


def draw(parts: list[Part], labels: list[str], table: dict, line: tuple[str, dict]) -> Figure:
    """The median, its interval, the judge's slope written at the line's end; a trial stopped at its limit is an open triangle
    there; a size that was skipped is marked at the foot. Grey: slopes 1 and 2."""
    axis, where = line
    variants = shown(parts, line)[:MOST]
    height = 3.6  # inches, of a row of panels
    figure, axes = panels.grid(labels, height, columns=2)
    names, starts, rises, ends_of = {}, [], [], []
    for part, one in zip(parts, axes):
        cells = [cell for cell in part.cells if along(cell["params"], axis, where)]
        names |= {
            size_of(part.declared, axis, cell["params"][axis]): cell["params"][axis]
            for cell in cells
        }
        rows = [
            row for row in part.rows if along(row.params, axis, where) and row.variant in variants
        ]
        mark_stops(one, part, rows, table, line)
        ends = []
        ends_of.append(ends)
        for variant in variants:
            points = sorted(
                (size_of(part.declared, axis, cell["params"][axis]), cell["wall_s"])
                for cell in cells
                if cell["variant"] == variant
                and "wall_s" in cell
                and not cell["wall_s"].get("bound")
            )
            if not points:
                stops = stops_of(rows, part, variant, axis)
                if stops:
                    ends.append((stops[-1][1], f"{variant}, stopped", table[variant]))
                continue
            medians(one, points, table[variant])
            slope = next(
                (
                    found["exponent"]
                    for found in part.exponents
                    if not found["of"]
                    and found["axis"] == axis
                    and found["variant"] == variant
                    and found["where"] == where
                    and found["exponent"]
                ),
                None,
            )
            shows = slope and slope["median"] is not None and not bends(part, variant, axis, where)
            text = f"{variant}, {two_places(slope['median'])}" if shows else variant
            ends.append((points[-1][1]["median"], text, table[variant]))
            starts.append((points[0][0], points[0][1]["median"]))
            rises.append((points[0][1]["median"], points[-1][1]["median"]))
        if not ends:
            panels.empty(one)
        one.set_xscale("log", base=2)
        one.set_yscale("log")
        one.margins(x=0.06, y=0.12)
    at_least_a_decade(axes)
    foot = ticks(axes, names)
    for one, mine in zip(axes, ends_of):
        panels.write_ends(one, mine)
    if any(
        last > 1.5 * first for first, last in rises
    ):  # else the axis is not a size, but threads, say
        references(axes, min(starts), (min(names), max(names)))
    title = panels.time_axis(axes, "time of one run")
    axes[0].set_ylabel(title)
    texts = [text for ends in ends_of for _, text, _ in ends]
    panels.place(
        figure,
        axes,
        words_of(parts, axis),
        0.75 if "," in title else 0.9,
        0.9 * panels.room(texts) + 0.15,
        foot=foot,
    )
    return figure


def words_of(parts: list[Part], axis: str) -> str:
    unit = next((known["unit"] for known in parts[0].declared["axes"] if known["name"] == axis), "")
    return story.figure_words()["axes"].get(axis) or f"{axis}{' in ' + unit if unit else ''}"


def two_places(value: float) -> str:
    """More nobody can see in a slope."""
    return f"{value:.2f}".replace("-0.00", "0.00")


BEND = 0.4  # between the smallest and the largest local exponent: such a curve has no slope


def bends(part: Part, variant: str, axis: str, where: dict) -> bool:
    """Whether the exponents from each size to the next differ by more than one slope can say."""
    wanted = ("", axis, variant, where)
    line = next(
        (
            found
            for found in part.exponents
            if (found["of"], found["axis"], found["variant"], found["where"]) == wanted
        ),
        None,
    )
    steps = (
        [seen["median"] for seen in line["local"] if seen and seen.get("median") is not None]
        if line
        else []
    )
    return bool(steps) and max(steps) - min(steps) > BEND


def at_least_a_decade(axes: list) -> None:
    """Lines that hardly rise must look so."""
    low, high = axes[0].get_ylim()
    if high / low < 10:
        grow = (10 / (high / low)) ** 0.5
        axes[0].set_ylim(low / grow, high * grow)


def along(params: dict, axis: str, where: dict) -> bool:
    return axis in params and all(params.get(name) == value for name, value in where.items())


def mark_stops(axes, part: Part, rows: list, table: dict, line: tuple[str, dict]) -> None:
    """Marks the trials that were stopped, and the sizes that were skipped."""
    axis, where = line
    tried = {
        (row.variant, row.params[axis])
        for row in part.rows
        if row.status != "skipped" and along(row.params, axis, where)
    }
    skipped = {}
    for row in rows:
        size = size_of(part.declared, axis, row.params[axis])
        if row.status == "timeout":
            axes.plot(
                [size], [row.limit_s], "^", color=table[row.variant]["color"], mfc="none", ms=8
            )
        elif row.status == "skipped" and (row.variant, row.params[axis]) not in tried:
            skipped[row.variant, size] = None
    for variant, size in skipped:
        axes.plot(
            [size],
            [0.02],
            "x",
            color=table[variant]["color"],
            ms=7,
            transform=axes.get_xaxis_transform(),
        )
    for size in dict.fromkeys(size for _, size in skipped):
        axes.annotate(
            "skipped",
            (size, 0.05),
            xycoords=("data", "axes fraction"),
            fontsize=9,
            rotation=90,
            ha="center",
        )


def stops_of(rows: list, part: Part, variant: str, axis: str) -> list[tuple[float, float]]:
    """Size and limit of each stopped trial of one variant, the largest last."""
    return sorted(
        (size_of(part.declared, axis, row.params[axis]), row.limit_s)
        for row in rows
        if row.status == "timeout" and row.variant == variant
    )


def medians(axes, points: list, look: dict) -> None:
    axes.plot(
        [size for size, _ in points],
        [seen["median"] for _, seen in points],
        **looks.dots(look),
        ls=look["line"],
        lw=1.5,
        ms=4,
    )
    closed = [(size, seen) for size, seen in points if units.closed(seen)]
    axes.vlines(
        [size for size, _ in closed],
        [seen["lo"] for _, seen in closed],
        [seen["hi"] for _, seen in closed],
        color=look["color"],
        lw=2,
        alpha=0.6,
    )


def references(axes: list, start: tuple, span: tuple) -> None:
    """Slopes 1 and 2 from the lowest first point, as far as the panel reaches."""
    for one in axes:
        limits = one.get_xlim(), one.get_ylim()
        for slope, style in ((1, "--"), (2, ":")):
            end = span[1]
            top = start[1] * (end / start[0]) ** slope
            if top > limits[1][1]:
                top = limits[1][1]
                end = start[0] * (top / start[1]) ** (1 / slope)
            if math.log(end / start[0]) < 0.12 * math.log(limits[0][1] / limits[0][0]):
                continue  # too steep for this panel
            one.plot([start[0], end], [start[1], top], ls=style, color=looks.GREY, lw=1, zorder=0)
        one.set_xlim(*limits[0])
        one.set_ylim(*limits[1])


def ticks(axes: list, names: dict) -> float:
    """The sizes by their names, and how many inches these need below the axis."""
    words = any(not name[0].isdigit() for name in names.values())
    names = joined(names)
    places = sorted(map(math.log, names))
    longest = max(map(len, names.values()), default=0)
    long = words or longest > 5
    close = long and any(
        right - left < UPRIGHT * (places[-1] - places[0]) for left, right in zip(places, places[1:])
    )
    for one in axes:
        one.set_xticks(
            list(names),
            list(names.values()),
            rotation=90 if close else 30 if long else 0,
            ha="right" if long and not close else "center",
        )
        one.set_xticks([], minor=True)
        one.grid(axis="y", color=looks.GREY, alpha=0.3, lw=0.6)
    return 0.15 + (
        panels.LETTER * longest if close else 0.15 + panels.LETTER * longest / 2 if long else 0.15
    )


JOINED, UPRIGHT = 0.1, 0.22  # of an axis' length: nearer names share a line, or stand upright


def joined(names: dict) -> dict:
    """Two sizes that are too close for two names share a line."""
    found: dict[float, str] = {}
    span = math.log(max(names) / min(names))
    for size in sorted(names):
        last = max(found, default=None)
        if last and math.log(size / last) < JOINED * span:
            found[last] = f"{found[last]}, {names[size]}"
        else:
            found[size] = names[size]
    return found


def described(program: str, parts: list[Part], labels: list[str], table: dict, *line) -> Drawing:
    variants = shown(parts, line)
    note = f" {MOST} of {len(variants)} variants." if len(variants) > MOST else ""
    return Drawing(
        f"Time against {words_of(parts, line[0]).split(' (')[0]}",
        "Medians with 95 % intervals; a mark names its line, and hides an interval that is smaller. Beside a name: its slope, "
        f"where it has four sizes and does not bend.{marks(parts, line)} Grey: slopes 1 (dashed) and 2 (dotted)."
        f"{' At ' + units.point(line[1]) + '.' if line[1] else ''}{note}",
        draw(parts, labels, table, line),
        found(parts[-1], variants[:MOST], line),
        f"-{line[0]}",
    )


def found(part: Part, variants: list[str], line: tuple[str, dict]) -> str:
    """The times at the largest size."""
    axis, where = line
    cells = [
        cell
        for cell in part.cells
        if along(cell["params"], axis, where) and cell["variant"] in variants and "wall_s" in cell
    ]
    largest = max((size_of(part.declared, axis, cell["params"][axis]) for cell in cells), default=0)
    last = [cell for cell in cells if size_of(part.declared, axis, cell["params"][axis]) == largest]
    last.sort(key=lambda cell: variants.index(cell["variant"]))
    times = [f"{cell['variant']} {units.median_seconds(cell['wall_s'])}" for cell in last]
    return f"At {axis}:{last[0]['params'][axis]}: {', '.join(times)}." if last else ""


def marks(parts: list[Part], line: tuple) -> str:
    """The legend of the marks that are drawn beside the lines."""
    statuses = {row.status for part in parts for row in part.rows if along(row.params, *line)}
    words = {
        "timeout": " Open triangle: stopped at its limit.",
        "skipped": " Cross at the foot: a size that was skipped.",
    }
    return "".join(said for status, said in words.items() if status in statuses)


FIGURE = Description("scaling", "program", place=1, draw=described, jobs=lines_of)
