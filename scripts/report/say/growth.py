"""The exponents beside a claimed one: from each size to the next, because one exponent over all sizes hides where a curve bends."""

from report.say import units


def of_claim(exponents: list[dict], claim: dict) -> dict | None:
    """The judge's line of a claim of an exponent."""
    if claim["quantity"] != "exponent":
        return None
    return next(
        (
            line
            for line in exponents
            if (line["variant"], line["axis"], line["of"])
            == (claim["variant"], claim["axis"], claim["of"])
            and claim["where"].items() <= line["where"].items()
        ),
        None,
    )


def words(exponents: list[dict], claim: dict) -> str:
    """ "sizes 1, 2, 4; from each to the next: 0.39, 0.99"; "" where there is nothing more to say than the exponent."""
    line = of_claim(exponents, claim)
    if not line or not line["local"]:
        return ""
    sizes = ", ".join(units.size(size) for size in line["sizes"])
    steps = ", ".join(
        f"{seen['median']:.2f}" if seen and seen.get("median") is not None else "unknown"
        for seen in line["local"]
    )
    return f"sizes {sizes}; from each to the next: {steps}"
