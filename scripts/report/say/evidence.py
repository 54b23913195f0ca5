"""Behind closed headings: of each program why it is slow, its patches, its figures and all that was measured of it."""

import re
import shlex

from report.read import published
from report.read.load import Part, Run
from report.say import selection, units

ROWS = 1200  # the most measurements in the page's tables together; verdicts.jsonl has all


def programs(run: Run, drawn: list) -> list[dict]:
    """`drawn`: the figures."""
    return [
        {
            "name": name,
            "intro": intro(run, parts[0]),
            "void": published.void_words({part.program: part.void for part in parts if part.void}),
            "patches": parts[0].declared["patches"],
            "figures": [one for one in drawn if one.program == name and one.section == "program"],
            "tables": [measurements(run, part) for part in parts if part.is_timed()],
        }
        for name, parts in run.programs().items()
    ]


def intro(run: Run, part: Part) -> str:
    """The first paragraph of the case's README, else its own sentence."""
    markdown = run.cases.get(part.declared["case"], "")
    paragraphs = [
        text for text in markdown.split("\n\n") if text.strip() and not text.startswith("#")
    ]
    return plain(paragraphs[0]) if paragraphs else part.declared["why"]


def plain(markdown: str) -> str:
    return re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", markdown).strip()


def measurements(run: Run, part: Part) -> dict:
    """All cells of one program in one set, in one unit of time, and the command that repeats a trial of them."""
    scale, unit = units.time_unit(
        [cell["wall_s"]["median"] for cell in part.cells if "wall_s" in cell]
    )
    usual = selection.usual_of(part.cells)
    ratios = {
        (record["variant"], selection.point_key(record["params"])): record for record in part.ratios
    }
    many = sum(len(other.cells) for other in run.parts) > ROWS
    most = max(10, ROWS // len(run.parts)) if many else len(part.cells)
    rows = []
    for cell in part.cells[:most]:
        record = ratios.get((cell["variant"], selection.point_key(cell["params"])), {})
        trials = ", ".join(f"{count} {word}" for word, count in cell["counts"].items())
        rows.append(
            {
                "variant": cell["variant"],
                "at": selection.unusual(cell["params"], usual),
                "trials": trials,
                "wall": units.interval(
                    cell.get("wall_s"), lambda value: units.digits(value / scale)
                ),
                "ratio": units.ratio_text(record),
                "memory": units.megabytes(cell.get("rss_bytes")),
                "faults": units.interval(cell.get("page_faults"), lambda value: f"{value:,.0f}"),
            }
        )
    return {
        "set": run.label(part.set),
        "unit": unit,
        "usual": units.point(usual),
        "rows": rows,
        "count": len(part.cells),
        "faults": any("page_faults" in cell for cell in part.cells),
        "command": command(part, part.rows[0].name if part.rows else ""),
    }


def command(part: Part, name: str) -> str:
    """The command that repeats a trial by hand."""
    pattern = re.sub(r"([.\[\\()*+?{|^$])", r"\\\1", name)
    path = f"build/cases/{part.declared.get('file', part.program)}"
    return f"{path} --benchmark_filter={shlex.quote(f'^{pattern}$')} --benchmark_min_time=0"
