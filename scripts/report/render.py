"""The page, its Markdown, the table and the figures as files."""

import functools
import json
import os
import pathlib
import re

import jinja2
from markupsafe import Markup

from report.draw import card, figures, svg
from report.draw.figure import validation
from report.read import files, machines, published, said
from report.read.files import Unreadable
from report.read.load import Run
from report.say import claims, closing, evidence, fixes, kept, ladder, story, table, troubles, units

TEMPLATES = pathlib.Path(__file__).parent / "templates"
LIST = "figures.txt"  # the files that the report has written into figures/
BLANKS, NEXT = r"\n{3,}", "\n\n"
# The blocks of other Markdown files, by their markers.
BLOCKS = {
    "headline of": "headline.md.j2",
    "fixes of": "first.md.j2",
    "a gate by": "gate.md.j2",
    "an M1 by": "m1.md.j2",
}
ROOT = pathlib.Path(__file__).resolve().parents[2]
NEXT_PAGES = [
    ("Get halide-patched", "patches/halide_patched/README.md"),
    ("Use the gate", "docs/gate.md"),
    ("How to read this", "docs/report.md"),
]
START, END = "<!-- report: {} -->", "<!-- end -->"


def write(run: Run, folder: pathlib.Path, name: str | None = None) -> pathlib.Path:
    """Writes report.html, report.md and figures/ into the folder; returns the page's path. `name` is what
    the page calls the folder, or the folders that it compares, in its commands."""
    issues = story.issues(run)
    small = published.is_published(folder)
    drawn = figures.draw_all(run, issues)
    facts = facts_of(run, issues, drawn, said.printable(name or folder.name))
    packed = ".gz" if small else ""
    facts |= {"published": small, "packed": packed, "card": card} | links(run, facts["name"])
    facts["facts"] = table.facts(run, issues, facts["rows"], packed, facts["sources"])
    for one in facts["programs"] + facts["issues"]:
        one["readme"] = facts["readmes"].get(one["name"], "")
    cards = {card.FILE: card.png_of(facts["sentence"], facts["on"])} if small else {}
    save(dict(file for one in drawn for file in files_of(one)) | cards, folder / "figures")
    for file, text in table.tables(run).items():
        files.write(folder / file, text)
    for file in ("report.html", "report.md"):
        template = environment(markdown=file.endswith(".md")).get_template(file + ".j2")
        files.write(folder / file, re.sub(r"\n{3,}", "\n\n", template.render(facts)))
    return folder / "report.html"


def save(made: dict[str, str | bytes], folder: pathlib.Path) -> None:
    """Writes figures by their files' names. Removes earlier ones that are not drawn any more, but only those that our own
    list names."""
    files.own_folder(folder)
    written = set(made)
    listed = folder / LIST
    before = set(files.read_text(listed).splitlines()) if os.path.lexists(listed) else set()
    files.write(listed, lines_of(before | written))
    for name, content in made.items():
        files.write(folder / name, content)
    for name in before - written:
        old = folder / name
        if (
            old.name == name
            and old.suffix in (".svg", ".png")
            and old.is_file()
            and not old.is_symlink()
        ):
            old.unlink()
    files.write(listed, lines_of(written))


def files_of(one: figures.Drawn) -> list[tuple[str, str]]:
    """An issue's figure and that of the fixes stand in READMEs, which choose between light and dark."""
    if one.section in ("issue", "fixes"):
        return [
            (f"{one.file}.svg", svg.alone(one.svg, svg.LIGHT)),
            (f"{one.file}-dark.svg", svg.alone(one.svg, svg.DARK)),
        ]
    return [(f"{one.file}.svg", svg.alone(one.svg))]


def links(run: Run, name: str) -> dict:
    """What a reader of a folder of this repository may want next, relative to the page: documents, and by name the READMEs of
    cases and the code of patches. None for another folder."""
    place = (ROOT / name).resolve()
    found = {"next": [], "readmes": {}, "sources": {}}
    if not place.is_dir() or not place.is_relative_to(ROOT):
        return found
    up = "../" * len(place.relative_to(ROOT).parts)
    homes = published.homes_of_cases(ROOT)
    cases = {part.program: part.declared["case"] for part in run.parts}
    cases |= {
        issue["name"]: pathlib.Path(issue["case"]).name
        for issue in story.declared()
        if "case" in issue
    }
    patches = {path.stem: path for path in ROOT.glob("patches/*/*.hpp")}
    named = {patch["name"] for part in run.parts for patch in part.declared["patches"]}
    found["next"] = [
        (words, up + target) for words, target in NEXT_PAGES if (ROOT / target).exists()
    ]
    found["readmes"] = {
        one: f"{up}{homes[case].relative_to(ROOT).as_posix()}/README.md"
        for one, case in cases.items()
        if case in homes
    }
    found["sources"] = {
        one: up + patches[one].relative_to(ROOT).as_posix() for one in sorted(named & set(patches))
    }
    return found


