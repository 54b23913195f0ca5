"""The last lines of `make bench`: what did not go as expected or was not measured, the judge's sentence, the machine; then what
each fix saves on this machine, in the words of the report's first table; last where the report is."""

import collections
import shutil
import textwrap

from report.read import said
from report.read.load import Part, Run
from report.say import fixes, selection, story, units

WIDEST = 120  # longer lines are hard to read
NO_TERMINAL = 100
BROKEN = ("crash", "failed", "oom", "wrong_output")
HEAD = "What each fix saves on this machine:"


def text(run: Run, where: str, terminal: int) -> str:
    """`where`: the rest lies. `terminal`: its width, 0 for none."""
    width = min(terminal, WIDEST) if terminal else NO_TERMINAL
    claims = [
        claim
        for part in run.parts
        for claim in part.claims
        if not claim["control"] and not part.void
    ]
    sentences = [
        run.summary["sentence"],
        broken(run),
        unexpected(claims, width),
        undecided(claims),
        not_measured(claims),
        machines(run),
    ]
    lines = [line for one in sentences for line in wrapped(one, width)]
    lines += ["", *answers(run, width), *wrapped(where, width)]
    return "".join(f"{line}\n" for line in lines)


def width_of_terminal() -> int:
    return shutil.get_terminal_size((NO_TERMINAL, 0)).columns


