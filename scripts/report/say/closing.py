"""The last lines of `make bench`: the judge's sentence, each issue's question with its answers, who chose the claims'
figures, what did not go as expected or could not be measured and why, the machine, and where the rest is. Nothing is cut: what
does not fit into 14 lines (20 in a narrow terminal) is counted, except the first answer and the first of each kind of trouble.
Who chose the figures is said where every issue has an answer beside it."""

import collections
import textwrap
from collections.abc import Iterable
from typing import NamedTuple

from report.read import said
from report.read.load import Part, Run
from report.say import claims as claimed
from report.say import selection, story, units

WIDEST = 120  # longer lines are hard to read
NO_TERMINAL = 100
MOST_LINES = 14  # 15 with the line that scripts/bench adds
NARROW_LINES = 20  # a terminal of 80 columns has 24
BROKEN = ("crash", "failed", "oom", "wrong_output")


class Answer(NamedTuple):
    question: str
    is_first: bool  # among the answers to its question, which are neighbours
    core: str  # both times and their ratio, or why there is none
    further: str = ""  # the other ways out


def text(run: Run, where: str, terminal: int) -> str:
    """`where`: the rest lies. `terminal`: its width, 0 for none."""
    width = min(terminal, WIDEST) if terminal else NO_TERMINAL
    claims = [
        claim
        for part in run.parts
        for claim in part.claims
        if not claim["control"] and not part.void
    ]
    first = wrapped(run.summary["sentence"], width)
    last = [
        line
        for one in (
            broken(run),
            unexpected(claims, width),
            undecided(claims),
            not_measured(claims),
            machines(run),
            where,
        )
        for line in wrapped(one, width)
    ]
    room = (NARROW_LINES if width < NO_TERMINAL else MOST_LINES) - len(first) - len(last)
    given, groups = answers(run), claimed.groups_words(run)
    whose = wrapped(f"Claims: {groups}", width) if groups else []
    if len(laid_out(given, cores(given), width)) + len(whose) > room:
        whose = []
    middle = answer_lines(given, width, max(0, room - len(whose)))
    return "".join(f"{line}\n" for line in first + middle + whose + last)


