"""The folder of a published run takes 2 MB at most: its rows and verdicts are compressed, and what a judge or a report can make
of them again (report.csv, verdicts.txt) is not there."""

import os
import pathlib

MOST = 2_000_000  # bytes of all files
PACKED = ("rows.jsonl", "verdicts.jsonl")


def is_published(folder: pathlib.Path) -> bool:
    return os.path.lexists(folder / "rows.jsonl.gz")


def size(folder: pathlib.Path) -> int:
    """Bytes of its files, without what a judge leaves there."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.name not in (*PACKED, "verdicts.txt"))
