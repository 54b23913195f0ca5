"""The table of each change to Halide and what it alone saves, for patches/halide/upstream/README.md."""

from collections.abc import Iterable
from pathlib import Path

from report.read import files
from report.say import story, units

START, END = "<!-- changes: results/issues.toml -->", "<!-- end -->"
Runs = dict[str, list[dict]]  # the judge's lines, by the run's name


def run_of(lines: Iterable[dict], void: dict[str, str]) -> list[dict]:
    """The judge's lines of a run, each of which says why it does not count, or ""."""
    return [line | {"void": void.get(line.get("program"), "")} for line in lines]


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def of_runs(runs: Runs, words: dict[str, list[str]]) -> str:
    """Lines of a table's cell; which run they are of where there are several."""
    return "<br>".join(
        (f"{name}: " if len(runs) > 1 else "") + line
        for name, lines in words.items()
        for line in lines
    )


def ratio_of(lines: list[dict], program: str, variant: str, at: dict) -> dict | None:
    """The ratio as a run measured it, with the reason where it does not count."""

    def why(line: dict) -> str:
        return (
            units.VOID
            if line.get("void")
            else "its control moved"
            if line.get("control_moved")
            else ""
        )

    return next(
        (
            line["ratio"] | {"void": why(line)}
            for line in lines
            if line["kind"] == "ratio"
            and line["program"] == program
            and line["variant"] == variant
            and line.get("ratio")
            and story.agrees(at, line["params"])
        ),
        None,
    )


def ratio_words(ratio: dict) -> str:
    shows = "lo" not in ratio or ratio["lo"] > 1 or (ratio["hi"] is not None and ratio["hi"] < 1)
    words = ("" if shows else "no measurable difference: ") + units.interval(ratio, unit="x")
    return words + (f" ({ratio['void']})" if ratio.get("void") else "")


def saved(issue: dict, change: dict, column: dict, runs: Runs) -> str:
    """The time that a change alone saves, in a column."""
    elsewhere = change.get("elsewhere")
    words: dict[str, list[str]] = {}
    for name, lines in runs.items():
        if elsewhere:
            ratio = (
                ratio_of(lines, elsewhere["program"], change["variant"], elsewhere["at"])
                if column is issue["columns"][0]
                else None
            )
            found = [f"{ratio_words(ratio)} {elsewhere['says']}"] if ratio else []
        else:
            found = [
                f"{ratio_words(ratio)} ({point['says']})"
                for point in issue["points"]
                if (ratio := ratio_of(lines, column["program"], change["variant"], point["at"]))
            ]
        words[name] = found or ["not measured"]
    return of_runs(runs, words)


def table(head: list[str], rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(map(cell, row))} |\n" for row in (head, *rows)).replace(
        "\n", "\n" + "|---" * len(head) + "|\n", 1
    )


def worth(issue: dict, change: dict, lines: list[dict]) -> tuple[bool, bool, float]:
    """The user's own changes last, those of the whole page first; in each kind by the largest ratio in the first column."""
    elsewhere = change.get("elsewhere")
    places = (
        [(elsewhere["program"], elsewhere["at"])]
        if elsewhere
        else [(issue["columns"][0]["program"], point["at"]) for point in issue["points"]]
    )
    ratios = [
        ratio["median"]
        for program, at in places
        if (ratio := ratio_of(lines, program, change["variant"], at)) and not ratio["void"]
    ]
    return not change.get("users"), not elsewhere, max(ratios, default=0.0)


def command(issue: dict, change: dict) -> str:
    """The command that measures a change, without its variant."""
    elsewhere = change.get("elsewhere")
    program, at = (
        (elsewhere["program"], elsewhere["at"])
        if elsewhere
        else (issue["columns"][0]["program"], issue["points"][0]["at"])
    )
    axes = " ".join(f"--axis {axis}={value}" for axis, value in at.items())
    return f"build/cliffbench run {program.split('@')[0]} {axes} --variant baseline,"


def changes_table(issue: dict, runs: Runs) -> str:
    """The changes that are not released, in the order of what each saves in the newest run, and how to measure them."""
    newest = runs[max(runs)]
    ours = sorted(
        (change for change in issue["change"] if not change.get("released")),
        key=lambda change: worth(issue, change, newest),
        reverse=True,
    )
    head = [
        "change",
        "where",
        "measured as",
        *(f"alone saves on {column['says']}" for column in issue["columns"]),
    ]
    rows = table(
        head,
        [
            [
                change["do"],
                change["where"],
                f"`{change['variant']}`",
                *(saved(issue, change, column, runs) for column in issue["columns"]),
            ]
            for change in ours
        ],
    )
    commands: dict[str, str] = {}
    for change in ours:
        commands.setdefault(command(issue, change), change["variant"])
    lines = "".join(f"    {start}{variant}\n" for start, variant in commands.items())
    return f"{rows}\nMeasure one on your machine; the last word is the one under *measured as*:\n\n{lines}"


def splice_changes(issue: dict, runs: Runs, file: Path) -> None:
    text = files.read_text(file)
    head, found, rest = text.partition(START)
    _, closed, tail = rest.partition(END)
    if not found or not closed:
        raise files.Unreadable(f"{file} has no lines {START} and {END} to write between")
    files.write(file, f"{head}{START}\n{changes_table(issue, runs)}{END}{tail}")