def lines_of(names: set[str]) -> str:
    return "".join(f"{name}\n" for name in sorted(names))


def splice(run: Run, folder: pathlib.Path, file: pathlib.Path) -> None:
    """Fills the blocks of a Markdown file between `<!-- report: BLOCK FOLDER -->` and `<!-- end -->`."""
    text = files.read_bytes(file).decode(errors="surrogateescape")
    found = False
    for block, template in BLOCKS.items():
        start = START.format(f"{block} {folder.as_posix()}")
        head, opened, rest = text.partition(start)
        _, closed, tail = rest.partition(END)
        if opened and closed:
            found = True
            text = f"{head}{start}\n{block_of(run, template, folder)}\n{END}{tail}"
    if not found:
        starts = " or ".join(START.format(f"{block} {folder.as_posix()}") for block in BLOCKS)
        raise Unreadable(f"{file} has no lines {starts} and {END} to write between")
    files.write(file, text.encode(errors="surrogateescape"))


def block_of(run: Run, template: str, folder: pathlib.Path) -> str:
    """What a template makes of a run for a Markdown file."""
    facts = facts_of(run, story.issues(run), [], said.printable(folder.as_posix()))
    made = environment(markdown=True).get_template(template).render(facts)
    return re.sub(BLANKS, NEXT, made.strip())


@functools.cache  # to compile the templates takes longer than to fill them
def environment(markdown: bool) -> jinja2.Environment:
    """Text from rows stays text: in HTML all of it is escaped, in Markdown what would begin a tag."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        autoescape=not markdown,
        finalize=no_tag if markdown else None,
    )
    made.filters.update(
        code_span=code_span,
        cell=lambda text: re.sub(r"\s+", " ", str(text)).replace("|", "\\|"),
        inline=svg.inline,
        gigabytes=lambda value: f"{units.digits(value / 1e9)} GB",
        slug=slug,
        load=load,
        percent=lambda value: f"{units.digits(100 * value)} %",
        breakable=breakable,
        script=lambda value: Markup(
            json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
        ),
        code=code,
        whole_intervals=whole_intervals,
        capitalize_first=lambda text: text[:1].upper() + text[1:],
    )
    return made


def no_tag(value: object) -> object:
    """In Markdown no text of ours begins a tag, a link or an image; a report of somebody's rows must load nothing."""
    return (
        re.sub(r"<(?=[A-Za-z/!?])", "&lt;", value).replace("](", "]\\(")
        if isinstance(value, str)
        else value
    )


def code_span(text: str) -> str:
    """A table's cell whose names such as `a@b` no reader takes for an address of mail."""
    return re.sub(r"(?<![\w`])([\w.+-]+@[\w.+-]+)", r"`\1`", re.sub(r"\s+", " ", text)).replace(
        "|", "\\|"
    )


def breakable(text: str) -> Markup:
    """`12.3x [11.8, 12.9]` may break before its interval, and nowhere else."""
    return Markup(" ").join(
        Markup('<span class="n">{}</span>').format(part) for part in re.split(r" (?=\[)", text)
    )


def whole_intervals(text: str) -> Markup:
    """A sentence that may break anywhere but inside `[11.8, 12.9]`."""
    return Markup("").join(
        Markup('<span class="n">{}</span>' if place % 2 else "{}").format(part)
        for place, part in enumerate(re.split(r"(\[[^]]*\])", text))
    )


def code(text: str) -> Markup:
    """A sentence as above, the text between backticks marked as code."""
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else whole_intervals(part)
        for place, part in enumerate(text.split("`"))
    )


def load(averages: list) -> str:
    return " ".join(one if isinstance(one, str) else units.digits(one) for one in averages)


