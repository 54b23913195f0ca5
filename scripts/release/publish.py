"""scripts/release/publish.py FOLDER [--to results/published]     checks a run and copies it to <date>-<machine>/ there, with its rows
compressed and all in 2 MB, and writes the index of all published runs (README.md there) again.

Refused: a run that cannot be judged, whose verdicts are not what the judge says now, in which something crashed or
was wrong, or a control moved; rows of an
emulated machine, or of several machines; programs built with local changes, or of several commits. Runs of one build
on one machine may be merged first. Verdicts that differ from what the case expects are named and published as they
are: to leave them out would be a bias.
Exit: 0 copied, 2 usage, 13 or 14 as the judge's, 13 when the run may not be published.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from report import render  # noqa: E402
from report.read import files, load, machines, published, said  # noqa: E402
from report.say import changes, kept, story  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PUBLISHED, CHANGES = ROOT / "results/published", ROOT / "patches/halide/upstream/README.md"
BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", ROOT / "build"))
KEPT = ("plan.json", "rows.jsonl", "rows.jsonl.gz", "verdicts.jsonl", "verdicts.jsonl.gz", "validation.json", "validation-busy.json",
        published.VOID, "sessions", "programs", "cases")


class Refused(Exception):
    """One sentence, and the exit code."""

    def __init__(self, sentence, code=13):
        super().__init__(sentence)
        self.code = code


def records(folder, name):
    found = []
    for path in files.inside(folder / name, "*.json"):  # of a merged folder, programs/<run>/ too
        found.append(files.read_json(path))
    if not found:
        raise Refused(f"{folder} has no {name}/*.json: it is not a run's folder", 2)
    return found


def check_machine(sessions):
    """The one machine of the run."""
    machines = [session.get("machine", {}) for session in sessions]
    for machine in machines:
        if machine.get("emulated"):
            raise Refused("it ran under emulation; such times are not published")
    if len({machine.get("id") for machine in machines}) != 1:
        raise Refused("it holds rows of several machines; publish the run of each by itself")
    if not machines[0].get("cpu"):
        raise Refused("its session does not name the machine's processor")
    return machines[0]


def check_versions(programs):
    for program in programs:
        name = program.get("file", program.get("case"))
        if program.get("schema") != 1:
            raise Refused(f"the declaration of {name} has schema {program.get('schema')}, not 1")
        if program["build"]["dirty"]:
            raise Refused(f"{name} was built with local changes: commit them and run again")
        if not program["subject"]["version"]:
            raise Refused(f"{name} does not name the version of its subject")
    commits = {program["build"]["commit"] for program in programs}
    if len(commits) != 1 or commits == {"unknown"}:
        raise Refused(f"its programs were built from {len(commits)} commits ({', '.join(sorted(commits))}); "
                      "build all from one commit and run again")


def check_rows(folder, sessions):
    known = {(session["run"], session["session"]) for session in sessions}
    number = 0
    if not any(os.path.lexists(folder / name) for name in ("rows.jsonl", "rows.jsonl.gz")):
        return number
    with files.unpacked(folder / "rows.jsonl") as lines:
        for number, line in enumerate(lines, 1):
            row = json.loads(line)
            if (row["run"], row["session"]) not in known:
                raise Refused(f"rows.jsonl line {number} belongs to no session of this run")
    return number


def copy_run(folder, target):
    """Copies the files of a run that are kept."""
    for name in KEPT:
        source = folder / name
        if not source.is_dir():
            found = [source] if os.path.lexists(source) else []
        else:
            found = [path for path in files.inside(source, "*") if not path.is_dir()]
        for path in found:
            copy = target / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            files.copy(path, copy)


def make_small(folder):
    """Leaves what is kept of a published run (published.py): of a case's README, what the report shows; of the plan
    nothing, as every trial of it has its row."""
    (folder / "plan.json").unlink(missing_ok=True)
    if os.path.lexists(folder / "rows.jsonl"):
        published.sort_rows(folder / "rows.jsonl")
    for path in files.inside(folder / "programs", "*.json"):
        files.write_json(path, files.read_json(path), indent=None)
    for name in published.PACKED:
        if os.path.lexists(folder / name):
            files.pack(folder / name, folder / f"{name}.gz")
            (folder / name).unlink()
    homes = published.homes_of_cases(ROOT)
    for path in files.inside(folder / "cases", "*.md"):
        files.write(path, moved("\n\n".join(files.read_text(path).split("\n\n")[:2]).rstrip() + "\n", homes.get(path.stem)))


def moved(markdown, home):
    """The README of a case whose folder was `home`, with links as they are from a published run's cases/; a link that leads
    nowhere is its words alone."""
    def link(found):
        words, target = found.groups()
        file, mark, anchor = target.partition("#")
        if re.match("[a-z]+:", target):
            return found[0]
        path = home and (home / file if file else home / "README.md").resolve()
        if not path or not path.exists() or not path.is_relative_to(ROOT):
            return words
        return f"[{words}]({os.path.relpath(path, PUBLISHED / 'run/cases')}{mark}{anchor})"

    return re.sub(r"\[([^]]*)\]\(([^)]*)\)", link, markdown)


def check_folder(target):
    """Its pages are whole, and it is small enough for a repository."""
    if missing := published.missing_images(target):
        raise Refused(f"its report shows missing images: {', '.join(missing)}")
    if (size := published.size(target)) > published.MOST:
        raise Refused(f"it takes {size:,} bytes, more than the {published.MOST:,} of a published run")


def forget_folders(folder):
    """Cuts the machine's own paths, in commands and messages, down to their last name."""
    short = lambda text: re.sub(r"(?<![^\s'=\"])/(?:[^\s/]+/)+", "", text)  # noqa: E731
    for path in files.inside(folder / "sessions", "*.json"):
        record = files.read_json(path)
        files.write_json(path, record | {"command": short(record["command"])})
    if os.path.lexists(path := folder / "validation.json"):
        record = files.read_json(path)
        for fault in record.get("faults", []):
            fault["words"] = short(fault["words"])
        files.write_json(path, record)


