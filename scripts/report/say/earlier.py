"""How a number compares with the published run before (results/published/earlier/NAME.json, say/kept.py). A claim or a fix is
looked up at the same point alone."""

from report.say import units


def old(words: str, verdict: str, low: float | None, high: float | None) -> dict:
    seen = {"lo": low, "hi": high} if low is not None else {}
    return {"words": words, "verdict": verdict, "seen": seen}


def claim_of(record: dict | None, program: str, claim: dict) -> dict | None:
    at = units.point(dict(sorted(claim["where"].items())))
    for name, where, *rest in (record or {"claims": {}})["claims"].get(program, []):
        if (name, where) == (claim["id"], at):
            return old(*rest)
    return None


def fix_of(record: dict | None, fix: dict, key: tuple) -> dict | None:
    asked = [fix["program"], fix["before"], fix["after"], units.point(dict(key))]
    for *known, words, low, high in (record or {"fixes": []})["fixes"]:
        if known == asked:
            return old(words, "", low, high)
    return None


def compared(seen: dict, before: dict) -> dict:
    """`words` of the number before; whether the intervals have nothing in common."""
    apart = bool(
        units.closed(seen) and units.closed(before["seen"]) and units.apart(seen, before["seen"])
    )
    return {"words": before["words"], "apart": apart}
