"""A run's folder as plain records. Reads and checks; computes nothing that the judge did not."""

import json
import math
import pathlib
from dataclasses import dataclass, field

SCHEMA = 1


class Unreadable(Exception):
    """One sentence: which file, and what is wrong with it."""


@dataclass
class Run:
    summary: dict
    claims: list[dict] = field(default_factory=list)
    cells: list[dict] = field(default_factory=list)
    ratios: list[dict] = field(default_factory=list)
    exponents: list[dict] = field(default_factory=list)
    rows: list[dict] = field(default_factory=list)
    programs: dict[str, dict] = field(default_factory=dict)
    sessions: list[dict] = field(default_factory=list)
    cases: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    def machines(self) -> dict[str, dict]:
        """The machines that were measured, by id."""
        return {session["machine"]["id"]: session["machine"] for session in self.sessions}


def load(folder: pathlib.Path) -> Run:
    lines = read_lines(folder / "verdicts.jsonl", [])
    summaries = [line for line in lines if line.get("kind") == "summary"]
    if len(summaries) != 1:
        raise Unreadable(f"{folder / 'verdicts.jsonl'} has no summary; run: cliffbench judge {folder}")
    check_schema(summaries[0], folder / "verdicts.jsonl")
    run = Run(summaries[0])
    for line in lines:
        for kind, records in (("claim", run.claims), ("cell", run.cells), ("ratio", run.ratios),
                              ("exponent", run.exponents)):
            if line.get("kind") == kind:
                records.append(line)
    run.rows = read_lines(folder / "rows.jsonl", run.notices)
    for row in run.rows:
        check_schema(row, folder / "rows.jsonl")
    run.programs = {path.stem: read_json(path) for path in sorted((folder / "programs").glob("*.json"))}
    run.sessions = [read_json(path) for path in sorted((folder / "sessions").glob("*.json"))]
    run.cases = {path.stem: path.read_text() for path in sorted((folder / "cases").glob("*.md"))}
    return run


def read_text(path: pathlib.Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError as error:
        raise Unreadable(f"cannot read {path}: {error.strerror}") from None


def read_lines(path: pathlib.Path, notices: list[str]) -> list[dict]:
    """The JSON Lines of a file. An unfinished last line is left out with a notice."""
    text = read_text(path)
    lines = text.split("\n")
    if lines.pop():
        notices.append(f"{path} line {len(lines) + 1} is unfinished and was left out")
    return [parse(line, f"{path} line {number}") for number, line in enumerate(lines, 1)]


def read_json(path: pathlib.Path) -> dict:
    return parse(read_text(path), str(path))


def parse(text: str, where: str) -> dict:
    try:
        record = json.loads(text)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise Unreadable(f"{where} is not a JSON object")
    return record


def check_schema(record: dict, path: pathlib.Path) -> None:
    if record.get("schema") != SCHEMA:
        raise Unreadable(f"{path} has schema {record.get('schema')}, this program reads schema {SCHEMA}")


def magnitude(value: str) -> float | None:
    """The number an axis value stands for: 8 for "8", the product for "3072x2048"; None for a word."""
    parts = value.split("x")
    return float(math.prod(int(part) for part in parts)) if all(part.isdigit() for part in parts) else None


def size_of(declared: dict, axis: str, value: str) -> float | None:
    """The same, of a value of a declared case's axis, whose words may have sizes."""
    sizes = next((known.get("sizes", {}) for known in declared["axes"] if known["name"] == axis), {})
    return sizes.get(value, magnitude(value))
