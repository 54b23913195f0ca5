"""README's recording of halide-patched: a terminal session (docs/recording/session.cast, asciicast v2), drawn as an SVG, light and dark.

    scripts/python scripts/recording.py            draws docs/recording/*.svg from the session
    scripts/python scripts/recording.py --record   runs the session first, on this machine now; needs `make halide-patched`

Every time in it is of that session; only the pauses before commands are ours. Exit: 0 drawn, 2 usage, 13 a command failed.
"""

import argparse
import codecs
import html
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/recording"
SESSION = FOLDER / "session.cast"
HALIDE = ROOT / ".deps/halide-19.0.0"
COLUMNS, SHOWN_COLUMNS = 90, 54  # of the terminal, and of its picture, whose letters have 11 px on a phone
COMMANDS = ("cat layer.py", "python layer.py", "halide-patched -- python layer.py")
PAUSE_S, HOLD_S = 1.5, 6  # the pause before a command, and how long the last cursor stays
CHARACTER, LINE, MARGIN = 8.43, 19, 16  # px, of 14 px monospace
SETTINGS = {"light": ("#ffffff", "#d0d7de", "#1f2328", "#0550ae"), "dark": ("#0d1117", "#30363d", "#e6edf3", "#79c0ff")}
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def record(commands, environment, folder, pause_s=PAUSE_S) -> list:
    """Runs the commands in a terminal of our own, one after another; returns what it showed, as [seconds, "o", text]."""
    events, shift = [], time.monotonic()
    for command in commands:
        shift -= pause_s if events else 0  # shown as if somebody had waited
        events.append([time.monotonic() - shift, "o", f"{BOLD}$ {command}{PLAIN}\r\n"])
        terminal, other = pty.openpty()
        process = subprocess.Popen(["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=other, stderr=other)
        os.close(other)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while chunk := read(terminal):
            events.append([time.monotonic() - shift, "o", decoder.decode(chunk)])
        os.close(terminal)
        if process.wait():
            raise RuntimeError(f"'{command}' ended with {process.returncode}: {''.join(event[2] for event in events)[-400:]}")
    return [[round(seconds, 3), kind, text] for seconds, kind, text in events]


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the last writer is gone
        return b""


def record_session() -> None:
    needed = [HALIDE / "python", ROOT / "build/halide-patched"]
    if lacking := [path for path in needed if not path.exists()]:
        raise RuntimeError(f"there is no {lacking[0]}; run: make build halide-patched")
    with tempfile.TemporaryDirectory() as place:
        (pathlib.Path(place) / "layer.py").write_text((FOLDER / "layer.py").read_text())
        path = f"{ROOT / 'build'}:{ROOT / '.deps/venv/bin'}:{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "PYTHONPATH": str(HALIDE / "python"), "TERM": "dumb", "COLUMNS": str(COLUMNS)}
        subprocess.run(["python", "layer.py"], cwd=place, env=environment, capture_output=True)  # both then read from memory
        load = os.getloadavg()[0]
        events = record(COMMANDS, environment, place)
    header = {"version": 2, "width": COLUMNS, "height": 24, "timestamp": int(time.time()),
              "title": f"Halide {HALIDE.name.partition('-')[2]}, one embedded matrix of 3072x2048",
              "machine": f"{processor()}, {os.cpu_count()} cores, load {load:.1f}{f', niceness {os.nice(0)}' if os.nice(0) else ''}"}
    SESSION.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [header, *events]))


