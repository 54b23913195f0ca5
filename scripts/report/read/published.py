"""The folder of a published run takes 2 MB at most: its rows and verdicts are compressed, and what a judge or a report can make
of them again (bitmaps) is not there. It is whole by itself: what its pages show is in it."""

import json
import os
import pathlib
import re
import tomllib

from report.read import files
from report.read.said import all_printable

MOST = 2_000_000  # bytes of all files
PACKED = ("rows.jsonl", "verdicts.jsonl")
VOID = "void.toml"
EARLIER = "earlier"  # beside the published runs


def is_published(folder: pathlib.Path) -> bool:
    return os.path.lexists(folder / "rows.jsonl.gz")


def earlier(folder: pathlib.Path) -> dict | None:
    """What is kept of the newest published run before that of this folder, if anything (say/earlier.py)."""
    kept = files.inside(folder.parent / EARLIER, "*.json") if is_published(folder) else []
    before = [path for path in kept if path.stem < folder.name]
    return all_printable(files.read_json(max(before))) if before else None


def size(folder: pathlib.Path) -> int:
    """Bytes of its files, without what a judge leaves there."""
    return sum(
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and path.name not in PACKED
    )


def sort_rows(path: pathlib.Path) -> None:
    """The rows of a cell one after another, which a fifth fewer bytes hold; `position` says in which order they were made."""
    lines = files.read_bytes(path).splitlines(keepends=True)

    def place(line: bytes) -> tuple:
        row = json.loads(line)
        return row["program"], row["name"], row["run"], row["round"]

    files.write(path, b"".join(sorted(lines, key=place)))


def missing_images(folder: pathlib.Path) -> list[str]:
    """Images that report.html or report.md names and that are neither in the page nor beside it."""
    named = re.findall(r'<img [^>]*?src="([^"]*)"', files.read_text(folder / "report.html"))
    named += re.findall(r"!\[[^]]*\]\(([^)]*)\)", files.read_text(folder / "report.md"))
    return sorted(
        {name for name in named if not name.startswith("data:") and not (folder / name).is_file()}
    )


def void(folder: pathlib.Path) -> dict[str, str]:
    """By program, why nothing of it in this run counts: an error that was found after the run was published. The judge knows
    nothing of it: what it wrote stays."""
    if not os.path.lexists(folder / VOID):
        return {}
    try:
        declared = tomllib.loads(files.read_text(folder / VOID))
        return dict.fromkeys(declared["programs"], declared["reason"])
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise files.Unreadable(
            f"{folder / VOID} does not say which programs are void, and why: {error}"
        ) from None


def void_words(programs: dict[str, str]) -> list[str]:
    """A sentence for each reason."""
    return [
        f"Void until the next publication: {' and '.join(name for name in programs if programs[name] == reason)}, which {reason}."
        for reason in dict.fromkeys(programs.values())
    ]


def homes_of_cases(root: pathlib.Path) -> dict[str, pathlib.Path]:
    """The folder of each case of ours that has a README."""
    found = {}
    for readme in root.glob("cases/*/README.md"):
        data = tomllib.loads(files.read_text(readme.with_name("case.toml")))
        found |= {case["name"]: readme.parent for case in data.get("case", [data])}
    return found
