"""The one table of the page: a row for each measured claim and for each cell, one a set; what its rounds were; and the same
as CSV."""

import csv
import io
import math
import statistics

from report.read.load import Part, Run
from report.say import claims, growth, selection, units

MOST = 1200  # cells in the page; cells.csv has all
ROUNDS = 24  # of a row, in the page
KINDS = {
    "issue": "claims of the issues",
    "ours": "our own claims",
    "control": "controls",
    "cell": "measurements",
}


def set_name(run: Run, part: Part) -> str:
    """Where a run has several sets, the one that this part is of."""
    return run.label(part.set) if len(run.sets) > 1 else ""


def ratios_of(part: Part) -> dict[tuple, dict]:
    """By variant and point."""
    return {
        (record["variant"], selection.point_key(record["params"])): record for record in part.ratios
    }


def rows(run: Run) -> list[dict]:
    """The claims, kind by kind; then the cells. The sets of a program stand together."""
    found = [row for parts in run.programs().values() for row in claim_rows(run, parts)]
    found.sort(key=lambda row: list(KINDS).index(row["kind"]))
    cells = [row for part in run.parts if part.is_timed() for row in cell_rows(run, part)]
    return found + cells[:MOST]


def count_of_cells(run: Run) -> int:
    return sum(len(part.cells) for part in run.parts if part.is_timed())


def point(part: Part, params: dict) -> str:
    """In the order of the declaration, which is that of a trial's name."""
    axes = [axis["name"] for axis in part.declared["axes"]]
    order = sorted(params, key=lambda axis: axes.index(axis) if axis in axes else len(axes))
    return units.point({axis: params[axis] for axis in order})


def claim_rows(run: Run, parts: list[Part]) -> list[dict]:
    usual = claims.usual_of(parts)
    keys = dict.fromkeys(claims.key_of(claim) for part in parts for claim in part.claims)
    by_set = {
        part.set: (part, {claims.key_of(claim): claim for claim in part.claims}) for part in parts
    }
    return [
        claim_row(run, part, mine[key], usual)
        for key in keys
        for part, mine in by_set.values()
        if key in mine and mine[key]["measured"]
    ]


def claim_row(run: Run, part: Part, claim: dict, usual: dict) -> dict:
    memory = claim["quantity"] == "memory"
    show = units.megabytes if memory else units.median_seconds
    ends = " → ".join(show(seen) for seen in claims.pair(part, claim) if seen)
    median = (claim["seen"] or {}).get("median")
    size = selection.short(claim["where"], usual) or "–"
    label = set_name(run, part)
    tested = claims.tested(claim)
    return {
        "kind": claims.kind_of(claim),
        "what": claim["text"],
        "tested": tested,
        "more": f"tested: {tested}"
        + (f"; {claim['source']}" if claim["source"] not in ("", "control") else ""),
        "program": part.program,
        "at": point(part, claim["where"]),
        "size": size,
        "set": label,
        "anchor": f"{part.program} {claim['id']} {size} {label}".strip(),
        "seen": claim["seen_text"],
        "pairs": claim["seen"]["n"] if claim["seen"] else 0,
        "growth": growth.words(part.exponents, claim),
        "time": "" if memory else ends,
        "memory": ends if memory else "",
        "before": claims.before(run, part, claim),
        "variant": claim["variant"],
        "against": claim["against"],
        "quantity": claim["quantity"],
        "rounds": claim_rounds(part, claim),
        "distance": abs(math.log(median)) if median and claim["quantity"] == "ratio" else None,
    } | claims.verdict_words(run, part, claim)


def cell_rows(run: Run, part: Part) -> list[dict]:
    ratios = ratios_of(part)
    rounds = rounds_of(part)
    return [
        {
            "kind": "cell",
            "what": cell["variant"],
            "more": "",
            "program": part.program,
            "at": point(part, cell["params"]),
            "set": set_name(run, part),
            "anchor": "",
            "seen": units.ratio_text(ratios.get((cell["variant"], key), {})),
            "pairs": 0,
            "growth": "",
            "time": units.interval(cell.get("wall_s"), units.seconds),
            "memory": units.megabytes(cell.get("rss_bytes")),
            "faults": f"{cell['page_faults']['median']:,.0f}" if "page_faults" in cell else "",
            "before": None,
            "variant": cell["variant"],
            "against": "",
            "rounds": rounds.get((cell["variant"], key), []),
            "tone": cell["status"],
            "symbol": "",
            "words": ", ".join(f"{count} {word}" for word, count in cell["counts"].items()),
            "reason": cell["reason"],
        }
        for cell in part.cells
        for key in [selection.point_key(cell["params"])]
    ]


def short(value: float) -> float:
    return float(f"{value:.4g}")


