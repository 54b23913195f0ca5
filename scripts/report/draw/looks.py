"""How things look: one colour and one marker for a variant, in every figure of a page."""

import matplotlib

matplotlib.use("Agg")

# Stands for "the colour of the text around": svg.py puts `currentColor` in its place, so that one figure serves light
# and dark pages. No other element may use it.
INK = "#010203"
GREY = "#8a8a8a"
# After Okabe and Ito, and Tol; each has a contrast of at least 3 on white and on the dark page (a test).
COLOURS = ["#D55E00", "#0078B8", "#009E73", "#C46A9C", "#A87900", "#8C6BD9", "#C25560", "#5F8A1F"]
MARKERS = ["s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "d"]
# The arguments of `annotate` for a figure to the right of a bar.
BESIDE = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "fontsize": 9}
# Stages are not variants, so they have their own colours and hatches.
STAGES = [
    ("#88CCEE", ""),
    ("#DDCC77", "//"),
    ("#CC6677", "\\\\"),
    ("#44AA99", "--"),
    ("#AA88CC", "xx"),
    ("#BBBBBB", "||"),
]

matplotlib.rcParams.update(
    {
        "text.parse_math": False,  # a name with two $ is no formula
        "path.simplify": False,  # points without a length are dots (panels.dots)
        "text.hinting": "none",  # the PNG takes a third less time without
        "svg.hashsalt": "cliffbench",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 10,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": INK,
        "axes.titlecolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
        "legend.frameon": False,
        "hatch.linewidth": 0.6,
        "axes.titlesize": 10,
        "xtick.labelsize": 9,
        "ytick.labelsize": 9,
    }
)


def looks(programs: list[dict]) -> dict[str, dict]:
    """By variant: colour, marker, filling and line. Patches are filled, references hollow and dashed, the baseline and
    the controls in ink, so that no two of a program look alike even without colour."""
    names: dict[str, list[str]] = {"patch": [], "reference": [], "control": [], "baseline": []}
    for variant in (variant for declared in programs for variant in declared["variants"]):
        group = names[variant["role"]]
        if variant["name"] not in group and not any(
            variant["name"] in other for other in names.values()
        ):
            group.append(variant["name"])
    table: dict[str, dict] = {}
    beside = [{variant["name"] for variant in declared["variants"]} for declared in programs]

    def colour_of(name: str) -> str:
        """The first of those that its neighbours in any figure use least."""
        near = {other for group in beside if name in group for other in group}
        used = [table[other]["color"] for other in table if other in near]
        return min(COLOURS, key=used.count)

    for role, group in names.items():
        for place, name in enumerate(group):
            ink = role in ("baseline", "control")
            shift = (
                len(names["patch"]) if role == "reference" else 0
            )  # references continue where the patches end
            marker = MARKERS[(place + shift) % len(MARKERS)]
            if role == "baseline":
                marker = "o"
            elif role == "control":
                marker = ["o", "*", "H", "8"][place % 4]
            table[name] = {
                "color": INK if ink else colour_of(name),
                "marker": marker,
                "filled": role in ("patch", "baseline"),
                "line": "--" if role == "reference" else ":" if role == "control" else "-",
            }
    return table


def dots(look: dict) -> dict:
    """The arguments of `plot` that draw this variant's marker."""
    return {
        "marker": look["marker"],
        "color": look["color"],
        "mfc": look["color"] if look["filled"] else "none",
        "mec": look["color"],
    }
