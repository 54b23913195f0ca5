"""Behind closed headings: of each program why it is slow, and its figures; the patches."""

import re

from report.read import published
from report.read.load import Part, Run


def programs(run: Run, drawn: list) -> list[dict]:
    """`drawn`: the figures that stand nowhere else."""
    return [
        {
            "name": name,
            "intro": intro(run, parts[0]),
            "void": published.void_words({part.program: part.void for part in parts if part.void}),
            "figures": [one for one in drawn if one.program == name],
        }
        for name, parts in run.programs().items()
    ]


def patches(run: Run) -> list[dict]:
    """Each patch card once, with the programs that have it."""
    found: dict[tuple, dict] = {}
    for part in run.parts:
        for card in part.declared["patches"]:
            one = found.setdefault(tuple(card.values()), card | {"programs": {}})
            one["programs"][part.program] = None
    return list(found.values())


def intro(run: Run, part: Part) -> str:
    """The first paragraph of the case's README, else its own sentence."""
    markdown = run.cases.get(part.declared["case"], "")
    paragraphs = [
        text for text in markdown.split("\n\n") if text.strip() and not text.startswith("#")
    ]
    return plain(paragraphs[0]) if paragraphs else part.declared["why"]


def plain(markdown: str) -> str:
    return re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", markdown).strip()
