"""All figures of a run, as SVG."""

import re
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
    finding: str = ""  # the alternative text

    @property
    def narrow(self) -> bool:
        """Whether a phone shows it without scrolling, so that a wide screen need not blow it up."""
        return float(re.search(r' width="([\d.]+)pt"', self.svg)[1]) < 72 * NARROW


def draw_all(run: Run, issues: list[dict] = ()) -> list[Drawn]:
    """All figures, in the order of the programs; after them those of the issues."""
    table = looks.looks([part.declared for part in run.parts])
    drawn = []
    for name, parts in run.programs().items():
        labels = [run.label(part.set) for part in parts]
        void = f" {units.VOID.capitalize()}." if any(part.void for part in parts) else ""
        void += "".join(f" {words}" for words in moved_words(parts, labels))
        for one in ALL if any(part.is_timed() for part in parts) else ():
            for job in one.jobs(parts) if one.section == "program" else ():
                drawn.append(finish(one, name, one.drawn(name, parts, labels, table, *job), void))
    drawn += [finish(one, "", one.drawn(run)) for one in ALL if one.section in ("run", "fixes")]
    drawn += [
        finish(one, "", one.drawn(run, issue))
        for one in ALL
        if one.section == "issue"
        for issue in issues
    ]
    found = [one for one in drawn if one]
    for number, one in enumerate(found):
        one.svg = svg.with_short_ids(one.svg, f"f{number:x}_")
    return found


def moved_words(parts: list[Part], labels: list[str]) -> list[str]:
    """A sentence for each set in which a control moved."""
    return [
        f"{label + ': a' if len(parts) > 1 else 'A'} control moved at {' and at '.join(map(units.point, part.moved()))}: "
        "the ratios there decide nothing."
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
    return Drawn(
        described.name,
        described.section,
        program,
        stem,
        drawing.title,
        drawing.caption + void,
        text,
        drawing.finding + void,
    )
