"""A run's folder as plain records. Reads and checks; computes nothing that the judge did not."""

import io
import math
import os
import pathlib
import re
import sys
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from report.read import machines, published, schemas
from report.read.files import Unreadable, inside, parse, read_json, read_text, unpacked
from report.read.said import all_printable, printable

SCHEMA = 1
OK, ROUND = (
    re.compile(r'"status": ?"ok"'),
    re.compile(r'"round": ?(\d+)[,}]'),
)  # what stopped or failed is always drawn
MOST_ROWS = 200_000  # about the most rows that figures draw samples of; all numbers are the judge's
NO_STAGES: dict = {}
KINDS = {"claim": "claims", "cell": "cells", "ratio": "ratios", "exponent": "exponents"}


@dataclass(frozen=True, order=True)
class Set:
    """Rows of one machine, one date and one build, as the judge names them."""

    machine: str
    date: str
    commit: str
    run: str = ""  # the folder's name, where several are compared


class Row(NamedTuple):
    """The fields of a trial that the page needs: there may be many trials."""

    run: str
    round: int
    position: int
    name: str
    variant: str
    params: dict
    status: str
    reason: str
    limit_s: float
    wall_s: float | None
    stages: dict  # of a variant of which a share or the ratio of a stage is claimed


@dataclass
class Part:
    """One program in one set: what was declared, measured and found."""

    set: Set
    program: str
    declared: dict = field(default_factory=dict)
    claims: list[dict] = field(default_factory=list)
    cells: list[dict] = field(default_factory=list)
    ratios: list[dict] = field(default_factory=list)
    exponents: list[dict] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    void: str = ""  # why nothing of it counts (published.py)

    def moved(self) -> list[dict]:
        """The points at which a control moved: no ratio there decides anything."""
        points = [ratio["params"] for ratio in self.ratios if ratio.get("control_moved")]
        return [point for place, point in enumerate(points) if point not in points[:place]]

    def usual(self, axis: str) -> str | None:
        """The value of an axis where none is given."""
        return next(
            (known["values"][0] for known in self.declared["axes"] if known["name"] == axis), None
        )

    def is_timed(self) -> bool:
        """Whether anything but outputs is claimed of it: otherwise its times mean nothing."""
        asked = [claim for claim in self.claims if not claim["control"]]
        return not asked or any(claim["quantity"] != "agreement" for claim in asked)

    def patches(self) -> dict[str, int]:
        """How many patches are in each patched variant."""
        return {
            variant["name"]: len(variant["patches"])
            for variant in self.declared["variants"]
            if variant["role"] == "patch"
        }


@dataclass
class Run:
    summary: dict
    sets: dict[Set, dict] = field(default_factory=dict)  # the judge's line of each
    machines: dict[str, dict] = field(default_factory=dict)  # by id
    sessions: list[dict] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)  # by program, then by set
    trials: int = 0  # by the judge's count
    cases: dict[str, str] = field(default_factory=dict)  # README, by case
    validation: dict | None = None  # of the gate
    earlier: dict | None = None  # what is kept of the published run before
    notices: list[str] = field(default_factory=list)

    def label(self, one: Set) -> str:
        """A set in few words; date and build only where they tell sets apart."""
        if one.run:
            return one.run
        machine = self.machines[one.machine]
        alike = {
            other.machine
            for other in self.sets
            if self.machines[other.machine]["arch"] == machine["arch"]
        }
        words = [machines.name(machine)]
        if len(alike) > 1:
            words.append(one.machine)
        dates = [other.date for other in self.sets if other.machine == one.machine]
        if len(dates) > 1:
            words.append(one.date)
        if dates.count(one.date) > 1:
            words.append(f"at {one.commit}")
        return " ".join(words)

    def before(self, one: Set) -> Set | None:
        """The set before this one on the same machine; of compared folders that of the one before."""
        mine = [other for other in self.sets if other.machine == one.machine or one.run]
        place = mine.index(one)
        return mine[place - 1] if place else None

    def part(self, one: Set, program: str) -> Part | None:
        return next(
            (part for part in self.parts if part.set == one and part.program == program), None
        )

    def added(self) -> tuple[int, int, list[str]]:
        """How many trials were merged into how many cells that an earlier run had measured already, and which runs they
        are of."""
        runs = list(
            dict.fromkeys(session["run"] for session in self.sessions)
        )  # in the order of their starts
        found: dict[tuple, dict[str, int]] = {}
        for part in self.parts:
            for row in part.rows:
                trials = found.setdefault((part.set, part.program, row.name), {})
                trials[row.run] = trials.get(row.run, 0) + 1
        later = [
            {run: trials[run] for run in sorted(trials, key=runs.index)[1:]}
            for trials in found.values()
            if len(trials) > 1
        ]
        return (
            sum(sum(trials.values()) for trials in later),
            len(later),
            sorted({run for trials in later for run in trials}),
        )

    def void(self) -> dict[str, str]:
        return {part.program: part.void for part in self.parts if part.void}

    def programs(self) -> dict[str, list[Part]]:
        """The parts of each program, one a set."""
        return {
            name: [part for part in self.parts if part.program == name]
            for name in dict.fromkeys(part.program for part in self.parts)
        }


