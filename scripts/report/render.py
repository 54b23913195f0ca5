"""The page, its Markdown, and the figures as files."""

import io
import pathlib
import re
from collections import defaultdict

import jinja2
from matplotlib.figure import Figure

from . import draw, units
from .load import Run, size_of

TEMPLATES = pathlib.Path(__file__).parent / "templates"


def write(run: Run, folder: pathlib.Path) -> pathlib.Path:
    """Writes report.html, report.md and figures/*.svg into the folder; returns the page's path."""
    sections = [section(run, machine, program) for machine, program in measured(run)]
    figures = {figure["file"]: figure["svg"] for part in sections for figure in part["figures"]}
    (folder / "figures").mkdir(exist_ok=True)
    for name, svg in figures.items():
        (folder / "figures" / name).write_text(svg)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, autoescape=jinja2.select_autoescape(["html.j2"]))
    environment.filters.update(seconds=lambda seen: units.interval(seen, units.seconds),
                               megabytes=lambda seen: units.interval(seen, units.megabytes),
                               gigabytes=lambda value: f"{value / 1e9:.1f} GB", interval=units.interval,
                               cell=lambda text: str(text).replace("|", "\\|").replace("\n", " "))
    facts = {"run": run, "sections": sections, "units": units, "tone": tone, "state": state(run.summary),
             "has_m1": any(machine["cpu"].startswith("Apple M1") for machine in run.machines().values())}
    for name in ("report.html", "report.md"):
        (folder / name).write_text(environment.get_template(name + ".j2").render(facts))
    return folder / "report.html"


def state(summary: dict) -> str:
    return {0: "fine", 11: "surprise", 13: "broken", 14: "unproven"}.get(summary["exit"], "broken")


def tone(claim: dict) -> str:
    """The word that colours a claim's verdict. A control that did not move is as good as held."""
    quiet = claim["control"] and claim["seen"] and "lo" in claim["seen"] and claim["verdict"] != "refuted"
    return "held" if quiet else claim["verdict"]


def measured(run: Run) -> list[tuple[str, str]]:
    return list(dict.fromkeys((cell["machine"], cell["program"]) for cell in run.cells))


def section(run: Run, machine: str, program: str) -> dict:
    """What the page shows of one program on one machine."""
    def mine(records: list[dict]) -> list[dict]:
        return [record for record in records if (record["machine"], record["program"]) == (machine, program)]

    declared = run.programs[program]
    cells = mine(run.cells)
    sessions = {(s["run"], s["session"]) for s in run.sessions if s["machine"]["id"] == machine}
    rows = [row for row in run.rows if row["program"] == program and (row["run"], row["session"]) in sessions]
    return {
        "machine": run.machines()[machine], "program": program, "declared": declared,
        "intro": first_paragraph(run.cases.get(declared["case"], declared["why"])),
        "claims": [claim for claim in mine(run.claims) if claim["measured"]],
        "unmeasured": [claim["text"] for claim in mine(run.claims) if not claim["measured"]],
        "cells": [cell | {"command": command(declared, cell, rows)} for cell in cells],
        "troubles": [cell for cell in cells if cell["status"] != "ok"],
        "figures": figures(declared, cells, rows, (mine(run.ratios), mine(run.exponents))),
    }


def first_paragraph(markdown: str) -> str:
    paragraphs = [text for text in markdown.split("\n\n") if text.strip() and not text.startswith("#")]
    return re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", paragraphs[0]) if paragraphs else ""


def command(declared: dict, cell: dict, rows: list[dict]) -> str:
    """What repeats a trial of this cell by hand."""
    names = [row["name"] for row in rows if (row["variant"], row["params"]) == (cell["variant"], cell["params"])]
    pattern = re.sub(r"([.\[\\()*+?{|^$])", r"\\\1", names[0]) if names else ""
    return f"build/cases/{declared.get('file', cell['program'])} --benchmark_filter='^{pattern}$' --benchmark_min_time=0"


def figures(declared: dict, cells: list[dict], rows: list[dict], found: tuple[list[dict], list[dict]]) -> list[dict]:
    """Drawn figures with file name, title and caption; those without data are left out."""
    ratios, exponents = found
    table = draw.styles(declared)
    stem = re.sub(r"[^A-Za-z0-9.]+", "-", f"{declared['case']}-{declared['subject']['name']}")
    drawn = []

    def add(name: str, title: str, caption: str, figure: Figure) -> None:
        drawn.append({"file": f"{stem}-{name}.svg", "title": title, "caption": caption, "svg": svg_of(figure)})

    shown = [record for record in ratios if "ratio" in record]
    if shown:
        add("ratios", "How much faster", "Ratio of the paired rounds, median and 95 % interval. Hollow: a reference or a control; band: 0.9 to 1.1.",
            draw.ratios(shown, table))
    lines = defaultdict(list)
    for line in exponents:
        if not line["of"]:
            lines[line["axis"], units.point(line["where"])].append(line)
    for (axis, where), group in lines.items():
        name = f"scaling-{axis}-{len(drawn)}" if len(lines) > 1 else f"scaling-{axis}"
        add(name, f"Time against {axis}", f"At {where}. Faint: every sample; triangle: stopped at its limit.",
            draw.scaling(group, cells, rows, table, declared))
    stages_from = declared["stages_from"]
    staged = best_point(declared, [cell for cell in cells if cell["stages"] and "wall_s" in cell], stages_from or "baseline")
    if staged:
        instead = (f" The baseline is one call that shows no stages; its bar is {stages_from}, the same stages composed "
                   "unchanged." if stages_from else "")
        add("stages", "Where the time goes", f"At {units.point(staged[0]['params'])}.{instead}",
            draw.stages(staged, stages_from))
    sized = best_point(declared, [cell for cell in cells if "rss_bytes" in cell], "baseline")
    if sized:
        add("memory", "Peak memory", f"At {units.point(sized[0]['params'])}.", draw.memory(sized, table))
    return drawn


def best_point(declared: dict, cells: list[dict], needed: str) -> list[dict]:
    """The cells of the point with the most variants (then the largest one) among those that have `needed`."""
    points = defaultdict(list)
    for cell in cells:
        points[units.point(cell["params"])].append(cell)
    with_needed = [group for group in points.values() if any(cell["variant"] == needed for cell in group)]
    if not with_needed:
        return []

    def rank(group: list[dict]) -> tuple[int, float]:
        sizes = [size_of(declared, axis, value) or 1 for axis, value in group[0]["params"].items()]
        return len(group), sum(sizes)

    return max(with_needed, key=rank)


def svg_of(figure: Figure) -> str:
    """One figure as reproducible SVG whose ink is the colour of the text around it."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue().replace(draw.INK, "currentColor")
    return svg[svg.index("<svg"):]