def wrapped(words: str, width: int, indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        said.printable(words),
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def answers(run: Run, width: int) -> list[str]:
    """A line for each point of each fix that an issue proposes, then of ours that end the list; of a run without any, what each
    case's most patched variant gives."""
    lines, missing = [], []
    asked = [fix for fix in story.declared("fix") if fix["by"] or fix.get("closing")]
    found = [fix for fix in fixes.fixes(run) if fix["by"] or fix.get("closing")]
    if not found:
        return made_answers(run, width)
    for fix in sorted(found, key=lambda fix: not fix["by"]):
        lines += fix_lines(fix, len(run.sets) > 1, fixes.platforms(run))
    measured = [(fix["name"], fix["before"]) for fix in found]
    for fix in asked:
        if (fix["name"], fix["before"]) not in measured and fix["by"]:
            missing.append(f"{fix['name']} ({fixes.unfilled(fix['what'], {})})")
    end = f"Not measured in this run: {', '.join(missing)}." if missing else ""
    return [HEAD, *in_columns(lines, width), *wrapped(end, width)]


def fix_lines(fix: dict, several: bool, platforms: list[dict]) -> list[tuple]:
    """What was timed, before and after, and the ratio."""
    name = f"{fix['name']}: {fix['what']}"
    lines = [(name, "", "")] if fix["several"] else []
    for row in fix["rows"]:
        for one, platform in zip(row["cells"], platforms):
            if not one["ratio"] or platform["code"]:
                continue
            of = f"{platform['says']}: " if several else ""
            times = f"{one['before']} -> {one['after']}"
            ratio = one["words"] if "lo" in one["ratio"] else few(one["ratio"], one["words"])
            lines.append((f"  {of}{row['says']}" if fix["several"] else of + name, times, ratio))
    return lines


def few(ratio: dict, words: str) -> str:
    return words if ratio.get("stopped") else f"{words} ({counted(ratio['n'], 'round')})"


def in_columns(lines: list[tuple], width: int) -> list[str]:
    """Beside each other where they fit, else each line by itself."""
    wide = [max(map(len, column)) for column in zip(*lines)]
    if 2 + sum(wide) + 2 * (len(wide) - 1) <= width:
        return [
            "  " + "  ".join(cell.ljust(size) for cell, size in zip(line, wide)).rstrip()
            for line in lines
        ]
    return [
        line
        for what, times, ratio in lines
        for line in wrapped(f"{what}: {times}, {ratio}" if times else f"{what}:", width)
    ]


def made_answers(run: Run, width: int) -> list[str]:
    lines = made_lines(run)
    if not lines:
        return ["This run measured no patch together with its baseline."]
    return ["What the patches save, where the baseline is slowest:", *in_columns(lines, width)]


def made_lines(run: Run) -> list[tuple]:
    """What each case's most patched variant gives where its program's baseline is slowest."""
    found: dict[str, tuple] = {}  # by case: the answer of its program with the slowest baseline
    for part in run.parts:
        times = {
            (cell["variant"], selection.point_key(cell["params"])): cell["wall_s"]
            for cell in part.cells
            if cell.get("wall_s")
        }
        patches = part.patches()
        ratios = [
            record
            for record in part.ratios
            if record["variant"] in patches
            and record.get("ratio")
            and not record.get("control_moved")
            and not part.void
        ]
        most = max((patches[record["variant"]] for record in ratios), default=0)

        def slowness(record: dict, times: dict = times) -> tuple:
            before = times["baseline", selection.point_key(record["params"])]
            return "lo" in record["ratio"], before["median"]

        asked = [record for record in ratios if patches[record["variant"]] == most]
        if record := max(asked, key=slowness, default=None):
            before, after = (
                times[variant, selection.point_key(record["params"])]
                for variant in ("baseline", record["variant"])
            )
            words = units.ratio_text(record)
            line = (
                f"{part.program} {record['variant']}, {units.point(record['params'])}",
                f"{units.median_seconds(before)} -> {units.median_seconds(after)}",
                words if "lo" in record["ratio"] else few(record["ratio"], words),
            )
            answer = before["median"], line
            found[part.declared["case"]] = max(found.get(part.declared["case"], answer), answer)
    return [line for _, line in sorted(found.values(), reverse=True)]


def broken(run: Run) -> str:
    found = [(part, cell) for part in run.parts for cell in part.cells if cell["status"] in BROKEN]
    if not found:
        return ""
    return f"Wrong or broken: {counted(len(found), 'cell')}, first {status_of(*found[0])}"


def status_of(part: Part, cell: dict) -> str:
    reason = f": {cell['reason']}" if cell["reason"] else ""
    point = units.point(cell["params"])
    return f"{cell['variant']} of {part.program} at {point}: {cell['status']}{reason}"


def unexpected(claims: list[dict], width: int) -> str:
    """Verdicts that differ from what their case expects, with what was seen: as many as fit into two lines, at least one; the
    others are counted."""
    found = [
        f"{claim['verdict']} ({claim['seen_text']}, claimed {claim['range_text']}): {claim['text']}"
        for claim in claims
        if not claim["as_expected"]
    ]

    def listed(count: int) -> str:
        rest = f"; {len(found) - count} more in the report" if count < len(found) else ""
        return f"Not as expected: {'; '.join(found[:count])}{rest}"

    fitting = [
        count
        for count in range(1, len(found) + 1)
        if count == 1 or len(wrapped(listed(count), width)) <= 2
    ]
    return listed(max(fitting)) if found else ""


def undecided(claims: list[dict]) -> str:
    """Measured, with too few rounds for an interval or one that crosses the bound; or on a machine that does not decide it."""
    kinds: collections.Counter[str] = collections.Counter()
    for claim in claims:
        if claim["measured"] and claim["verdict"] == "undecided":
            seen = claim["seen"] or {}  # nothing: of a stage that no trial has
            few_rounds = "lo" not in seen
            kinds[
                "with too few rounds for an interval"
                if few_rounds
                else "with an interval across the claimed bound"
                if crosses(claim)
                else f"as {claim['reason']}"
            ] += 1
    words = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return f"Undecided: {words}" if kinds else ""


def crosses(claim: dict) -> bool:
    """Whether the interval lies neither in the claimed range nor outside it."""
    infinite = float("inf")
    low = claim["seen"]["lo"]
    high = infinite if claim["seen"]["hi"] is None else claim["seen"]["hi"]
    least = -infinite if claim["lo"] is None else claim["lo"]
    most = infinite if claim["hi"] is None else claim["hi"]
    return not (least <= low and high <= most or high < least or low > most)


def not_measured(claims: list[dict]) -> str:
    kinds: collections.Counter[str] = collections.Counter()
    for claim in claims:
        if not claim["measured"]:
            left_out = " about sizes or variants that this run left out"
            kinds[f", as {claim['reason']}" if claim["by_machine"] else left_out] += 1
    words = "; ".join(counted(count, "claim") + kind for kind, count in kinds.items())
    return f"Not measured here: {words}" if kinds else ""


def machines(run: Run) -> str:
    if len(run.machines) > 1:
        return f"Machine: {len(run.machines)} of them"
    [machine] = run.machines.values()
    load = max(
        (session["load_before"][0] for session in run.sessions if session["load_before"]),
        default=None,
    )
    virtual = ", virtualised" if machine["virtualised"] else ""
    words = f"Machine: {machine['cpu']}, {machine['cores']} cores{virtual}"
    if load is None:
        return words
    busy = " (busy: times are noisy)" if load > machine["cores"] / 2 else ""
    return f"{words}; load {load:.2f} at the start{busy}"