def wrapped(words: str, width: int, first: str = "", indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        said.printable(words),
        width,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def answers(run: Run) -> list[Answer]:
    """The issues' answers; for a run without an issue, what each case's variant of the most patches gives, the slowest baselines
    first."""
    issues = story.issues(run)
    return (
        [answer for issue in issues for answer in answers_of(run, issue)]
        if issues
        else made_answers(run)
    )


def answers_of(run: Run, issue: dict) -> Iterable[Answer]:
    """One for each problem and set: its best way out, and further the others."""
    question, is_first = issue["question"], True
    if not issue["told"]:
        yield Answer(question, True, f"no answer: {why_none(run, issue)}")
    for told in issue["told"]:
        problems: dict[str, list[dict]] = {}
        for way in told["ways"]:
            problem = (
                way["problem"]
                if way["problem"] != story.SAME or not problems
                else list(problems)[-1]
            )
            problems.setdefault(problem, []).append(way)
        for problem, ways in problems.items():
            best = next((way for way in ways if way.get("best")), ways[-1])
            others = "".join(
                f"; {way['do']}: {way['after']} ({ratio_text(way)})"
                for way in ways
                if way is not best
            )
            of_set = f"{told['label']}, " if len(run.sets) > 1 else ""
            core = f"{of_set}{problem}; {best['do']}: {best['before']} -> {best['after']} ({ratio_text(best)})"
            yield Answer(question, is_first, core.replace("`", ""), others.replace("`", ""))
            is_first = False


def ratio_text(way: dict) -> str:
    ratio = way["ratio"]
    few = "lo" not in ratio and not ratio.get("stopped")
    return story.ratio_words(way) + (
        f", {counted(ratio['n'], 'round')}, no interval" if few else ""
    )


def why_none(run: Run, issue: dict) -> str:
    """The reason that an issue has no answer: how its trials ended, or that none was chosen."""
    ends = [end.split(" ") for way in issue["way"] for end in (way["before"], way["after"])]
    for part in issue["parts"]:
        for cell in part.cells:
            if (
                [part.program, cell["variant"]] in ends
                and cell["status"] != "ok"
                and issue["at"].items() <= cell["params"].items()
            ):
                return f"{status_of(part, cell)}"
    return f"this run did not measure {' together with '.join(' of '.join(reversed(end)) for end in ends[:2])}"


def status_of(part: Part, cell: dict) -> str:
    reason = f": {cell['reason']}" if cell["reason"] else ""
    return f"{cell['variant']} of {part.program} at {units.point(cell['params'])}: {cell['status']}{reason}"


def made_answers(run: Run) -> list[Answer]:
    question = "What do the patches give, where the baseline is slowest?"
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
            return "lo" in record["ratio"], times[
                "baseline", selection.point_key(record["params"])
            ]["median"]

        record = max(
            (record for record in ratios if patches[record["variant"]] == most),
            key=slowness,
            default=None,
        )
        if record:
            before, after = (
                times[variant, selection.point_key(record["params"])]
                for variant in ("baseline", record["variant"])
            )
            ratio = ratio_text({"ratio": record["ratio"], "paired": True})
            core = f"{part.program}: {units.median_seconds(before)} -> {units.median_seconds(after)} with {record['variant']} ({ratio})"
            answer = before["median"], core, f" at {units.point(record['params'])}"
            found[part.declared["case"]] = max(found.get(part.declared["case"], answer), answer)
    slowest = sorted(found.values(), key=lambda one: -one[0])
    return [
        Answer(question, place == 0, core, further)
        for place, (_, core, further) in enumerate(slowest)
    ]


def cores(given: list[Answer]) -> list[str]:
    return [answer.core if answer.is_first else "" for answer in given]


def laid_out(given: list[Answer], texts: list[str], width: int) -> list[str]:
    """Each question, and under it the texts of its answers."""
    return [
        line
        for answer, words in zip(given, texts)
        for line in (wrapped(answer.question, width) if answer.is_first else [])
        + wrapped(words, width, "  ", "    ")
    ]


def answer_lines(given: list[Answer], width: int, room: int) -> list[str]:
    """Each question's first answer in its core; then what else there is room for: all of the first answers, the others'
    cores, all of the others. Where even the cores do not fit, the questions that do, at least one, and the number of the
    others."""
    if not given:
        return ["No answer: this run measured no patch together with its baseline."]
    texts = cores(given)

    for is_first, further in ((True, True), (False, False), (False, True)):
        for place, answer in enumerate(given):
            if answer.is_first == is_first:
                shorter, texts[place] = texts[place], answer.core + answer.further * further
                if len(laid_out(given, texts, width)) > room:
                    texts[place] = shorter
    left = 0
    while len(texts) > 1 and len(laid_out(given, texts, width)) + (left > 0) > room:
        texts.pop()
        left += given[len(texts)].is_first
    return laid_out(given, texts, width) + (
        [f"... and {counted(left, 'more question')} in the report"] if left else []
    )


def broken(run: Run) -> str:
    found = [(part, cell) for part in run.parts for cell in part.cells if cell["status"] in BROKEN]
    return (
        f"Wrong or broken: {counted(len(found), 'cell')}, first {status_of(*found[0])}"
        if found
        else ""
    )


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
            few = "lo" not in claim["seen"]
            kinds[
                "with too few rounds for an interval"
                if few
                else "with an interval across the claimed bound"
                if crosses(claim)
                else f"as {claim['reason']}"
            ] += 1
    return (
        f"Undecided: {', '.join(f'{count} {kind}' for kind, count in kinds.items())}"
        if kinds
        else ""
    )


def crosses(claim: dict) -> bool:
    """Whether the interval lies neither in the claimed range nor outside it."""
    infinite = float("inf")
    low, high = (
        claim["seen"]["lo"],
        infinite if claim["seen"]["hi"] is None else claim["seen"]["hi"],
    )
    least, most = (
        -infinite if claim["lo"] is None else claim["lo"],
        infinite if claim["hi"] is None else claim["hi"],
    )
    return not (least <= low and high <= most or high < least or low > most)


def not_measured(claims: list[dict]) -> str:
    kinds: collections.Counter[str] = collections.Counter()
    for claim in claims:
        if not claim["measured"]:
            kinds[
                f", as {claim['reason']}"
                if claim["by_machine"]
                else " about sizes or variants that this run left out"
            ] += 1
    return (
        f"Not measured here: {'; '.join(counted(count, 'claim') + kind for kind, count in kinds.items())}"
        if kinds
        else ""
    )


def machines(run: Run) -> str:
    if len(run.machines) > 1:
        return f"Machine: {len(run.machines)} of them"
    [machine] = run.machines.values()
    load = max(
        (session["load_before"][0] for session in run.sessions if session["load_before"]),
        default=None,
    )
    words = f"Machine: {machine['cpu']}, {machine['cores']} cores{', virtualised' if machine['virtualised'] else ''}"
    if load is None:
        return words
    return f"{words}; load {load:.2f} at the start" + (
        " (busy: times are noisy)" if load > machine["cores"] / 2 else ""
    )
