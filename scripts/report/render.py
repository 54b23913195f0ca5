"""The page, its Markdown, the table and the figures as files."""

import os
import pathlib
import re

import jinja2
from markupsafe import Markup

from . import cards, claims, figures, files, panels, story, svg, table, troubles, units
from .figure import validation
from .files import Unreadable
from .load import Run

TEMPLATES = pathlib.Path(__file__).parent / "templates"
BUDGET = 1_950_000  # bytes of the page; figures that do not fit are linked
LIST = "figures.txt"  # what the report has written into figures/
START, END = "<!-- report: {} -->", "<!-- end -->"


def write(run: Run, folder: pathlib.Path, name: str | None = None) -> pathlib.Path:
    """Writes report.html, report.md, report.csv and figures/ into the folder; returns the page's path. `name` is what
    the page calls the folder in its commands."""
    drawn = figures.draw_all(run, story.issues(run))
    save(drawn, folder / "figures")
    facts = facts_of(run, drawn, name or folder.name)
    for file in ("report.html", "report.md"):
        template = environment(markdown=file.endswith(".md")).get_template(file + ".j2")
        without = len(template.render(facts | {"fitting": set()}).encode())
        facts["fitting"] = fitting(drawn, BUDGET - without)
        files.write(folder / file, template.render(facts))
    files.write(folder / "report.csv", table.csv_of(run))
    return folder / "report.html"


def save(drawn: list[figures.Drawn], folder: pathlib.Path) -> None:
    """Figures of before that are not drawn any more are removed: those that our own list names, nobody else's."""
    files.own_folder(folder)
    written = {f"{one.file}{ending}" for one in drawn for ending in (".svg", ".png", *(("-dark.svg",) * (one.section == "issue")))}
    listed = folder / LIST
    before = set(files.read_text(listed).splitlines()) if os.path.lexists(listed) else set()
    files.write(listed, lines_of(before | written))
    for one in drawn:
        files.write(folder / f"{one.file}.svg", svg.alone(one.svg))
        if one.section == "issue":
            files.write(folder / f"{one.file}-dark.svg", svg.alone(one.svg, svg.DARK))
        files.write(folder / f"{one.file}.png", one.png)
    for name in before - written:
        old = folder / name
        if old.name == name and old.suffix in (".svg", ".png") and old.is_file() and not old.is_symlink():
            old.unlink()
    files.write(listed, lines_of(written))


def lines_of(names: set[str]) -> str:
    return "".join(f"{name}\n" for name in sorted(names))


def splice(run: Run, folder: pathlib.Path, file: pathlib.Path) -> None:
    """Puts the table of results between the markers `<!-- report: FOLDER -->` and `<!-- end -->` of a Markdown file."""
    text = files.read_bytes(file).decode(errors="surrogateescape")
    start = START.format(folder.as_posix())
    head, found, rest = text.partition(start)
    _, closed, tail = rest.partition(END)
    if not found or not closed:
        raise Unreadable(f"{file} has no lines {start} and {END} to write between")
    short = environment(markdown=True).get_template("readme.md.j2").render(facts_of(run, [], folder.as_posix()))
    files.write(file, f"{head}{start}\n{short.strip()}\n{END}{tail}".encode(errors="surrogateescape"))


def environment(markdown: bool) -> jinja2.Environment:
    """Text from rows stays text: in HTML all of it is escaped, in Markdown what would begin a tag."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, autoescape=not markdown, finalize=no_tag if markdown else None)
    made.filters.update(cell=lambda text: re.sub(r"\s+", " ", str(text)).replace("|", "\\|"), inline=svg.inline,
                        gigabytes=lambda value: f"{units.digits(value / 1e9)} GB", slug=slug, load=load,
                        percent=lambda value: f"{units.digits(100 * value)} %", breakable=breakable)
    return made


def no_tag(value: object) -> object:
    """In Markdown no text of ours begins a tag, a link or an image; a report of somebody's rows must load nothing."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", value).replace("](", "]\\(") if isinstance(value, str) else value


def breakable(text: str) -> Markup:
    """`12.3x [11.8, 12.9]` may break before its interval, and nowhere else."""
    return Markup(" ").join(Markup('<span class="n">{}</span>').format(part) for part in re.split(r" (?=\[)", text))


def load(averages: list) -> str:
    return " ".join(one if isinstance(one, str) else units.digits(one) for one in averages)


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def facts_of(run: Run, drawn: list[figures.Drawn], name: str) -> dict:
    return {
        "run": run, "name": name, "units": units, "rate": validation.rate, "state": state(run.summary),
        "sets": [{"label": run.label(one), "set": one, "machine": run.machines[one.machine], "line": line}
                 for one, line in run.sets.items()],
        "issues": story.issues(run), "ratio_words": story.ratio_words, "short": claims.in_short(run), "tables": claims.tables(run), "cards": cards.cards(run, drawn),
        "forests": [one for one in drawn if one.section == "ratios"],
        "validation": next((one for one in drawn if one.section == "validation"), None),
        "troubles": troubles.troubles(run), "builds": builds(run),
        "has_m1": any(machine["cpu"].startswith("Apple M1") for machine in run.machines.values()),
        "trials": run.trials, "samples": panels.SAMPLES,
    }


def fitting(drawn: list[figures.Drawn], budget: int) -> set[str]:
    """The figures that the page holds, those of the most worth."""
    total, chosen = 0, set()
    for one in sorted(drawn, key=lambda one: -one.worth):
        total += len(one.svg) + 1000  # and what names it
        if total <= budget:
            chosen.add(one.file)
    return chosen


def builds(run: Run) -> list[dict]:
    """What was measured, once for each subject and build, with the sets in which it was."""
    found: dict[tuple, dict] = {}
    for part in run.parts:
        subject, build = part.declared["subject"], part.declared["build"]
        key = (*subject.values(), *build.values())
        line = found.setdefault(key, {"subject": subject, "build": build, "programs": {}, "sets": {}})
        line["programs"][part.program] = line["sets"][run.label(part.set)] = None
    return list(found.values())


def state(summary: dict) -> str:
    return {0: "fine", 11: "surprise", 13: "broken", 14: "unproven"}.get(summary["exit"], "broken")
