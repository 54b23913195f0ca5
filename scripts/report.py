"""Writes report.html, report.md, report.csv and figures/ of a run's folder; of a gate's folder report.html. Never measures.

    scripts/python scripts/report.py results/local/latest
    scripts/python scripts/report.py results/published/FOLDER --splice README.md
    scripts/python scripts/report.py BEFORE AFTER     # side by side, into AFTER/comparison

Exit: 0 written, 2 usage, 13 the folder cannot be read or written.
"""

import argparse
import pathlib
import sys

try:
    import jinja2

    from report import gate, load, render, said
except ImportError as error:
    print(f"report: its Python packages are missing or damaged ({error.name}); "
          "install them with: rm -rf .deps/venv && scripts/bootstrap bench", file=sys.stderr)
    sys.exit(2)


def written(folders: list[pathlib.Path], out: pathlib.Path | None, splice: pathlib.Path | None) -> tuple[list[str], pathlib.Path]:
    """What is to be noted of it, and where it was written."""
    if len(folders) == 1 and not splice and gate.is_gate(folders[0]):
        return [], gate.write(folders[0], folders[0].as_posix())
    if len(folders) == 1:
        run = load.load(folders[0])
        if splice:
            render.splice(run, folders[0], splice)
        return run.notices, splice or render.write(run, folders[0], folders[0].as_posix())
    run = load.beside(load.named(folders))
    target = out or folders[-1] / "comparison"
    target.mkdir(parents=True, exist_ok=True)
    return run.notices, render.write(run, target, " ".join(folder.as_posix() for folder in folders))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="+", metavar="FOLDER",
                        help="folder of a run that was judged, or of a gate; of several runs each claim and figure stands side by side")
    parser.add_argument("--out", type=pathlib.Path, metavar="FOLDER", help="where several are compared; LAST/comparison if not given")
    parser.add_argument("--splice", type=pathlib.Path, metavar="FILE",
                        help="instead, write the table of results between <!-- report: FOLDER --> and <!-- end --> of this file")
    words = parser.parse_args()
    if len(words.folders) > 1 and words.splice or len(words.folders) == 1 and words.out:
        parser.error("--splice takes one folder, --out several")
    folder = words.folders[-1]
    try:
        notices, page = written(words.folders, words.out, words.splice)
        for notice in notices:
            said.say(f"note: {notice}")
        said.say(f"report: {page}")
    except (*said.CAUGHT, jinja2.TemplateError) as error:
        return said.refuse("report", said.sentence(error, folder), 13)
    return 0


if __name__ == "__main__":
    sys.exit(main())