def why(judged, folder):
    """The judge's one sentence: of its error, or of the verdicts that it wrote."""
    if judged.stderr.strip():
        return judged.stderr.strip().splitlines()[-1]
    with files.opened(folder / "verdicts.jsonl") as file:
        return json.loads(file.readline())["sentence"]


def check_verdicts(folder):
    """The judge reads every row by the schema, and compares digests. The claims whose verdict is not the expected one."""
    if not (BUILD / "cliffbench").exists():
        raise Refused(f"there is no program {BUILD / 'cliffbench'}; build it with: make build", 2)
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "run"
        copy_run(folder, copy)
        judged = subprocess.run([BUILD / "cliffbench", "judge", copy], capture_output=True, text=True)
        if judged.returncode not in (0, 11):  # 11: a verdict differs from its expectation
            raise Refused(f"cliffbench judge ended with exit code {judged.returncode}: {why(judged, copy)}", judged.returncode)
        left_out = next(load.lines_of(copy / "verdicts.jsonl", []))["left_out"]
        if left_out:
            raise Refused(f"rows.jsonl line {left_out[0]} is damaged or unfinished")
        (copy / "verdicts.jsonl.gz").unlink(missing_ok=True)
        kept = folder / "verdicts.jsonl"
        if not judged_already(folder) or files.read_bytes(kept) != files.read_bytes(copy / "verdicts.jsonl"):
            raise Refused(f"verdicts.jsonl does not match the rows; run: cliffbench judge {folder}")
        lines = load.lines_of(kept, [])
        return [f"{line['program']} {line['id']} is {line['verdict']}, its case expects {line['expected']}: {line['text']}"
                for line in lines if line["kind"] == "claim" and not line["as_expected"]]


def judged_already(folder):
    return any((folder / name).exists() for name in ("verdicts.jsonl", "verdicts.jsonl.gz"))


def name_of(machine, sessions):
    """2026-11-21-apple-m1, ...-virtual"""
    date = min(session["started"] for session in sessions)[:10]
    words = re.sub(r"\(r\)|\(tm\)|processor|cpu|@", " ", machine["cpu"].lower())
    slug = re.sub(r"[^a-z0-9.]+", "-", words).strip("-")
    virtual = "-virtual" if machine.get("virtualised") and "virtual" not in slug else ""
    return f"{date}-{slug}{virtual}"


