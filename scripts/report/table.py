"""report.csv: every number that the judge found, one a line."""

import csv
import io

from . import units
from .load import Run

HEAD = ["machine", "arch", "date", "commit", "program", "case", "subject", "variant", "params", "status", "quantity", "unit",
        "median", "lo", "hi", "n", "stopped", "bound"]


def no_formula(text: str) -> str:
    """Makes a spreadsheet show the text where it would compute it."""
    return "'" + text if text.startswith(("=", "+", "-", "@", "\t")) else text


def csv_of(run: Run) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)

    def line(cells: list) -> None:
        writer.writerow(no_formula(cell) if isinstance(cell, str) else cell for cell in cells)

    start: list = []  # the first cells of each line of the current part

    def write(record: dict, quantity: str, unit: str, seen: dict | None, params: dict) -> None:
        if seen:
            line(start + [record["variant"], units.point(params), record.get("status", ""), quantity, unit]
                 + [seen.get(key, "") for key in ("median", "lo", "hi", "n")]
                 + [seen.get("stopped", 0), int(bool(seen.get("bound")))])

    for part in run.parts:
        start = [part.set.machine, run.machines[part.set.machine]["arch"], part.set.date, part.set.commit, part.program,
                 part.declared["case"], part.declared["subject"]["name"]]
        for cell in part.cells:
            for quantity, unit in (("wall_s", "s"), ("cpu_s", "s"), ("rss_bytes", "bytes"), ("page_faults", "")):
                write(cell, quantity, unit, cell.get(quantity), cell["params"])
            for stage, seen in cell["stages"].items():
                write(cell, f"stage {stage}", "s", seen, cell["params"])
            if "wall_s" not in cell:
                line(start + [cell["variant"], units.point(cell["params"]), cell["status"], "wall_s", "s"] + [""] * 6)
        for ratio in part.ratios:
            for quantity in ("ratio", "rss_ratio"):
                write(ratio, quantity, "", ratio.get(quantity), ratio["params"])
        for found in part.exponents:
            write(found, f"exponent in {found['axis']}" + (f" of {found['of']}" if found["of"] else ""), "", found["exponent"],
                  found["where"])
    return text.getvalue()
