"""The page of a gate: its rulings, with the command that measures them again. Reads rulings.jsonl; computes nothing that the gate
did not."""

import os
import pathlib

from matplotlib.figure import Figure

from . import files, looks, panels, render, said, svg, units
from .load import check_schema, lines_of

MOST = 30  # benchmarks in the figure; the table has all
WORST_FIRST = ["regression", "wrong_output", "not_measured", "inconclusive", "improved", "ok", "skipped", "unchanged"]
SHOWN = {"regression": ("REGRESSION", looks.COLOURS[0], "s"), "wrong_output": ("WRONG OUTPUT", looks.COLOURS[6], "X"),
         "not_measured": ("NOT MEASURED", looks.COLOURS[6], "P"),
         "inconclusive": ("inconclusive", looks.COLOURS[4], "^"), "improved": ("improved", looks.COLOURS[2], "v"),
         "ok": ("ok", looks.INK, "o"), "skipped": ("skipped", looks.COLOURS[5], "D"), "unchanged": ("UNCHANGED", looks.INK, "D")}


def is_gate(folder: pathlib.Path) -> bool:
    return os.path.lexists(folder / "gate.json")


def write(folder: pathlib.Path, name: str) -> pathlib.Path:
    """Writes report.html into a gate's folder, and returns its path. `name` is what the page calls the folder in its commands."""
    gate, rulings = load(folder)
    drawn = figure(gate, rulings[:MOST])
    text = svg.with_short_ids(svg.svg_of(drawn), "g_") if drawn else ""
    page = render.environment(markdown=False).get_template("gate.html.j2").render(
        gate=gate, rulings=rulings, drawn=text, left=max(0, len(rulings) - MOST), name=said.printable(name), most=MOST,
        shown=SHOWN, change=change, ratio=ratio, units=units)
    files.write(folder / "report.html", page)
    return folder / "report.html"


def load(folder: pathlib.Path) -> tuple[dict, list[dict]]:
    """The gate's line, and its rulings: the worst first, of equal ones the slowest."""
    path = folder / "rulings.jsonl"
    if not os.path.lexists(path):
        raise files.Unreadable(f"{path} is not there; write it with: cliffbench judge {folder}")
    gate, *rulings = lines_of(path, []) or [{}]
    check_schema(gate, path)
    unknown = next((line["ruling"] for line in rulings if line["ruling"] not in SHOWN), None)
    if unknown:
        raise files.Unreadable(f"{path} has a ruling '{unknown}', which this version of cliffbench never writes")
    return gate, sorted(rulings, key=lambda line: (WORST_FIRST.index(line["ruling"]), -(change(line) or 0)))


def change(line: dict) -> float | None:
    """How much more the head takes, as a share, by what decided."""
    if line["metric"] == "instructions":
        return (line.get("instructions") or {}).get("change")
    median = (line["ratio"] or {}).get("median")
    return 1 / median - 1 if median else None


def ratio(line: dict) -> str:
    """base / head by what decided; counts have no interval."""
    more = change(line)
    if line["metric"] == "instructions":
        return "–" if more is None else f"{units.digits(1 / (1 + more))}x"
    return units.interval(line["ratio"], unit="x")


def figure(gate: dict, rulings: list[dict]) -> Figure | None:
    """A line a benchmark: base / head with its interval, between the two margins. None when nothing has a ratio."""
    shown = [line for line in rulings if change(line) is not None]
    if not shown:
        return None
    names = [short_name(line) for line in shown]
    made, axes = panels.grid([""], 0.5 + 0.2 * len(shown))
    axes = axes[0]
    axes.axvspan(1 / (1 + gate["margin"]), 1 + gate["margin"], color=looks.GREY, alpha=0.25, lw=0)
    axes.axvline(1 / (1 + gate["must_find"]), color=looks.GREY, lw=0.8, ls="--")
    for place, line in enumerate(shown):
        word, colour, marker = SHOWN[line["ruling"]]
        seen = line["ratio"] or {}
        middle = 1 / (1 + change(line))
        if line["metric"] != "instructions" and seen.get("lo") is not None and seen.get("hi") is not None:
            axes.hlines(place, seen["lo"], seen["hi"], color=colour, lw=1.5)
        axes.plot([middle], [place], linestyle="none", color=colour, marker=marker, ms=5)
    axes.set_yticks(range(len(shown)), names)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    panels.place(made, [axes], "base / head: left of the grey band (the margin) the head is slower, right of it faster", panels.room(names))
    return made


def short_name(line: dict) -> str:
    name = line["name"] + ("" if line["head"] == "head" else f" ({line['head']})")
    return name if len(name) <= 48 else name[:24] + "…" + name[-23:]