def anchor(heading: str) -> str:
    """GitHub's, of a heading in Markdown."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def facts_of(run: Run, issues: list[dict], drawn: list[figures.Drawn], name: str) -> dict:
    figure, platforms = {one.file: one for one in drawn}, fixes.platforms(run)
    rows = table.rows(run)
    headlines = [
        told["headline"] for issue in issues for told in issue["told"][:1] if told["headline"]
    ]
    return {
        "sentence": (headlines or [run.summary["sentence"]])[0].replace("`", ""),
        "on": "; ".join(
            f"{machines.name(run.machines[one.machine])}, {run.machines[one.machine]['cpu']}, {one.date}"
            for one in run.sets
        ),
        "run": run,
        "name": name,
        "units": units,
        "rate": validation.rate,
        "state": state(run.summary),
        "sets": [
            {
                "label": run.label(one),
                "set": one,
                "machine": run.machines[one.machine],
                "line": line,
                "trust": claims.trust(run, one),
                "state": state(line),
            }
            for one, line in run.sets.items()
        ],
        "fixes": fixes.fixes(run),
        "platforms": platforms,
        "own_platforms": [place for place, one in enumerate(platforms) if not one["code"]],
        "fixes_figure": figure.get("fixes"),
        "known": fixes.known(run),
        "issues": [issue | section(run, issue, drawn, rows) for issue in issues],
        "ratio_words": story.ratio_words,
        "controls_of": fixes.controls,
        "short": [] if issues else closing.made_lines(run),
        "rows": rows,
        "unshown": max(0, table.count_of_cells(run) - table.MOST),
        "unmeasured": claims.unmeasured(run),
        "earlier": kept.counted(run),
        "worst": claims.worst_controls(rows),
        "programs": evidence.programs(
            run,
            [one for one in drawn if not any(one.program in issue["shown"] for issue in issues)],
        ),
        "patches": evidence.patches(run),
        "order": figure.get("order"),
        "validation": figure.get("validation"),
        "troubles": troubles.troubles(run),
        "builds": builds(run),
        "compared": any(one.run for one in run.sets),
        "has_m1": any(map(machines.is_m1, run.machines.values())),
        "void": published.void_words(run.void()),
        "counts": claims.counts(run),
        "groups": claims.groups(run),
        "trials": run.trials,
        "added": added_words(run),
    }


def section(run: Run, issue: dict, drawn: list[figures.Drawn], rows: list[dict]) -> dict:
    """The page's section about an issue, without its panel."""
    mine = sorted(
        (part for part in issue["parts"] if part.program in issue["shown"]),
        key=lambda part: issue["shown"].index(part.program),
    )
    ladders = [
        found for found in (ladder.ladder(part, run.label(part.set)) for part in mine) if found
    ]
    ladder.say_costs_once(ladders)
    return {
        "hero": next((one for one in drawn if one.file == f"hero-{issue['name']}"), None),
        "theirs": claims.summed(
            [row for row in rows if row["kind"] == "issue" and row["program"] in issue["programs"]]
        ),
        "ladders": ladders,
        "figures": {
            name: [
                one
                for program in issue["shown"]
                for one in drawn
                if (one.program, one.name) == (program, name)
            ]
            for name in ("stages", "scaling")
        },
    }


def added_words(run: Run) -> str:
    """One sentence, or nothing."""
    trials, cells, runs = run.added()
    if not trials:
        return ""
    by = f"the later run {runs[0]}" if len(runs) == 1 else f"{len(runs)} later runs"
    return (
        f"{trials} of the trials were added by {by} to {cells} cells that had been measured already; "
        "the intervals do not account for rounds that were added because of earlier results."
    )


def builds(run: Run) -> list[dict]:
    """Each measured subject and build once, with the sets in which it was measured."""
    found: dict[tuple, dict] = {}
    for part in run.parts:
        subject, build = part.declared["subject"], part.declared["build"]
        key = (*subject.values(), *build.values())
        line = found.setdefault(
            key, {"subject": subject, "build": build, "programs": {}, "sets": {}}
        )
        line["programs"][part.program] = line["sets"][run.label(part.set)] = None
    return list(found.values())


def state(line: dict) -> str:
    """The colour of a judge's line: of a run's summary or of one of its sets."""
    return {0: "fine", 11: "surprise", 13: "broken", 14: "unproven"}.get(line["exit"], "broken")
