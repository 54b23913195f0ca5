"""All figures of a run, each as SVG and PNG. Drawn by as many processes as there are cores."""

import multiprocessing
import os
import re
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from report.draw import looks, svg
from report.draw.drawing import Description, Drawing
from report.draw.figure import ALL
from report.read.load import Part, Run
from report.say import units

NARROW = 4.4  # inches: on a phone its letters of 9 points have 11 pixels


@dataclass
class Drawn:
    name: str
    section: str
    program: str
    file: str  # without its ending
    title: str
    caption: str
    svg: str
    png: bytes  # empty except for figures that a README shows
    finding: str = ""  # the alternative text
    void: str = ""  # why it does not count, or not all of it; the caption says it too

    @property
    def narrow(self) -> bool:
        """Whether a phone shows it without scrolling, so that a wide screen need not blow it up."""
        return float(re.search(r' width="([\d.]+)pt"', self.svg)[1]) < 72 * NARROW


def draw_all(run: Run, issues: list[dict] = ()) -> list[Drawn]:
    """All figures, in the order of the programs; after them those of the issues. The same for any number of processes."""
    programs = run.programs()
    table = looks.looks([part.declared for part in run.parts])
    labels = {name: [run.label(part.set) for part in parts] for name, parts in programs.items()}
    jobs = [
        (number, name, job)
        for name, parts in programs.items()
        if any(part.is_timed() for part in parts)
        for number, one in enumerate(ALL)
        if one.section == "program"
        for job in one.jobs(parts)
    ]
    global _job  # inherited by the processes, so that the rows are not copied for each figure
    _job = (programs, labels, table)
    workers = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, 8)
    if workers > 1 and len(jobs) >= WORTH:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
            drawn = list(pool.map(draw_job, jobs, chunksize=2))
    else:
        drawn = list(map(draw_job, jobs))
    drawn += [finish(one, "", one.draw(run)) for one in ALL if one.section in ("run", "fixes")]
    drawn += [
        finish(one, "", one.draw(run, issue))
        for one in ALL
        if one.section == "issue"
        for issue in issues
    ]
    found = [one for one in drawn if one]
    for number, one in enumerate(found):
        one.svg = svg.with_short_ids(one.svg, f"f{number:x}_")
    return found


_job: tuple = ()
WORTH = 12  # figures: with fewer, starting processes costs more than it saves


def draw_job(job: tuple[int, str, tuple]) -> Drawn | None:
    number, name, more = job
    programs, labels, table = _job
    void = f" {units.VOID.capitalize()}." if any(part.void for part in programs[name]) else ""
    void += "".join(f" {words}" for words in moved_words(programs[name], labels[name]))
    return finish(
        ALL[number], name, ALL[number].draw(name, programs[name], labels[name], table, *more), void
    )


def moved_words(parts: list[Part], labels: list[str]) -> list[str]:
    """A sentence for each set in which a control moved."""
    return [
        f"{label + ': a' if len(parts) > 1 else 'A'} control moved at {' and at '.join(map(units.point, part.moved()))}: "
        "no ratio there decides anything."
        for part, label in zip(parts, labels)
        if part.moved()
    ]


def finish(
    described: Description, program: str, drawing: Drawing | None, void: str = ""
) -> Drawn | None:
    if drawing is None or drawing.figure is None:
        return None
    stem = re.sub(r"[^A-Za-z0-9.]+", "-", f"{program}-{described.name}{drawing.ending}".strip("-"))
    text = svg.svg_of(drawing.figure)
    png = svg.png_of(drawing.figure) if described.section != "program" else b""
    return Drawn(
        described.name,
        described.section,
        program,
        stem,
        drawing.title,
        drawing.caption + void,
        text,
        png,
        drawing.finding + void,
        void,
    )
