"""Text of programs and records that would act on a terminal, a page, a table or a parser: in names, claims and last words, looked
for in everything that is said and written."""

import csv
import io
import json
import random
import xml.etree.ElementTree as ElementTree

import pages
from attempt import Attempt, last
from material import FAST, fake, steady
from records import places, set_at

EACH = 12
PIECES = ["\x1b[31m", "\x1b]0;title\x07", "\x01", "\x08\x08", "\x7f", "\x9b31m", "\r", "\u202e", "\u2066", "\u200f", "\ufeff", "\u2028", "\ufffe",
          "]]>", "<script>alert(1)</script>", "&amp;<b>", "--><!--", "|", "`", "](x)", "${x}", "\"'", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "日", "\\"]
IN_JSON = [*PIECES, "\0", "\ud800", "\n# heading\n"]
BYTES = [piece.encode() for piece in PIECES] + [b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\xc3", b"\xf4\x90\x80\x80"]
MARKS = {*range(0x00, 0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a), 0xfeff} - {0x09, 0x0a}


def drawn(draw, pieces):
    """Three of them, which may begin it."""
    return "".join(draw.sample(pieces, 3)) + "x"


def acts(content):
    """What of these bytes is no text to show."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return f"bad UTF-8: {error.object[error.start:error.end]!r}"
    found = sorted({character for character in text if ord(character) in MARKS})
    return f"the characters {found!r}" if found else ""


def unparsed(name, content):
    """What is wrong with a file as its kind; a value in JSON may hold anything."""
    try:
        if name.endswith((".xml", ".svg")):
            ElementTree.fromstring(content)
        if name.endswith((".json", ".jsonl")):
            for line in content.decode().removesuffix("\n").split("\n") if name.endswith("l") and content else [content.decode()]:
                json.loads(line)
    except (ElementTree.ParseError, ValueError) as error:
        return f"cannot be parsed: {error}"
    if name.endswith(".csv"):
        cells = [cell for line in csv.reader(io.StringIO(content.decode(errors="replace"))) for cell in line]
        computed = [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t")) and not number(cell)]
        return f"computes {computed[0]!r}" if computed else ""
    return ""


def number(cell):
    try:
        float(cell)
        return True
    except ValueError:
        return False


SHOWN = (".md", ".html", ".csv", ".svg", ".txt", ".xml")


def unclean(place, *folders):
    """What acts in the last call's output, or in what lies in these folders."""
    for stream in place.folder.glob("std*"):
        if wrong := acts(stream.read_bytes()):
            return f"{stream.name} holds {wrong}"
    for path in (path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()):
        wrong = acts(path.read_bytes()) if path.suffix in SHOWN else ""
        wrong = wrong and f"holds {wrong}" or unparsed(path.name, path.read_bytes())
        if wrong:
            return f"{path.relative_to(place.work)} {wrong}"
    return ""


def shown(place, run):
    """Every answer about a run of this place."""
    wrong = unclean(place, run)
    for words in (["judge", run], ["status", run], ["merge", run, "--out", place.work / "merged"]):
        if not wrong:
            result = place.call(*words)
            wrong = f"{words[0]} ended with {result.code}: {last(result.said)}" if result.code not in (0, 2, 11, 13, 14) else unclean(place, run)
    if wrong or not pages.PYTHON or not (run / "verdicts.jsonl").exists():
        return wrong
    return pages.fair(pages.report(place, run)) or unclean(place, run)


def names(draw):
    given = [drawn(draw, PIECES) for _ in range(3)]

    def act(place):
        base, head = fake(place.work / "base", names=["one", *given]), fake(place.work / "head", names=["one", *given], ms=1.1)
        result = place.call("gate", "--base", base, "--head", head, "--out", "gate", *FAST, timeout=60)
        return f"exit {result.code}: {last(result.said)}" if result.code not in (0, 2, 10, 13) else unclean(place, place.work)
    return act


def claims(draw):
    texts = {field: drawn(draw, IN_JSON) for field in ("text", "source")}
    why, unit = drawn(draw, IN_JSON), drawn(draw, IN_JSON)

    def act(place):
        case = steady(place.work / "steady", describe=f"describe = lambda whole: whole | {{'why': {why!r}, 'readme': {why!r}, 'axes': "
                      f"[axis | {{'unit': {unit!r}}} for axis in whole['axes']], 'claims': [claim | {texts!r} for claim in whole['claims']]}}")
        for words in (["list", case], ["run", case, "--rounds", 1, "--seed", 1, "--out", "run"]):
            result = place.call(*words, timeout=60)
            wrong = unclean(place) or (f"{words[0]} ended with {result.code}: {last(result.said)}" if result.code not in (0, 2, 13) else "")
            if wrong:
                return wrong
        return shown(place, place.work / "run") if (place.work / "run").exists() else ""
    return act


def last_words(draw):
    words = b"".join(draw.sample(BYTES, 4))
    deed = draw.choice([f"os.write(2, {words!r}); sys.exit(3)", f"os.write(2, {words!r}); os.kill(os.getpid(), 6)",
                        f"write(error_occurred=True, error_message={drawn(draw, IN_JSON)!r})", f"write(label={drawn(draw, IN_JSON)!r})"])

    def act(place):
        case = steady(place.work / "steady")
        text = case.read_text()
        case.write_text(text.replace("\nn = int(name", f"\nif 'fast' in name:\n    {deed}\nn = int(name"))
        result = place.call("run", case, "--rounds", 1, "--axis", "n=1", "--out", "run", timeout=60)
        return unclean(place) or (f"exit {result.code}: {last(result.said)}" if result.code not in (0, 13) else shown(place, place.work / "run"))
    return act


def of_command(draw):
    words = b"".join(draw.sample([piece for piece in BYTES if piece != b"\0"], 4))

    def act(place):
        (place.work / "words").write_bytes(words)
        result = place.call("compare", "cat words >&2; false", "true", "--out", "gate", "--budget", "3s", "--trust-times", timeout=60)
        return unclean(place, place.work / "gate") or ("" if result.code == 13 else f"exit {result.code}: {last(result.said)}")
    return act


def recorded(draw, material):
    """Any text of any record."""
    file = draw.choice([path for pattern in ("rows.jsonl", "verdicts.jsonl", "plan.json", "sessions/*.json", "programs/*.json")
                        for path in sorted(material.run.glob(pattern))])
    text, at = drawn(draw, IN_JSON), draw.random()

    def act(place):
        copy = place.copy(material.run)
        path = copy / file.relative_to(material.run)
        lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
        place_of = int(at * len(lines))
        document = json.loads(lines[place_of])
        document.pop("check", None)
        texts = [where for where in places(document) if where and isinstance(value_at(document, where), str)]
        set_at(document, texts[int(at * 7919) % len(texts)], text)
        lines[place_of] = json.dumps(document)
        path.write_text("\n".join(lines) + "\n")
        if pages.PYTHON and path.name == "verdicts.jsonl":
            return pages.fair(pages.report(place, copy)) or unclean(place, copy)
        return shown(place, copy)
    return act


def value_at(document, at):
    for key in at:
        document = document[key]
    return document


def attempts(material, seed):
    for kind in (names, claims, last_words, of_command, lambda draw: recorded(draw, material)):
        name = kind.__name__ if kind.__name__ != "<lambda>" else "recorded"
        for number_ in range(EACH):
            yield Attempt("text", f"{name} {number_}", kind(random.Random(f"{seed} {name} {number_}")))
