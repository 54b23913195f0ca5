"""The description of a figure, of which each file in figure/ exports one."""

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure

from report.read.load import Part


@dataclass(frozen=True)
class Drawing:
    title: str
    caption: str
    figure: Figure | None  # None: there is nothing to draw
    finding: str  # what is to be seen, for those who cannot see it
    ending: str = ""  # end of the file's name, where a program has several


@dataclass(frozen=True)
class Description:
    name: str
    section: str  # of the page: "fixes" (the first screen), "issue", "program", "run"
    place: int  # within its section, from the top
    draw: Callable[
        ..., Drawing | None
    ]  # (program, parts, labels, looks, *job); of "issue" (run, issue); of "run" and "fixes" (run)
    jobs: Callable[[list[Part]], list[tuple]] = lambda parts: [()]  # one drawing each


def first_point(parts: list[Part], point_of) -> tuple | None:
    return next((key for key in map(point_of, parts) if key), None)
