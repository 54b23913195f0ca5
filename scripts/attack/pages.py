"""The report of damaged folders, and in places that cannot be written."""

import os
import pathlib
import subprocess
import sys

from attempt import Attempt, last
from material import ROOT
from records import changed, deep, drawn, empty, empty_list, endless, fifo, flip, folder, negative, neighbours, nonsense, null, removed, without_key

PACKAGES = next(iter(ROOT.glob(".deps/venv/lib/python3*/site-packages")), ROOT)
REPORT = ROOT / "scripts/report.py"
EACH = 2
DAMAGES = [flip, empty, nonsense, deep, folder, fifo, endless, neighbours, removed,
           *(changed(change) for change in (without_key, null, negative, empty_list))]
ENVIRONMENT = {"MPLCONFIGDIR": "/tmp/attack-matplotlib", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(PACKAGES)}


def python_with_packages():
    """A Python that this user may run, with what the report imports; None without one."""
    for python in (ROOT / ".deps/venv/bin/python", sys.executable):
        try:
            subprocess.run([python, "-c", "import jinja2, matplotlib"], env=os.environ | ENVIRONMENT, check=True, capture_output=True)
            return python
        except (OSError, subprocess.CalledProcessError):
            continue
    return None


PYTHON = python_with_packages()


def report(place, *words, **kwargs):
    return place.start([PYTHON, REPORT, *words], timeout=90, may_take_s=60, env=ENVIRONMENT, **kwargs)


def fair(result):
    return "" if result.code in (0, 2, 13) else f"exit {result.code}: {last(result.said)}"


def damaged(material, file, damage, number, seed):
    def act(place):
        copy = place.copy(material.run)
        damage(copy / file, drawn(seed, file, damage, number))
        return fair(report(place, copy))
    return Attempt("pages", f"report, {file}: {damage.__name__} {number}", act)


def somebodys_figure(material, link):
    """Pictures in figures/ that no report of ours made stay."""
    def act(place):
        copy = place.copy(material.run)
        if link:
            (copy / "figures").symlink_to(place.neighbour)
        else:
            (copy / "figures").mkdir()
            for name in ("mine.png", "mine.svg"):
                (copy / "figures" / name).write_text("mine\n")
        result = report(place, copy)
        if link:
            return fair(result)
        kept = [(copy / "figures" / name) for name in ("mine.png", "mine.svg")]
        return fair(result) or ("" if all(path.exists() for path in kept) else "deleted somebody's pictures")
    return Attempt("pages", f"report, somebody's {'link' if link else 'pictures'} in figures/", act)


def spliced(material, size):
    """README on a disk without room is left as it was."""
    def act(place):
        copy = place.copy(material.run)
        readme = place.work / "README.md"
        readme.write_text("before\n<!-- report: x -->\n<!-- end -->\nafter\n" + "x" * 3000 + "\n")
        before = readme.read_text()
        script = "mount -t tmpfs -o size=$1 tmpfs small || exit 99; cp README.md small/; shift; \"$@\"; code=$?; cp small/README.md kept; exit $code"
        (place.work / "small").mkdir()
        result = place.start(["unshare", "-rm", "sh", "-c", script, "sh", size, PYTHON, REPORT, copy, "--splice", "small/README.md"],
                             timeout=90, may_take_s=60, env=ENVIRONMENT)
        if result.code == 99:
            return ""
        kept = pathlib.Path(place.work / "kept").read_text()
        whole = kept == before or result.code == 0 and kept.endswith("x\n") and "<!-- end -->" in kept
        return fair(result) or ("" if whole else f"README was cut, exit {result.code}")
    return Attempt("pages", f"report --splice on a disk of {size} bytes", act)


def elsewhere(material, name, make):
    def act(place):
        copy = place.copy(material.run)
        make(copy)
        result = report(place, copy)
        return fair(result)
    return Attempt("pages", f"report, {name}", act)


def attempts(material, seed):
    if not PYTHON:
        print("pages: left out, no Python here has the report's packages (scripts/bootstrap)")
        return
    names = ["rows.jsonl", "verdicts.jsonl", *(path.relative_to(material.run).as_posix() for pattern in ("sessions/*.json", "programs/*.json")
                                               for path in sorted(material.run.glob(pattern)))]
    for file in names:
        for damage in DAMAGES:
            for number in range(EACH):
                yield damaged(material, file, damage, number, seed)
    yield from (somebodys_figure(material, link) for link in (False, True))
    yield from (spliced(material, size) for size in ("4k", "8k", "12k"))
    yield elsewhere(material, "report.html is a folder", lambda copy: (copy / "report.html").mkdir())
    yield elsewhere(material, "report.html is a link", lambda copy: (copy / "report.html").symlink_to(copy.parent.parent / "neighbour/kept.txt"))
    yield elsewhere(material, "a case's text is a link", lambda copy: ((copy / "cases").mkdir(exist_ok=True),
                                                                         (copy / "cases/steady.md").unlink(missing_ok=True),
                                                                         (copy / "cases/steady.md").symlink_to("/etc/passwd")))
    yield elsewhere(material, "a folder that cannot be written", lambda copy: os.chmod(copy, 0o555))
