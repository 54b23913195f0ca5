"""The picture of a red check in docs/gate.md: docs/red-check/rulings.md, the step summary that a gate wrote, drawn as a pull request
shows it, light and dark.

    scripts/python scripts/red_check.py     draws docs/red-check/check-*.svg
"""

import html
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs/red-check"
WIDTH, LINE, MARGIN = 486, 26, 14  # px: on a phone the letters, of 14 px, still have 11
PLACES = (14, 118, 278, 344, 394)  # of the columns
# Paper, line, ink, quiet ink, red.
SETTINGS = {"light": ("#ffffff", "#d0d7de", "#1f2328", "#59636e", "#cf222e"),
            "dark": ("#0d1117", "#30363d", "#e6edf3", "#9198a1", "#f85149")}


def rows_of(summary: str) -> tuple[str, list[list[str]]]:
    """The sentence, and the table's lines."""
    plain = summary.replace("\\[", "[").replace("\\]", "]")
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in plain.splitlines() if line.startswith("|")]
    return re.search(r"\*\*(.*)\*\*", summary)[1], [line for line in lines if not set(line[0]) <= set("-: ")]


def drawn(summary: str, setting: str) -> str:
    paper, edge, ink, quiet, red = SETTINGS[setting]
    sentence, rows = rows_of(summary)
    height = 2 * MARGIN + LINE * (len(rows) + 3)
    shown = []

    def text(x: float, line: float, words: str, look: str = "") -> None:
        shown.append(f'<text x="{x}" y="{MARGIN + LINE * line + 17:.0f}"{look}>{html.escape(words)}</text>')

    shown.append(f'<circle cx="{MARGIN + 8}" cy="{MARGIN + 12}" r="8" fill="{red}"/><path d="M{MARGIN + 5} {MARGIN + 9}l6 6m0-6l-6 6" '
                 f'stroke="{paper}" stroke-width="2"/>')
    text(MARGIN + 24, 0, "performance / gate (pull_request)", ' font-weight="600"')
    text(WIDTH - MARGIN, 0, "Required", f' fill="{quiet}" text-anchor="end"')
    text(MARGIN + 24, 0.85, "Failing: exit code 10", f' fill="{red}"')
    text(MARGIN, 2, sentence, ' font-weight="600"')
    for number, row in enumerate(rows):
        shown.append(f'<path d="M{MARGIN} {MARGIN + LINE * (number + 3)}h{WIDTH - 2 * MARGIN}" stroke="{edge}"/>')
        for place, cell in zip(PLACES, row):
            look = ' font-weight="600"' if number == 0 else f' fill="{red}"' if cell == "REGRESSION" else ""
            text(place, number + 3, cell, look)
    lines = "\n".join(shown)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
            f'font-family="-apple-system,Segoe UI,Noto Sans,Helvetica,Arial,sans-serif" font-size="14" fill="{ink}">\n'
            f'<title>A red check: {html.escape(sentence)}</title>\n'
            f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="6" fill="{paper}" stroke="{edge}"/>\n{lines}\n</svg>\n')


def main() -> int:
    summary = (FOLDER / "rulings.md").read_text()
    for setting in SETTINGS:
        (FOLDER / f"check-{setting}.svg").write_text(drawn(summary, setting))
    return 0


if __name__ == "__main__":
    sys.exit(main())
