"""Numbers as people read them: three significant digits, the unit beside them."""

import math

MOVED = ", control moved"
VOID = "void until the next publication"


def digits(value: float) -> str:
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    rounded = float(f"{value:.2e}")
    places = 2 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:.{max(0, places)}f}"


TIME_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def time_unit(values: list[float]) -> tuple[float, str]:
    """One unit for a table or a figure: that of its middle, so that neither end has too many digits."""
    positive = [value for value in values if value > 0]
    middle = math.exp(sum(map(math.log, positive)) / len(positive)) if positive else 1.0
    unit, scale = next(
        ((unit, scale) for unit, scale in TIME_UNITS if middle >= scale), TIME_UNITS[-1]
    )
    return scale, unit


def tick_seconds(value: float) -> str:
    unit, scale = next(
        ((unit, scale) for unit, scale in TIME_UNITS if value >= scale * 0.9999), TIME_UNITS[-1]
    )
    return f"{value / scale:g} {unit}"


def seconds(value: float) -> str:
    unit, scale = next(
        ((unit, scale) for unit, scale in TIME_UNITS if value >= scale), TIME_UNITS[-1]
    )
    return f"{digits(value / scale)} {unit}"


def minutes(value: float) -> str:
    """7 min 53 s; below two minutes as other times."""
    return f"{value // 60:.0f} min {value % 60:.0f} s" if value >= 120 else seconds(value)


def median_seconds(seen: dict | None) -> str:
    """Without its interval; `>= 600 s` of what was stopped."""
    if not seen:
        return "–"
    return (">= " if seen.get("bound") else "") + seconds(seen["median"])


def megabytes(seen: dict | None) -> str:
    return f"{digits(seen['median'] / 1e6)} MB" if seen else "–"


def short_count(value: float) -> str:
    """100, 10k, 2M"""
    unit, scale = next(
        ((unit, scale) for unit, scale in (("M", 1e6), ("k", 1e3)) if value >= scale), ("", 1)
    )
    return f"{value / scale:g}{unit}"


def size(value: float) -> str:
    """77, 17.7k, 9.99M"""
    unit, scale = next(
        ((unit, scale) for unit, scale in (("M", 1e6), ("k", 1e4)) if value >= scale), ("", 1)
    )
    return f"{digits(value / (1e3 if unit == 'k' else scale))}{unit}" if unit else f"{value:g}"


def interval(seen: dict | None, show=digits, unit: str = "") -> str:
    """`12.3x [11.8, 12.9]`; without an interval where there was too little data; `>= 38x` or `<= 2x` for a bound."""
    if not seen:
        return "–"
    stopped = seen.get("stopped", 0)
    if seen.get("bound"):
        low = seen.get("lo", seen["median"])
        return f">= {show(low)}{unit} ({stopped} stopped run{'s' if stopped != 1 else ''})"
    if seen["median"] is None:
        return (
            f"<= {show(seen['hi'])}{unit} ({stopped} stopped run{'s' if stopped != 1 else ''})"
            if seen.get("hi")
            else "–"
        )
    text = f"{show(seen['median'])}{unit}"
    if "lo" not in seen:
        return text
    high = "open" if seen["hi"] is None else show(seen["hi"])
    return f"{text} [{show(seen['lo'])}, {high}]"


def point(params: dict) -> str:
    return " ".join(f"{axis}:{value}" for axis, value in params.items())


def ratio_text(record: dict) -> str:
    """A ratio with its interval, marked where a control of its point moved."""
    return interval(record.get("ratio"), unit="x") + (MOVED if record.get("control_moved") else "")


def closed(seen: dict) -> bool:
    """Whether what the judge saw has an interval with both ends."""
    return "lo" in seen and seen["hi"] is not None


def range_of(ratios: list[dict | None]) -> str:
    """ "1.28x to 14.0x"; of one ratio nothing."""
    medians = sorted(ratio["median"] for ratio in ratios if ratio and ratio["median"] is not None)
    return f"{digits(medians[0])}x to {digits(medians[-1])}x" if len(medians) > 1 else ""


def within_ten_percent(seen: dict) -> bool:
    """Whether the whole interval of a ratio is."""
    return closed(seen) and seen["lo"] >= 0.9 and seen["hi"] <= 1.1


def apart(one: dict, other: dict) -> bool:
    """Whether two intervals with both ends have nothing in common."""
    return one["lo"] > other["hi"] or one["hi"] < other["lo"]
