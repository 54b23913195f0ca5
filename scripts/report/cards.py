"""A card for each case: why it is slow, its patches, and each of its programs with figures and measurements."""

import re
import shlex

from . import panels, units
from .figures import Drawn
from .load import Part, Row, Run

ROWS = 1200  # of more measurements the page has so many, shared by its tables; all are in report.csv


def cards(run: Run, drawn: list[Drawn]) -> list[dict]:
    """Programs whose cases share a README share a card."""
    groups: dict[str, list[str]] = {}
    for name, parts in run.programs().items():
        groups.setdefault(readme_of(run, parts[0]), []).append(name)
    made = []
    for readme, names in groups.items():
        parts = [part for name in names for part in run.programs()[name]]
        patches = {patch["name"]: patch for part in parts for patch in part.declared["patches"]}
        title = title_of(readme)
        made.append({"title": title, "anchor": title.split(":")[0],
                     "intro": first_paragraph(readme), "patches": list(patches.values()),
                     "programs": [program(run, name, drawn) for name in names]})
    return made


def readme_of(run: Run, part: Part) -> str:
    return run.cases.get(part.declared["case"], f"# {part.declared['case']}\n\n{part.declared['why']}")


def title_of(markdown: str) -> str:
    found = re.match(r"# (.+)", markdown)
    return plain(found[1]) if found else ""


def first_paragraph(markdown: str) -> str:
    paragraphs = [text for text in markdown.split("\n\n") if text.strip() and not text.startswith("#")]
    return plain(paragraphs[0]) if paragraphs else ""


def plain(markdown: str) -> str:
    return re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", markdown).strip()


def program(run: Run, name: str, drawn: list[Drawn]) -> dict:
    parts = run.programs()[name]
    return {"name": name, "declared": parts[0].declared,
            "figures": [one for one in drawn if one.program == name and one.section == "program"],
            "tables": [measurements(run, part) for part in parts]}


def measurements(run: Run, part: Part) -> dict:
    """All cells of one program in one set, in one unit of time, each with the command that repeats a trial of it."""
    names: dict[tuple, Row] = {}
    for row in part.rows:
        names.setdefault((row.variant, id(row.params)), row)
    by_cell = {(row.variant, panels.point_key(row.params)): row.name for row in names.values()}
    scale, unit = units.time_unit([cell["wall_s"]["median"] for cell in part.cells if "wall_s" in cell])
    common = panels.common_params(part.cells) if part.cells else {}

    def time(seen: dict | None) -> str:
        return units.interval(seen, lambda value: units.digits(value / scale))

    many = sum(len(other.cells) for other in run.parts) > ROWS
    most = max(10, ROWS // len(run.parts)) if many else len(part.cells)
    rows = [{"variant": cell["variant"], "at": panels.short(cell["params"], common), "wall": time(cell.get("wall_s")),
             "cpu": time(cell.get("cpu_s")), "status": cell["status"],
             "memory": units.interval(cell.get("rss_bytes"), lambda value: units.digits(value / 1e6)),
             "trials": ", ".join(f"{count} {word}" for word, count in cell["counts"].items()), "checked": cell["checked"],
             "command": command(part, by_cell.get((cell["variant"], panels.point_key(cell["params"])), ""))}
            for cell in part.cells[:most]]
    return {"set": run.label(part.set), "unit": unit, "common": units.point(common), "rows": rows, "count": len(part.cells)}


def command(part: Part, name: str) -> str:
    """What repeats a trial by hand."""
    pattern = re.sub(r"([.\[\\()*+?{|^$])", r"\\\1", name)
    path = f"build/cases/{part.declared.get('file', part.program)}"
    return f"{path} --benchmark_filter={shlex.quote(f'^{pattern}$')} --benchmark_min_time=0"
