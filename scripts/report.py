"""Writes report.html, report.md and figures/ of a run's folder. Never measures.

    scripts/python scripts/report.py results/local/latest

Exit: 0 written, 2 usage, 13 the folder cannot be read or written.
"""

import argparse
import pathlib
import sys

from report import load, render


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="folder of a run that was judged")
    folder = parser.parse_args().folder
    try:
        run = load.load(folder)
        page = render.write(run, folder)
    except load.Unreadable as error:
        print(f"report: {error}", file=sys.stderr)
        return 13
    except KeyError as error:
        print(f"report: a record in {folder} has no {error}; was it written by this version of cliffbench?", file=sys.stderr)
        return 13
    except OSError as error:
        print(f"report: cannot write in {folder}: {error.strerror}", file=sys.stderr)
        return 13
    for notice in run.notices:
        print(f"note: {notice}")
    print(f"report: {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
