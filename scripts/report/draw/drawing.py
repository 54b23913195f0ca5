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


SECTIONS = ("fixes", "issue", "program", "run")


class FigureFailed(Exception):
    """A figure's own code raised an exception, its cause; the sentence names the figure."""


@dataclass(frozen=True)
class Description:
    name: str
    section: str  # of the page: "fixes" (the first screen), "issue", "program", "run"
    place: int  # within its section, from the top
    draw: Callable[
        ..., Drawing | None
    ]  # (program, parts, labels, looks, *job); of "issue" (run, issue); of "run" and "fixes" (run)
    jobs: Callable[[list[Part]], list[tuple]] = lambda parts: [()]  # one drawing each

    def __post_init__(self) -> None:
        if self.section not in SECTIONS:
            raise ValueError(
                f"the figure {self.name} has the section '{self.section}', not one of {', '.join(SECTIONS)}"
            )

    def drawn(self, *given) -> Drawing | None:
        try:
            return self.draw(*given)
        except Exception as error:
            raise FigureFailed(
                f"the figure {self.name} failed with {type(error).__name__}: {error}"
            ) from error


def first_point(parts: list[Part], point_of) -> tuple | None:
    return next((key for key in map(point_of, parts) if key), None)
