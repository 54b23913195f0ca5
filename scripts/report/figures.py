"""Which figures a page has, with file name, title and caption. Drawn by as many processes as there are cores."""

import multiprocessing
import os
import re
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from matplotlib.figure import Figure

from . import forest, gate, looks, memory, panels, rounds, scaling, stages, svg, units
from .load import Part, Run


@dataclass
class Drawn:
    kind: str
    program: str
    file: str  # without its ending
    title: str
    caption: str
    svg: str
    png: bytes


def draw_all(run: Run) -> list[Drawn]:
    """All figures, in the order of the programs. The same for any number of processes."""
    programs = run.programs()
    table = looks.looks([part.declared for part in run.parts])
    labels = {name: [run.label(part.set) for part in parts] for name, parts in programs.items()}
    jobs = [(name, kind) for name, parts in programs.items() for kind in kinds(parts)]
    global _job  # what the processes inherit, so that the rows are not copied to each figure
    _job = (programs, labels, table)
    workers = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, 8)
    if workers > 1 and len(jobs) >= WORTH:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
            drawn = list(pool.map(draw_job, jobs, chunksize=2))
    else:
        drawn = list(map(draw_job, jobs))
    if run.validation:
        drawn.append(finish("validation", "", "validation", "Alarms of the gate",
                            "Bars: 95 % Wilson intervals.", gate.draw(run.validation["rows"])))
    found = [one for one in drawn if one]
    for number, one in enumerate(found):
        one.svg = svg.with_short_ids(one.svg, f"f{number:x}_")
    return found


_job: tuple = ()
WORTH = 12  # figures: with fewer, starting processes costs more than it saves


def kinds(parts: list[Part]) -> list[tuple]:
    lines = [("scaling", place, line) for place, line in enumerate(scaling.lines_of(parts))]
    return [("ratios",), *lines, ("stages",), ("waterfall",), ("memory",), ("order",), ("rounds",)]


def draw_job(job: tuple[str, tuple]) -> Drawn | None:
    name, (kind, *more) = job
    programs, labels, table = _job
    return DRAW[kind](name, programs[name], labels[name], table, *more)


def finish(kind: str, program: str, ending: str, title: str, caption: str, figure: Figure | None) -> Drawn | None:
    if figure is None:
        return None
    stem = re.sub(r"[^A-Za-z0-9.]+", "-", f"{program}-{ending}".strip("-"))
    text = svg.svg_of(figure)
    return Drawn(kind, program, stem, title, caption, text, svg.png_of(figure))


def ratios(name, parts, labels, table):
    usual = forest.usual_of(forest.records_of(parts))
    return finish("ratios", name, "ratios", f"All ratios of {name}",
                  "Baseline / variant: median and 95 % interval of the paired rounds"
                  f"{', where a line names nothing else, at ' + units.point(usual) if usual else ''}. Filled: a patch; "
                  f"hollow: a reference or a control; grey band: {panels.margin_words(parts)}.",
                  forest.draw(parts, labels, table))


def scale(name, parts, labels, table, place, line):
    count = sum(1 for part in parts for row in part.rows if row.status == "ok" and scaling.along(row.params, *line))
    note = f" Of {count} samples at most {panels.SAMPLES} a panel are drawn." if count > panels.SAMPLES else ""
    alike = [{"params": where} for axis, where in scaling.lines_of(parts) if axis == line[0]]
    own = panels.short(line[1], panels.common_params(alike))
    return finish("scaling", name, f"scaling-{place + 1}-{line[0]}", f"Time against {line[0]}{', ' + own if own else ''}",
                  "Faint: every sample; line: medians with 95 % intervals; slope: the exponent in the size, with its "
                  "interval, where a variant has four sizes. Open triangle: stopped at its limit; cross at the foot: a size that was skipped. Grey: slopes "
                  f"1 and 2, for comparison.{note}", scaling.draw(parts, labels, table, line))


def first_point(parts: list[Part], point_of) -> tuple | None:
    return next((key for key in map(point_of, parts) if key), None)


def stacked(name, parts, labels, table):
    key = first_point(parts, stages.point_of)
    if not key:
        return None
    source = parts[0].declared["stages_from"]
    instead = f" The baseline is one call that shows no stages; its bar is {source}, the same stages composed unchanged."
    return finish("stages", name, "stages", "Where the time goes", f"Medians at {units.point(dict(key))}."
                  f"{instead if source not in ('', 'baseline') else ''} White: time between the stages.",
                  stages.stacked(parts, labels, key))


def fallen(name, parts, labels, table):
    key = first_point(parts, stages.point_of)
    patched = key and most_patched(parts, key)
    if not patched:
        return None
    counts = parts[0].patches()
    more = [other for other in counts if counts[other] > counts[patched]
            and any(cell["variant"] == other and "wall_s" in cell and not cell["stages"] for part in parts for cell in panels.at(part.cells, key))]
    note = f" Of {' and '.join(more)} no stage is left." if more else ""
    return finish("waterfall", name, "savings", f"What {patched} saves of each stage",
                  f"Differences of medians, from the baseline down, at {units.point(dict(key))}.{note}",
                  stages.waterfall(parts, labels, key, patched))


def most_patched(parts: list[Part], key: tuple) -> str | None:
    """The staged variant with the most patches at this point; of equals the fastest."""
    for part in parts:
        patches = part.patches()
        cells = [cell for cell in panels.at(part.cells, key)
                 if cell["stages"] and "wall_s" in cell and cell["variant"] in patches]
        if cells:
            return min(cells, key=lambda cell: (-patches[cell["variant"]], cell["wall_s"]["median"]))["variant"]
    return None


def resident(name, parts, labels, table):
    key = first_point(parts, memory.point_of)
    return key and finish("memory", name, "memory", "Peak memory",
                          f"Up to the end of the timed region, medians with 95 % intervals, at {units.point(dict(key))}. "
                          "Hollow: a reference or a control.", memory.draw(parts, labels, table, key))


def ordered(name, parts, labels, table):
    count = sum(len(part.rows) for part in parts)
    note = f" Of {count} trials at most {panels.SAMPLES} a panel are drawn." if count > panels.SAMPLES else ""
    return finish("order", name, "order", "Run order",
                  "Each trial over the median of its cell, in the order in which they ran; "
                  f"grey: the median of twelve neighbouring parts. A slope would be drift.{note}",
                  rounds.order(parts, labels, table))


def spread(name, parts, labels, table):
    key = first_point(parts, rounds.point_of)
    if not key:
        return None
    most = max((len(found) for part in parts for found in rounds.ratios(part, key).values()), default=0)
    note = f" Of {most} rounds {rounds.MOST} are drawn." if most > rounds.MOST else ""
    return finish("rounds", name, "rounds", "Ratios of the rounds",
                  f"Log-ratio of each round at {units.point(dict(key))}; below: median and 95 % interval. Grey band: "
                  f"{panels.margin_words(parts)}; bracket: the range that a claim names, with an arrow where it is "
                  f"open.{note}", rounds.distribution(parts, labels, table, key))


DRAW = {"ratios": ratios, "scaling": scale, "stages": stacked, "waterfall": fallen, "memory": resident, "order": ordered,
        "rounds": spread}
