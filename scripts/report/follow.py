"""While a run measures: how many trials are done, and what each fix saves so far. From the rows as they are written, and gone
from the screen when the run ends: then the judge's answers take their place.

    scripts/setup/python scripts/report/follow.py FOLDER     until it is stopped by SIGTERM
"""

import fnmatch
import json
import math
import os
import pathlib
import signal
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from report.read import said  # noqa: E402
from report.say import closing, fixes, story, units  # noqa: E402

EVERY_S = 5.0


class Followed:
    """The rows of a folder that are whole so far."""

    def __init__(self, folder: pathlib.Path):
        self.folder, self.read, self.rows = folder, 0, []

    def look(self) -> None:
        try:
            with open(self.folder / "rows.jsonl", "rb") as file:
                file.seek(self.read)
                new = file.read()
        except OSError:
            return
        whole = new[: new.rfind(b"\n") + 1]
        self.read += len(whole)
        self.rows += [json.loads(line) for line in whole.splitlines()]

    def planned(self) -> int:
        try:
            cells = json.loads((self.folder / "plan.json").read_text())["cells"]
        except (OSError, ValueError):
            return 0
        return sum(cell["rounds"] for cell in cells)


def answers(rows: list[dict], declared: list[dict]) -> list[tuple]:
    """What was timed, before and after, and the ratio of each fix's first point: medians over the rounds that have both."""
    lines = []
    for fix in declared:
        row = fixes.points(fix)[0]
        times = {
            (one["variant"], tuple(sorted(one["params"].items())), one["round"]): one["wall_s"]
            for one in rows
            if one["status"] == "ok"
            and one["variant"] in (fix["before"], fix["after"])
            and fnmatch.fnmatchcase(one["program"], fix["program"])
            and story.agrees(row["at"], one["params"])
        }
        points: dict[tuple, list[tuple]] = {}
        for (variant, point, number), before in times.items():
            after = times.get((fix["after"], point, number))
            if variant == fix["before"] and after:
                points.setdefault(point, []).append((before, after))
        if not points:
            continue
        point, pairs = max(points.items(), key=lambda one: statistics.median(p[0] for p in one[1]))
        before, after = (statistics.median(column) for column in zip(*pairs))
        ratio = math.exp(statistics.median(math.log(old / new) for old, new in pairs))
        words = f"{fix['name']}: {story.filled(fix['what'], dict(point))}"
        says = story.filled(row["says"], dict(point))
        lines.append(
            (
                f"{words}, {says}" if says else words,
                f"{units.seconds(before)} -> {units.seconds(after)}",
                f"{units.digits(ratio)}x ({closing.counted(len(pairs), 'round')} so far)",
            )
        )
    return lines


def shown(followed: Followed, declared: list[dict], width: int) -> list[str]:
    planned = followed.planned()
    of = f" of {planned}" if planned else ""
    found = answers(followed.rows, declared)
    head = [closing.HEAD, *closing.in_columns(found, width)] if found else []
    return [*head, f"{len(followed.rows)}{of} trials; stop with Ctrl-C, which prints how to go on"]


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    followed, drawn = Followed(pathlib.Path(sys.argv[1])), 0
    declared = [fix for fix in story.declared("fix") if fix["by"] or fix.get("closing")]
    try:
        parent = os.getppid()
        while os.getppid() == parent:  # else that has ended without a word
            followed.look()
            width = closing.width_of_terminal() - 1
            lines = [said.printable(line)[:width] for line in shown(followed, declared, width)]
            print(erase(drawn) + "".join(f"{line}\n" for line in lines), end="", flush=True)
            drawn = len(lines)
            time.sleep(EVERY_S)
        return 0
    finally:
        print(erase(drawn), end="", flush=True)


def erase(lines: int) -> str:
    return f"\x1b[{lines}A\x1b[J" if lines else ""


if __name__ == "__main__":
    sys.exit(main())