def rounds_of(part: Part) -> dict[tuple, list[float | None]]:
    """The times of each cell, by variant and point: the rounds of a point in one order, None where a variant has none."""
    points: dict[tuple, dict] = {}
    keys: dict[int, tuple] = {}
    for row in part.rows:
        if row.status == "ok" and row.wall_s:
            key = keys.setdefault(id(row.params), selection.point_key(row.params))
            points.setdefault(key, {}).setdefault(row.variant, {})[row.run, row.round] = row.wall_s
    found = {}
    for key, variants in points.items():
        order = selection.thinned(
            sorted({pair for times in variants.values() for pair in times}), ROUNDS
        )
        for variant, times in variants.items():
            found[variant, key] = [short(times[pair]) if pair in times else None for pair in order]
    return found


def claim_rounds(part: Part, claim: dict) -> list[float]:
    """What each round gave for a claim about a stage or a share, whose cells' times do not say it; none where the judge's
    median is not that of these."""
    times: dict[str, dict] = {claim["variant"]: {}, claim["against"]: {}}
    if claim["of"] and claim["quantity"] in ("ratio", "share", "time") and claim["seen"]:
        for row in part.rows:
            if row.variant in times and claim["where"].items() <= row.params.items():
                spent = row.stages.get(claim["of"])
                if row.status == "ok" and spent and row.wall_s:
                    value = spent / row.wall_s if claim["quantity"] == "share" else spent
                    times[row.variant][row.run, row.round, selection.point_key(row.params)] = value
    mine, base = times[claim["variant"]], times[claim["against"]]
    values = (
        [base[pair] / mine[pair] for pair in mine if pair in base]
        if claim["quantity"] == "ratio"
        else list(mine.values())
    )
    median = claim["seen"] and claim["seen"].get("median")
    if not values or not median or abs(statistics.median(values) / median - 1) > 0.02:
        return []
    return [short(value) for value in selection.thinned(values, ROUNDS)]


def facts(run: Run, issues: list[dict], shown: list[dict], packed: str, sources: dict) -> dict:
    """What the page's script needs beside the table itself: of each row its rounds, of a claim also its variants."""
    programs = {}
    for part in run.parts:
        issue = next((one for one in issues if part.program in one["programs"]), None)
        one = programs.setdefault(
            part.program,
            {
                "case": part.declared["case"],
                "file": part.declared.get("file", part.program),
                "axes": [axis["name"] for axis in part.declared["axes"]],
                "controls": [
                    variant["name"]
                    for variant in part.declared["variants"]
                    if variant["role"] == "control"
                ],
                "issue": [issue["title"], issue["url"]] if issue else [],
                "seeds": {},
            },
        )
        runs = {row.run for row in part.rows}
        one["seeds"][set_name(run, part)] = sorted(
            {session["seed"] for session in run.sessions if session["run"] in runs}
        )
    return {
        "packed": packed,
        "sources": sources,
        "programs": programs,
        "kinds": KINDS,
        "rows": [
            row["rounds"]
            if row["kind"] == "cell"
            else [row["variant"], row["against"], row["quantity"], row["rounds"]]
            for row in shown
        ],
    }


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.5g}"


def interval(seen: dict | None) -> list[str]:
    return [number((seen or {}).get(name)) for name in ("median", "lo", "hi")]


def csv_of(head: list[str], lines: list[list]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *lines])
    return text.getvalue()


def tables(run: Run) -> dict[str, str]:
    """The files beside the page: every cell and every claim."""
    whose = ["machine", "date", "commit", "run"] if len(run.sets) > 1 else []
    cells, found = [], []
    for part in run.parts:
        of_set = [getattr(part.set, name) for name in whose]
        ratios = ratios_of(part)
        for cell in part.cells:
            time = cell.get("wall_s")
            record = ratios.get((cell["variant"], selection.point_key(cell["params"])), {})
            rest = [
                number((cell.get(name) or {}).get("median"))
                for name in ("rss_bytes", "page_faults")
            ]
            cells.append(
                [
                    *of_set,
                    part.program,
                    point(part, cell["params"]),
                    cell["variant"],
                    cell["status"],
                ]
                + [
                    (time or {}).get("n", ""),
                    *interval(time),
                    *interval(record.get("ratio")),
                    *rest,
                ]
            )
        for claim in part.claims:
            seen = claim["seen"] or {}
            found.append(
                [
                    *of_set,
                    part.program,
                    claim["id"],
                    claims.kind_of(claim),
                    point(part, claim["where"]),
                ]
                + [claim["variant"], claim["against"], claim["quantity"], claim["of"]]
                + [seen.get("n", ""), *interval(seen), number(claim["lo"]), number(claim["hi"])]
                + [claims.verdict_of(run, part, claim), claim["text"]]
            )
    ends = ["median", "low", "high"]
    head = [
        *whose,
        "program",
        "point",
        "variant",
        "status",
        "n",
        *(f"wall_s_{end}" for end in ends),
    ]
    head += [*(f"ratio_{end}" for end in ends), "rss_bytes", "page_faults"]
    claimed = [
        *whose,
        "program",
        "id",
        "kind",
        "point",
        "variant",
        "against",
        "quantity",
        "of",
        "n",
    ]
    claimed += [*ends, "claimed_low", "claimed_high", "verdict", "text"]
    return {"cells.csv": csv_of(head, cells), "claims.csv": csv_of(claimed, found)}
