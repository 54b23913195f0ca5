"""Figures as reproducible SVG, small enough for the page."""

import io
import re
from collections import Counter
from collections.abc import Callable
from html import escape

from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from report.draw.looks import INK

STYLE = "svg{{color:{}}}.paper{{fill:{}}}"
LIGHT, DARK = (
    ("#1b1b1b", "#ffffff"),
    ("#e6e6e6", "#0d1117"),
)  # ink and paper where the page around sets no colour


def svg_of(figure: Figure) -> str:
    """The SVG, without date, with short numbers, without names that nothing refers to."""
    buffer = io.StringIO()
    FigureCanvasSVG(figure).print_svg(
        buffer, metadata={"Date": None, "Creator": None}
    )  # savefig draws everything twice
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text)
    text = re.sub(r'<path d="[^"]*" style="fill: none"/>', "", text)  # draws nothing
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    text = in_tags(text, lambda tag: shorter(tag, used))
    text = text.replace("<svg ", '<svg font-family="sans-serif" ', 1)
    text = re.sub(r"\n\s*", "\n", without_empty_groups(text))
    return hoisted(text)


def in_tags(text: str, changed: Callable[[str], str]) -> str:
    """Changes the tags alone: the text between them is for people."""
    return re.sub(r"<[^>]+>", lambda tag: changed(tag[0]), text)


def shorter(tag: str, used: set[str]) -> str:
    """A tag in fewer characters, with an id only when something refers to it."""
    tag = re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), tag)
    tag = re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in used else "", tag)
    tag = re.sub(r" font-family: [^;\"]*;?|; font-family: [^;\"]*", "", tag)
    tag = re.sub(r' transform="rotate\(-0 [^"]*"', "", tag)
    tag = re.sub(
        r"; stroke-linejoin: miter|stroke-linecap: butt; |; stroke-linecap: (square|butt)", "", tag
    )
    tag = re.sub(r'(?<= style=")[^"]*', lambda style: re.sub(r"([;:]) ", r"\1", style[0]), tag)
    tag = re.sub(
        r'(?<= d=")[^"]*', lambda path: re.sub(r"\s*([A-Za-z])\s*", r"\1", path[0]).strip(), tag
    )
    return re.sub(r"M([-\d.]+ [-\d.]+)L\1(?=[M\"])", r"M\1h0", tag)  # a dot


def without_empty_groups(text: str) -> str:
    """Groups that say nothing are left out, what is in them stays."""
    says = []

    def kept(tag: str) -> str:
        if tag != "</g>":
            says.append(tag != "<g>")
            return tag if says[-1] else ""
        return tag if says.pop() else ""

    return re.sub(r"<g(?: [^>]*)?(?<!/)>|</g>", lambda found: kept(found[0]), text)


def hoisted(text: str) -> str:
    """Markers and texts of one kind stand one after the other with the same style: it is said once."""

    def once(found: re.Match) -> str:
        style = found[2]
        return (
            f'<g style="{style}">\n'
            + in_tags(found[0], lambda tag: tag.replace(f' style="{style}"', ""))
            + "</g>\n"
        )

    return re.sub(
        r'<(use|text) [^>]*style="([^"]*)"[^>]*>([^<]*</text>)?\n'
        r'(<\1 [^>]*style="\2"[^>]*>([^<]*</text>)?\n)+',
        once,
        text,
    )


def with_short_ids(text: str, prefix: str) -> str:
    """Its ids in short, and a class for each style that is there more than once; with a prefix that no other figure of the
    page has, because a style in one of them acts on all."""
    ids = re.findall(r'<[^>]* id="([^"]+)"', text)
    short = {name: f"{prefix}{place:x}" for place, name in enumerate(ids)}

    def renamed(tag: str) -> str:
        return re.sub(
            r'( id="|href="#|url\(#)([^")]+)', lambda found: found[1] + short[found[2]], tag
        )

    return with_classes(in_tags(text, renamed), prefix)


def with_classes(text: str, prefix: str) -> str:
    styles = Counter(
        style
        for tag in re.findall(r"<[^>]+>", text)
        for style in re.findall(r' style="([^"]*)"', tag)
    )
    names = {
        style: f"{prefix}s{place:x}"
        for place, style in enumerate(style for style, count in styles.items() if count > 1)
    }
    if not names:
        return text

    def classed(tag: str) -> str:
        return re.sub(
            r' style="([^"]*)"',
            lambda found: f' class="{names[found[1]]}"' if found[1] in names else found[0],
            tag,
        )

    rules = "".join(f".{name}{{{style}}}" for style, name in names.items())
    return re.sub(
        r"^<svg[^>]*>",
        lambda head: f"{head[0]}\n<style>{rules}</style>",
        in_tags(text, classed),
        count=1,
    )


def inline(svg: str, title: str) -> str:
    """For the page: its ink is the colour of the text around, and it has a name for those who cannot see it."""
    drawn = re.sub(
        r"<style>.*?</style>|<[^>]+>",
        lambda part: part[0].replace(INK, "currentColor").replace("xlink:href", "href"),
        svg,
    )
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1)


def alone(svg: str, inks: tuple[str, str] | None = None) -> str:
    """As a file: with its own paper, of these colours, else of those that the reader likes."""
    head, rest = svg.split(">", 1)
    style = (
        STYLE.format(*inks)
        if inks
        else STYLE.format(*LIGHT) + f"@media (prefers-color-scheme:dark){{{STYLE.format(*DARK)}}}"
    )
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n{head}>\n<style>{style}</style><rect class="paper" width="100%" height="100%"/>'
        + rest.replace(INK, "currentColor")
    )