def load(folder: pathlib.Path) -> Run:
    if (folder / "gate.json").exists():
        raise Unreadable(
            f"{folder} is a gate's folder, whose rulings are in {folder / 'rulings.md'}; only a run has a report"
        )
    lines = list(lines_of(folder / "verdicts.jsonl", []))
    summaries = [line for line in lines if line.get("kind") == "summary"]
    if len(summaries) != 1:
        raise Unreadable(
            f"{folder / 'verdicts.jsonl'} has no summary; run: cliffbench judge {folder}"
        )
    check_schema(summaries[0], folder / "verdicts.jsonl")
    for line in lines:
        schemas.check(
            "verdict",
            line,
            f"{folder / 'verdicts.jsonl'} is not of this version (run: cliffbench judge {folder})",
        )
    run = Run(summaries[0])
    run.sessions = sorted(
        (record_of(path, "session") for path in inside(folder / "sessions", "*.json")),
        key=lambda session: (session["started"], session["run"], session["session"]),
    )
    run.machines = {session["machine"]["id"]: session["machine"] for session in run.sessions}
    run.cases = {
        printable(path.stem): printable(read_text(path))
        for path in inside(folder / "cases", "*.md")
    }
    if os.path.lexists(folder / "validation.json"):
        run.validation = all_printable(read_json(folder / "validation.json"))
    run.earlier = published.earlier(folder)
    gather(run, lines, folder)
    return run


def named(folders: list[pathlib.Path]) -> dict[str, Run]:
    """Runs by their folders' names; by the whole paths where these are alike."""
    names = [folder.resolve().name for folder in folders]
    return {
        printable(name if names.count(name) == 1 else f"{place}: {folder.as_posix()}"): load(folder)
        for place, (name, folder) in enumerate(zip(names, folders), 1)
    }


def beside(runs: dict[str, Run]) -> Run:
    """Runs, by their names, as one whose sets stay apart."""
    whole = Run(
        {
            "sentence": f"{len(runs)} runs compared",
            "exit": max(run.summary["exit"] for run in runs.values()),
        }
    )
    for name, run in runs.items():
        own = {
            one: replace(one, run=name if len(run.sets) == 1 else f"{name}, {run.label(one)}")
            for one in run.sets
        }
        whole.sets |= {own[one]: line for one, line in run.sets.items()}
        whole.parts += [replace(part, set=own[part.set]) for part in run.parts]
        whole.machines |= run.machines
        whole.sessions += run.sessions
        whole.cases |= run.cases
        whole.trials += run.trials
        whole.notices += [f"{name}: {notice}" for notice in run.notices]
    order = list(whole.sets)
    whole.parts.sort(key=lambda part: (part.program, order.index(part.set)))
    return whole


def gather(run: Run, lines: list[dict], folder: pathlib.Path) -> None:
    """Puts the judge's lines and the rows together by set and program."""
    sets = {set_of(line): line for line in lines if line["kind"] == "set"}
    misfit = Unreadable(
        f"{folder / 'verdicts.jsonl'} does not fit the rows; run: cliffbench judge {folder}"
    )
    programs = {
        printable(
            path.relative_to(folder / "programs").as_posix().removesuffix(".json")
        ): record_of(path, "program")
        for path in inside(folder / "programs", "*.json")
    }
    known = {f"{session['run']}.{session['session']}": session for session in run.sessions}
    of_rows: dict[tuple[str, str], Part] = {}  # by session and program
    first: dict[Set, str] = {}  # start
    void = published.void(folder)
    for one, line in sets.items():
        for program, named in line["sessions"].items():
            if not all(name in known and can_be_in(one, known[name]) for name in named):
                raise misfit
            run.parts.append(
                Part(
                    one,
                    program,
                    declaration(programs, named[0], program),
                    void=void.get(program, ""),
                )
            )
            of_rows |= {(name, program): run.parts[-1] for name in named}
            starts = [known[name]["started"] for name in named]
            first[one] = min(starts + [first.get(one, starts[0])])
    take_verdicts(run, lines, misfit)
    take_rows(run, of_rows, folder, misfit)
    oldest = {
        one.machine: min(start for other, start in first.items() if other.machine == one.machine)
        for one in first
    }
    run.sets = {
        one: sets[one]
        for one in sorted(first, key=lambda one: (oldest[one.machine], one.machine, first[one]))
    }
    order = list(run.sets)
    run.parts.sort(key=lambda part: (part.program, order.index(part.set)))