def processor() -> str:
    told = re.search(r"^model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return told[1] if told else os.uname().machine


def screen(events, columns) -> tuple[list, list]:
    """The terminal's contents: pieces (row, column, text, bold, seconds), and where the cursor stood after each event."""
    row = column = 0
    bold, pieces, cursors = False, [], []
    for seconds, _, text in events:
        for part in re.split(r"(\x1b\[[01]m|\r?\n)", text):
            if part in (BOLD, PLAIN):
                bold = part == BOLD
            elif part.endswith("\n"):
                row, column = row + 1, 0
            while part and part[0] not in "\x1b\r\n":
                row, column = (row + 1, 0) if column == columns else (row, column)
                piece, part = part[:columns - column], part[columns - column:]
                pieces.append((row, column, piece, bold, seconds))
                column += len(piece)
        cursors.append((row, column, seconds))
    return pieces, cursors


def shown(events) -> list:
    """The part that the picture shows: the session after the command that only prints the program (docs/recording/layer.py)."""
    start = next((place for place, event in enumerate(events) if place and event[2].startswith(BOLD)), 0)
    return [[round(seconds - events[start][0], 3), kind, text] for seconds, kind, text in events[start:]]


def drawn(header, events, setting, columns) -> str:
    """The session as an SVG that shows each piece from its time on, once, and rests with all of them; at once where motion is unwanted."""
    ground, edge, ink, command = SETTINGS[setting]
    pieces, cursors = screen(events, columns)
    total = events[-1][0] + HOLD_S
    rows = 1 + max(cursor[0] for cursor in cursors)
    width, height = columns * CHARACTER + 2 * MARGIN, (rows + 1) * LINE + 3 * MARGIN
    times = sorted({piece[4] for piece in pieces})
    ends = [cursor[2] for cursor in cursors[1:]] + [total]
    frames = [f"@keyframes t{place}{{0%{{opacity:0}}{100 * seconds / total:.3f}%{{opacity:1}}}}" for place, seconds in enumerate(times)]
    frames += [f"@keyframes c{place}{{0%{{opacity:0}}{100 * cursor[2] / total:.3f}%{{opacity:1}}{100 * end / total:.3f}%{{opacity:0}}}}"
               for place, (cursor, end) in enumerate(zip(cursors, ends)) if end - cursor[2] > 0.2]
    frames += [f".t{place}{{animation-name:t{place}}}" for place in range(len(times))]

    def at(row, column):
        return f'x="{MARGIN + column * CHARACTER:.1f}" y="{2 * MARGIN + (row + 1.5) * LINE:.1f}"'

    lines = [f'<text class="t{times.index(seconds)}{" b" * bold}" {at(row, column)}>{html.escape(text, quote=False)}</text>'
             for row, column, text, bold, seconds in pieces if text.strip()]
    lines += [f'<rect class="c" style="animation-name:c{place}" {at(row - 0.7, column)} width="8" height="16"/>'
              for place, ((row, column, seconds), end) in enumerate(zip(cursors, ends)) if end - seconds > 0.2]
    said = html.escape("\n".join("".join(event[2] for event in events).replace(BOLD, "").replace(PLAIN, "").split("\r\n")), quote=False)
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>
<title>{html.escape(header["title"])}</title>
<desc>{said}</desc>
<style>
text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:{ink};white-space:pre}}
.b{{font-weight:bold;fill:{command}}}
.c{{fill:{ink};opacity:0}}
.h{{font-family:system-ui,sans-serif;font-size:13px;opacity:.75}}
[class^=t],.c{{animation:{total:.2f}s step-end 1}}
{chr(10).join(frames)}
@media (prefers-reduced-motion:reduce){{[class^=t],.c{{animation:none!important}}}}
</style>
<rect x=".5" y=".5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="8" fill="{ground}" stroke="{edge}"/>
<text class="h" x="{MARGIN}" y="{MARGIN + 8}">{html.escape(header["title"])}</text>
<text class="h" x="{MARGIN}" y="{MARGIN + 25}">{html.escape(header["machine"])}</text>
{chr(10).join(lines)}
</svg>
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="run the session first")
    if parser.parse_args().record:
        try:
            record_session()
        except RuntimeError as error:
            print(f"recording: {error}", file=sys.stderr)
            return 13
    header, *events = map(json.loads, SESSION.read_text().splitlines())
    for setting in SETTINGS:
        (FOLDER / f"halide-patched-{setting}.svg").write_text(drawn(header, shown(events), setting, SHOWN_COLUMNS))
    print(f"recording: {FOLDER.relative_to(ROOT)}/halide-patched-{{{','.join(SETTINGS)}}}.svg ({header['machine']})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
