"""What is kept of a published run when another takes its place, and what changed since: claims and fixes, no rows."""

from report.read.load import Run
from report.say import earlier, fixes, units


def record_of(run: Run, name: str) -> dict:
    """The file results/published/earlier/NAME.json."""
    [machine] = run.machines.values()
    claims: dict[str, list] = {}
    for part in run.parts:
        for claim in part.claims:
            if claim["measured"] and not claim["control"] and not part.void and claim["seen"]:
                kept = [claim["id"], units.point(dict(sorted(claim["where"].items())))]
                kept += [claim["seen_text"], claim["words"], *ends(claim["seen"])]
                claims.setdefault(part.program, []).append(kept)
    found = [
        [fix["program"], fix["before"], fix["after"], units.point(dict(cell["key"]))]
        + [cell["words"], *ends(cell["ratio"])]
        for fix in fixes.fixes(run)
        for row in fix["rows"]
        for cell in row["cells"]
        if cell["ratio"]
    ]
    where = ", virtualised" * machine["virtualised"]
    return {
        "run": name,
        "date": min(one.date for one in run.sets),
        "machine": f"{machine['cpu']}, {machine['cores']} cores{where} ({machine['id']})",
        "claims": claims,
        "fixes": found,
    }


def ends(seen: dict) -> list[float | None]:
    return [
        float(f"{seen[name]:.5g}") if seen.get(name) is not None else None for name in ("lo", "hi")
    ]


def counted(run: Run) -> dict | None:
    """The published run before: how many of its claims and fixes were measured again, and how many changed."""
    if not run.earlier:
        return None
    claims = [
        earlier.compared(claim["seen"], before)["apart"]
        for part in run.parts
        for claim in part.claims
        if claim["measured"] and not claim["control"] and claim["seen"]
        if (before := earlier.claim_of(run.earlier, part.program, claim))
    ]
    proposed = [fix for fix in fixes.fixes(run) if fix["by"]]  # ours stand in a table of their own
    cells = [cell for fix in proposed for row in fix["rows"] for cell in row["cells"]]
    found = [cell["was"]["apart"] for cell in cells if cell.get("was")]
    return {name: run.earlier.get(name, "") for name in ("run", "date", "machine", "note")} | {
        "claims": len(claims),
        "changed": sum(claims),
        "fixes": len(found),
        "fixes_changed": sum(found),
    }
