"""Claims: who made them, their verdicts, what changed since the run before; how far to trust a run."""

from collections.abc import Iterator

from report.read.load import Part, Run, Set
from report.say import earlier, selection, story, units

SYMBOLS = {
    "held": "✓",
    "refuted": "✗",
    "undecided": "?",
    "unproven": "!",
    "not_measured": "–",
    "void": "∅",
    "incomparable": "≠",
}
INCOMPARABLE = "not comparable: the claim is about another machine"


def kind_of(claim: dict) -> str:
    return "control" if claim["control"] else "issue" if claim["origin"] == "theirs" else "ours"


# Who chose a claim's figure (the field `figure_by`).
GROUPS = {
    "issue": "an issue's statement as it stands",
    "bounded": "an issue's statement, with our bound or width",
    "before": "ours, set before measuring",
    "after": "ours, set after measuring: a record here, a prediction for other machines and later runs",
}


VERDICTS = ("held", "refuted", "undecided", "incomparable", "void")


def verdict_of(run: Run, part: Part, claim: dict) -> str:
    """The judge's, if it counts: not of a void program, nor of a claim about an Apple M1 that was measured elsewhere."""
    if part.void:
        return "void"
    elsewhere = story.about_another(run.machines[part.set.machine]["cpu"])
    return "incomparable" if claim["measured"] and claim["id"] in elsewhere else claim["verdict"]


def tested(claim: dict) -> str:
    """What decides a claim: `all ratio against baseline >= 20x`, where a ratio is the other's time over the variant's."""
    parts = [("of", claim["of"]), ("along", claim["axis"]), ("against", claim["against"])]
    named = "".join(f" {word} {name}" for word, name in parts if name)
    return f"{claim['variant']} {claim['quantity']}{named} {claim['range_text']}"


def groups(run: Run) -> list[dict]:
    """The measured claims of a run by who chose what they are judged by; each with its verdicts."""
    found = {name: dict.fromkeys((*VERDICTS, "claims"), 0) for name in GROUPS}
    for part, claim in measured(run):
        mine = found[claim["figure_by"]]
        word = verdict_of(run, part, claim)
        mine[word] = mine.get(word, 0) + 1
        mine["claims"] += 1
    return [{"says": says} | found[name] for name, says in GROUPS.items() if found[name]["claims"]]


def measured(run: Run) -> Iterator[tuple[Part, dict]]:
    return (
        (part, claim)
        for part in run.parts
        for claim in part.claims
        if claim["measured"] and not claim["control"]
    )


def unmeasured(run: Run) -> list[str]:
    """The claims that no set measured, each with the reason."""
    found = {}
    for part in run.parts:
        for claim in part.claims:
            key = part.program, key_of(claim)
            words = "" if claim["measured"] else f"{claim['text']} ({claim['reason']})"
            found[key] = words if found.get(key, words) else ""
    return [words for words in found.values() if words]


def summed(rows: list[dict]) -> dict:
    """How many rows of claims there are, and their verdicts in words."""
    count = {name: sum(row["tone"] == name for row in rows) for name in SYMBOLS}
    words = [f"{found} {name.replace('_', ' ')}" for name, found in count.items() if found]
    return {"claims": len(rows), "words": ", ".join(words), "rows": rows}


def worst_controls(rows: list[dict]) -> list[dict]:
    """The three controls whose ratio is furthest from 1."""
    found = [row for row in rows if row["kind"] == "control" and row["distance"] is not None]
    return sorted(found, key=lambda row: -row["distance"])[:3]


def usual_of(parts: list[Part]) -> dict:
    """The axes that stand at one value in all claims of a program, which the table leaves out."""
    wheres = [claim["where"] for part in parts for claim in part.claims if claim["measured"]]
    return {
        axis: value
        for axis, value in (wheres[0] if wheres else {}).items()
        if all(where.get(axis, value) == value for where in wheres)
    }


def key_of(claim: dict) -> tuple:
    return claim["id"], selection.point_key(claim["where"])


def pair(part: Part, claim: dict) -> tuple[dict | None, dict | None]:
    """The times (of the stage that it names) or the peaks of memory that a claim compares; nothing for other quantities."""
    if claim["quantity"] not in ("ratio", "time", "memory") or not claim["where"]:
        return None, None
    cells = {
        cell["variant"]: cell
        for cell in selection.at(part.cells, selection.point_key(claim["where"]))
    }

    def seen(variant: str) -> dict | None:
        mine = cells.get(variant, {})
        if claim["quantity"] == "memory":
            return mine.get("rss_bytes")
        return mine.get("stages", {}).get(claim["of"]) if claim["of"] else mine.get("wall_s")

    return (seen(claim["against"]) if claim["against"] else None), seen(claim["variant"])


def verdict_words(run: Run, part: Part, claim: dict) -> dict:
    """The verdict of a claim in a row of the table."""
    surprise = "" if claim["as_expected"] else f" (expected: {claim['expected']})"
    tone = verdict_of(run, part, claim)
    uncounted = {"void": units.VOID, "incomparable": INCOMPARABLE}.get(tone)
    remarks = [] if part.void else [reason(claim), counters(part, claim)]
    return {
        "tone": tone,
        "symbol": SYMBOLS[tone],
        "words": f"{uncounted} (the judge: {claim['words']})"
        if uncounted
        else claim["words"] + surprise,
        "reason": "; ".join(filter(None, remarks)),
    }