def index(to, page=None):
    """The index page: every published run, and what each issue's answer is in it; what is kept of each run when another
    takes its place; and the table of the first issue's changes in the Markdown file `page`."""
    folders = sorted(path for path in to.iterdir() if judged_already(path))
    of_run = {folder.name: said.all_printable(records(folder, "sessions")[0]["machine"]) for folder in folders}
    runs = {folder.name: changes.run_of(load.lines_of(folder / "verdicts.jsonl", []), published.void(folder)) for folder in folders}
    text = "# Published runs\n\nWritten by `make publish`. "
    text += "[How to read a report](../../docs/report.md), and [a run's folder](../README.md).\n\n"
    text += "| run | machine | verdict | |\n|---|---|---|---|\n"
    for name, machine in of_run.items():
        hosted = machines.is_apple(machine) and machine["virtualised"]
        kind = f"{machines.name(machine) if hosted else machine['cpu']} ({machine['arch']}), {machine['cores']} cores"
        kind += ", virtualised" * (machine["virtualised"] and not hosted)
        verdict = runs[name][0]["sentence"] + f" Void in part: [why]({name}/report.html)." * bool(published.void(to / name))
        text += f"| {name} | {kind} | {verdict} | [report]({name}/report.html), [in Markdown]({name}/report.md) |\n"
    if not any(map(machines.is_m1, of_run.values())):
        text += "\nNo Apple M1 has measured anything yet: [one command](../../docs/platforms.md#an-apple-m1) does.\n"
    for name in of_run:
        run = load.load(to / name)
        earlier = files.own_folder(to / published.EARLIER) / f"{name}.json"
        files.write_json(earlier, kept.record_of(run, name), indent=None)
        text += "" if len(of_run) == 1 else f"\n## {name}\n"
        text += f"\n{render.block_of(run, 'groups.md.j2', to / name)}\n"
        for issue in story.issues(run):
            answers = " ".join(told["answer"] for told in issue["told"])
            report = f"[What it says, and what was seen]({name}/report.md#{render.anchor(issue['title'])})"
            text += f"\n**[{issue['heading']}]({issue['url']})** {answers} {report}; [the case](../../{issue['case']}/README.md).\n"
    files.write(to / "README.md", text)
    if page:
        changes.splice_changes(story.declared()[0], runs, page)


def publish(folder, to):
    sessions = records(folder, "sessions")
    machine = check_machine(sessions)
    check_versions(records(folder, "programs"))
    rows = check_rows(folder, sessions)
    surprises = check_verdicts(folder)
    target = to / name_of(machine, sessions)
    if target.exists():
        raise Refused(f"{target} exists already; remove it first if this run replaces it", 2)
    with whole_or_not_there(target) as unfinished:
        copy_run(folder, unfinished)
        make_small(unfinished)
        forget_folders(unfinished)
        unfinished.rename(target)
        shown = target.relative_to(ROOT) if target.is_relative_to(ROOT) else target  # the report says how it was made
        made = subprocess.run([sys.executable, ROOT / "scripts/report.py", shown], cwd=ROOT, capture_output=True, text=True)
        if made.returncode:
            raise Refused(f"its report cannot be made: {made.stderr.strip()}")
        check_folder(target)
        index(to, CHANGES if to == PUBLISHED else None)
    return target, rows, surprises


@contextlib.contextmanager
def whole_or_not_there(target):
    """A folder to fill, which then becomes the target; nothing of either stays when something fails."""
    unfinished = target.with_name(target.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        yield unfinished
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.rmtree(target, ignore_errors=True)
        raise


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path, default=PUBLISHED)
    given = parser.parse_args(arguments)
    try:
        target, rows, surprises = publish(given.folder.resolve(), given.to.resolve())
    except Refused as refused:
        return said.refuse("publish", f"not published: {refused}", refused.code)
    except said.CAUGHT as error:
        return said.refuse("publish", f"not published: {said.sentence(error, given.folder)}", 13)
    target = target.relative_to(ROOT) if target.is_relative_to(ROOT) else target
    try:
        for surprise in surprises:
            said.say(f"note: {surprise}")
        said.say(f"{rows} rows copied to {target}; to commit them:\n"
                 f"  git add {target.parent} {CHANGES.relative_to(ROOT)} && git commit -m 'results: {target.name}'")
    except OSError as error:
        return said.refuse("publish", f"{target} is published, but {said.sentence(error, target)}", 13)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
