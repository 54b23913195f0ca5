"""Writes report.html, report.md, report.csv and figures/ of a run's folder. Never measures.

    scripts/python scripts/report.py results/local/latest
    scripts/python scripts/report.py results/published/FOLDER --splice README.md

Exit: 0 written, 2 usage, 13 the folder cannot be read or written.
"""

import argparse
import pathlib
import sys

import jinja2

from report import files, load, render


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="folder of a run that was judged; several runs: cliffbench merge")
    parser.add_argument("--splice", type=pathlib.Path, metavar="FILE",
                        help="instead, write the table of results between <!-- report: FOLDER --> and <!-- end --> of this file")
    words = parser.parse_args()
    folder = words.folder
    try:
        run = load.load(folder)
        if words.splice:
            render.splice(run, folder, words.splice)
        else:
            page = render.write(run, folder, folder.as_posix())
    except files.Unreadable as error:
        print(f"report: {error}", file=sys.stderr)
        return 13
    except KeyError as error:
        print(f"report: a record in {folder} has no {error}; was it written by this version of cliffbench?", file=sys.stderr)
        return 13
    except (AttributeError, TypeError, ValueError, RecursionError, jinja2.UndefinedError) as error:
        print(f"report: a record in {folder} is not what this version of cliffbench writes ({error})", file=sys.stderr)
        return 13
    except OSError as error:
        print(f"report: cannot write {error.filename or folder}: {error.strerror}", file=sys.stderr)
        return 13
    for notice in run.notices:
        print(f"note: {notice}")
    print(f"report: {words.splice or page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
