"""Trials and claims that did not finish, were wrong, moved or stayed undecided, each with what to do."""

from report.read.load import Run
from report.say import units

TO_DO = {
    "timeout": "Its limit counts as a lower bound. To see it finish, give it more time: cliffbench run --limit.",
    "oom": "Give it more memory, or choose a smaller size with --axis.",
    "crash": "Open its row in the table and run its command by hand: the case or the patch is broken at this point.",
    "failed": "Open its row in the table and run its command by hand.",
    "skipped": "Nothing, unless you can fix the reason on this machine.",
    "wrong_output": "Do not use this variant at this point: its output is not the baseline's. Its numbers are not used.",
}
MOVED = "No ratio or claim of this point is decided, because a program differed from itself. See which counters differ, and measure again."
MORE = "More rounds narrow the interval: cliffbench run --rounds 12, with the axes of this claim."
STOPPED = "A size that was stopped is not tried again. Give it more time: cliffbench run --limit, with the axes of this claim."
FEW = "An interval needs six rounds; cliffbench run --rounds 6, with the axes of this claim."


def more_of(seen: dict | None) -> str:
    """The measurement that would decide a claim of which this much was seen."""
    if seen and seen.get("stopped"):
        return STOPPED
    return MORE if seen and seen["n"] >= 6 else FEW


def troubles(run: Run) -> list[dict]:
    found = []

    def add(kind: str, part, what: str, why: str, todo: str) -> None:
        found.append(
            {
                "kind": kind,
                "where": f"{part.program}"
                + (f", {run.label(part.set)}" if len(run.sets) > 1 else ""),
                "what": what,
                "why": why,
                "todo": todo,
            }
        )

    for part in run.parts:
        for claim in part.claims:
            if claim["control"] and claim["verdict"] == "refuted":
                add(
                    "moved",
                    part,
                    f"{claim['text']} (at {units.point(claim['where'])})",
                    f"seen {claim['seen_text']}; {claim['reason']}",
                    MOVED,
                )
        for cell in part.cells:
            if cell["status"] != "ok":
                add(
                    cell["status"],
                    part,
                    f"{cell['variant']} at {units.point(cell['params'])}",
                    cell["reason"],
                    TO_DO.get(cell["status"], TO_DO["failed"]),
                )
        for claim in part.claims:
            if claim["measured"] and not claim["control"] and not claim["as_expected"]:
                add(
                    "unexpected",
                    part,
                    claim["text"],
                    claim["reason"],
                    "Either the claim or the expectation is wrong; the rows next to this page decide.",
                )
            if claim["measured"] and not claim["control"] and claim["verdict"] == "undecided":
                add(
                    "undecided",
                    part,
                    f"{claim['text']} (at {units.point(claim['where'])})",
                    claim["reason"],
                    more_of(claim["seen"]),
                )
    return found
