"""Writes report.html, report.md, report.csv and figures/ of a run's folder. Never measures.

    scripts/python scripts/report.py results/local/latest
    scripts/python scripts/report.py results/published/FOLDER --splice README.md
    scripts/python scripts/report.py BEFORE AFTER     # side by side, into AFTER/comparison

Exit: 0 written, 2 usage, 13 the folder cannot be read or written.
"""

import argparse
import pathlib
import sys

import jinja2

from report import files, load, render


def written(folders: list[pathlib.Path], out: pathlib.Path | None, splice: pathlib.Path | None) -> tuple[load.Run, pathlib.Path]:
    """What was read, and where it was written."""
    if len(folders) == 1:
        run = load.load(folders[0])
        if splice:
            render.splice(run, folders[0], splice)
        return run, splice or render.write(run, folders[0], folders[0].as_posix())
    run = load.beside(load.named(folders))
    target = out or folders[-1] / "comparison"
    target.mkdir(parents=True, exist_ok=True)
    return run, render.write(run, target, " ".join(folder.as_posix() for folder in folders))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="+", metavar="FOLDER",
                        help="folder of a run that was judged; of several each claim and figure stands side by side")
    parser.add_argument("--out", type=pathlib.Path, metavar="FOLDER", help="where several are compared; LAST/comparison if not given")
    parser.add_argument("--splice", type=pathlib.Path, metavar="FILE",
                        help="instead, write the table of results between <!-- report: FOLDER --> and <!-- end --> of this file")
    words = parser.parse_args()
    if len(words.folders) > 1 and words.splice or len(words.folders) == 1 and words.out:
        parser.error("--splice takes one folder, --out several")
    folder = words.folders[-1]
    try:
        run, page = written(words.folders, words.out, words.splice)
    except files.Unreadable as error:
        print(f"report: {error}", file=sys.stderr)
        return 13
    except KeyError as error:
        print(f"report: a record in {folder} has no {error}; was it written by this version of cliffbench?", file=sys.stderr)
        return 13
    except (AttributeError, TypeError, ValueError, RecursionError, jinja2.UndefinedError):
        print(f"report: a record in {folder} is not what this version of cliffbench writes; run: cliffbench judge {folder}", file=sys.stderr)
        return 13
    except OSError as error:
        print(f"report: cannot write {error.filename or folder}: {error.strerror}", file=sys.stderr)
        return 13
    for notice in run.notices:
        print(f"note: {notice}")
    print(f"report: {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
