"""The picture that a link to a published run shows elsewhere (Open Graph): its sentence, on 1200x630 pixels."""

import io
import re
import textwrap

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from report.draw import looks

FILE = "card.png"
SIZE = (1200, 630)
DPI, LETTERS, COLOURS = (
    100,
    36,
    16,
)  # letters of a line of 36 points; colours of the file, which is small
TOGETHER = r"\[[^]]*\]|\d (?:min|s|ms)\b"  # on one line: an interval, a number and its unit
INK, PAPER = "#1b1b1b", "#ffffff"


def png_of(sentence: str, foot: str) -> bytes:
    figure = Figure(figsize=(SIZE[0] / DPI, SIZE[1] / DPI), dpi=DPI, facecolor=PAPER)
    figure.text(
        0.05, 0.9, "cliffbench", fontsize=28, color=looks.COLOURS[1], weight="bold", va="top"
    )
    lines = textwrap.wrap(
        re.sub(TOGETHER, lambda words: words[0].replace(" ", "\u00a0"), sentence), LETTERS
    )
    figure.text(
        0.05,
        0.76,
        "\n".join(lines),
        fontsize=36 * min(1, 6 / len(lines)),
        color=INK,
        va="top",
        linespacing=1.3,
    )
    figure.text(0.05, 0.07, foot, fontsize=18, color="#4d4d4d")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    image = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba()).convert("RGB")
    buffer = io.BytesIO()
    image.quantize(COLOURS).save(buffer, format="png", optimize=True)
    return buffer.getvalue()