def take_verdicts(run: Run, lines: list[dict], misfit: Unreadable) -> None:
    parts = {(part.set, part.program): part for part in run.parts}
    for line in lines:
        if line["kind"] in KINDS:
            if not (part := parts.get((set_of(line), line["program"]))):
                raise misfit
            getattr(part, KINDS[line["kind"]]).append(line)


def take_rows(
    run: Run, of_rows: dict[tuple[str, str], Part], folder: pathlib.Path, misfit: Unreadable
) -> None:
    shared: dict[frozenset, dict] = {}
    left_out = set(run.summary.get("left_out", []))
    staged = {
        (part.program, name)
        for part in run.parts
        for claim in part.claims
        if claim["of"]
        for name in (claim["variant"], claim["against"])
    }
    run.trials = sum(sum(cell["counts"].values()) for part in run.parts for cell in part.cells)
    for record in lines_of(
        folder / "rows.jsonl", run.notices, left_out, every_nth_round(run.trials, run.notices)
    ):
        check_schema(record, folder / "rows.jsonl")
        schemas.check("row", record, folder / "rows.jsonl")
        if not (part := of_rows.get((f"{record['run']}.{record['session']}", record["program"]))):
            raise misfit
        if (record["program"], record["variant"]) not in staged or "stages" not in record:
            record["stages"] = NO_STAGES
        record["params"] = shared.setdefault(frozenset(record["params"].items()), record["params"])
        part.rows.append(
            Row(
                *(
                    sys.intern(value) if isinstance(value, str) else value
                    for value in map(record.__getitem__, Row._fields)
                )
            )
        )


def set_of(record: dict) -> Set:
    return Set(record["machine"], record["date"], record["commit"])


def can_be_in(one: Set, session: dict) -> bool:
    """A session may begin after the date of its set, which is that of the run's first session."""
    return session["machine"]["id"] == one.machine and session["started"][:10] >= one.date


def declaration(programs: dict[str, dict], session: str, program: str) -> dict:
    """A program as it was declared in a run, which a merged folder may keep by itself."""
    return programs.get(f"{session.rpartition('.')[0]}/{program}") or programs[program]


def every_nth_round(rows: int, notices: list[str]) -> int:
    """1, or so many that the rows of every n-th round are about MOST_ROWS; then with a notice."""
    nth = -(-rows // MOST_ROWS) or 1
    if nth > 1:
        notices.append(
            f"{rows:,} rows: figures and opened rows use one round in {nth}; "
            "verdicts, medians and intervals use all rows"
        )
    return nth


def lines_of(
    path: pathlib.Path, notices: list[str], left_out: Collection[int] = (), nth_round: int = 1
) -> Iterator[dict]:
    """The JSON Lines of a file; of rows that are ok, those of every n-th round from the first. An unfinished last line,
    and those that the judge left out, are left out with a notice."""
    try:
        with io.TextIOWrapper(unpacked(path), errors="replace", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if number in left_out and line.endswith("\n"):
                    notices.append(f"{path.name} line {number} is damaged and was left out")
                elif not line.endswith("\n"):
                    notices.append(f"{path.name} line {number} is unfinished and was left out")
                elif (
                    nth_round == 1
                    or not OK.search(line)
                    or not (found := ROUND.search(line))
                    or int(found[1]) % nth_round == 1
                ):
                    record = parse(line, f"{path} line {number}")
                    yield (
                        record
                        if "\\" not in line and line[:-1].isprintable()
                        else all_printable(record)
                    )
    except (OSError, EOFError, zlib.error) as error:
        raise Unreadable(
            f"cannot read {path}: {getattr(error, 'strerror', None) or error}"
        ) from None


def record_of(path: pathlib.Path, kind: str) -> dict:
    """One of the run's JSON files."""
    record = read_json(path)
    check_schema(record, path)
    schemas.check(kind, record, path)
    return all_printable(record)


def check_schema(record: dict, path: pathlib.Path) -> None:
    if record.get("schema") != SCHEMA:
        raise Unreadable(
            f"{path} has schema {record.get('schema')}, this program reads schema {SCHEMA}"
        )


def magnitude(value: str) -> float | None:
    """The number an axis value stands for: 8 for "8", the product for "3072x2048"; None for a word."""
    parts = value.split("x")
    return (
        float(math.prod(int(part) for part in parts))
        if all(part.isdigit() for part in parts)
        else None
    )


def size_of(declared: dict, axis: str, value: str) -> float | None:
    """The same, of a value of a declared case's axis, whose words may have sizes."""
    sizes = next(
        (known.get("sizes", {}) for known in declared["axes"] if known["name"] == axis), {}
    )
    return sizes.get(value, magnitude(value))