def counters(part: Part, claim: dict) -> str:
    """Page faults and memory where they differ from the baseline's although the outputs are equal."""
    if claim["quantity"] != "ratio" or claim["against"] != "baseline":
        return ""
    here = selection.at(part.ratios, selection.point_key(claim["where"]))
    return next(
        (record.get("counters", "") for record in here if record["variant"] == claim["variant"]), ""
    )


def reason(claim: dict) -> str:
    """A remark beside the verdict's word, or none."""
    if (
        claim["control"]
        and claim["verdict"] == "undecided"
        and claim["seen"]
        and "lo" in claim["seen"]
    ):
        return "its interval exceeds its range, so it decides nothing about the machine"
    return claim["reason"] if claim["verdict"] == "undecided" or not claim["as_expected"] else ""


def before(run: Run, part: Part, claim: dict) -> dict | None:
    """What the set before saw for a claim, or else the published run before; `apart`: more than both intervals lie between."""
    old_set = run.before(part.set)
    if old_set:
        old_part = run.part(old_set, part.program)
        of = run.label(old_set)
        old = next(
            (one for one in (old_part.claims if old_part else []) if key_of(one) == key_of(claim)),
            None,
        )
        old = (
            old
            and old["seen"]
            and {"words": old["seen_text"], "verdict": old["words"], "seen": old["seen"]}
        )
    else:
        of, old = "", earlier.claim_of(run.earlier, part.program, claim)
    if not old or not claim["seen"]:
        return None
    return earlier.compared(claim["seen"], old) | {
        "of": of,
        "verdict": old["verdict"] if old["verdict"] != claim["words"] else "",
    }


def trust(run: Run, one: Set) -> str:
    """How far to trust a set, in one sentence."""
    claims = [
        claim
        for part in run.parts
        if part.set == one
        for claim in part.claims
        if claim["measured"] and verdict_of(run, part, claim) not in ("void", "incomparable")
    ]
    asked = [claim for claim in claims if kind_of(claim) == "issue"]
    whose = "what the issues say" if asked else "our own claims"
    asked = asked or [claim for claim in claims if kind_of(claim) == "ours"]
    held, refuted, undecided = (
        sum(claim["verdict"] == verdict for claim in asked)
        for verdict in ("held", "refuted", "undecided")
    )
    controls = [claim for claim in claims if claim["control"]]
    moved = sum(claim["verdict"] == "refuted" for claim in controls)
    are = "is" if undecided == 1 else "are"
    points = "point was" if len(asked) == 1 else "points were"
    words = f"of {whose}, {len(asked)} {points} judged: {held} held, {refuted} {was(refuted)} refuted, {undecided} {are} open; "
    if not asked:
        words = "no claim was measured; "
    if voided := len(
        [
            claim
            for part in run.parts
            if part.set == one and part.void
            for claim in part.claims
            if claim["measured"]
        ]
    ):
        words += f"{voided} more claims and controls are {units.VOID}; "
    if moved:
        their = "its point" if moved == 1 else "their points"
        words += f"{moved} of {len(controls)} controls moved, and nothing at {their} is decided. "
    if not controls:
        return words + "no control was measured."
    words += "" if moved else "no control moved. "
    wide = sum(claim["verdict"] == "undecided" for claim in controls)
    if wide > len(controls) / 2:
        words += "More than half of the controls were too noisy to tell, so small differences prove nothing. "
    return words + controls_words(run, one)


# The kinds of control, by what the variant is.
SAME, COMPOSITION, NEGATIVE = "same", "composition", "negative"
KINDS = {
    SAME: "Controls (one program against itself)",
    COMPOSITION: "Compositions (the same work, composed otherwise)",
    NEGATIVE: "Negative controls (patches that must change nothing)",
}


def kind_of_control(part: Part, claim: dict) -> str:
    role = {variant["name"]: variant["role"] for variant in part.declared["variants"]}
    if role.get(claim["variant"]) != "control":
        return NEGATIVE
    return SAME if claim["variant"] == "control" else COMPOSITION


def controls_words(run: Run, one: Set) -> str:
    """A sentence for each kind: how many have their whole interval within 10 %, and the medians of those that
    compare different programs."""
    sentences = []
    for kind, says in KINDS.items():
        found = [
            claim
            for part in run.parts
            for claim in part.claims
            if part.set == one and not part.void and claim["control"] and claim["measured"]
            if kind_of_control(part, claim) == kind and "lo" in (claim["seen"] or {})
        ]
        if not found:
            continue
        within = sum(units.within_ten_percent(claim["seen"]) for claim in found)
        words = f"{says}: {within} of {len(found)} within 10 %"
        if noisy := sum(
            claim["verdict"] == "undecided" and not units.within_ten_percent(claim["seen"])
            for claim in found
        ):
            words += f", {noisy} too noisy to tell"
        medians = sorted(claim["seen"]["median"] for claim in found)
        if kind != SAME:
            shown = f"{units.digits(medians[0])}x to {units.digits(medians[-1])}x"
            words += f", medians {shown if len(medians) > 1 else shown.partition(' ')[0]}"
            words += ", all below 1: slower" if kind == NEGATIVE and medians[-1] < 1 else ""
        sentences.append(f"{words}.")
    return " ".join(sentences)


def counts(run: Run) -> dict[str, int]:
    """The claims of a run by verdict, as the judge counts them; those that are void are counted apart."""
    found = dict.fromkeys(VERDICTS, 0)
    for part, claim in measured(run):
        word = verdict_of(run, part, claim)
        found[word] = found.get(word, 0) + 1
    return found


def was(count: int) -> str:
    return "was" if count == 1 else "were"
