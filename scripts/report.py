"""Writes report.html, report.md and figures/ of a run's folder. Never measures.

    scripts/setup/python scripts/report.py results/local/latest
    scripts/setup/python scripts/report.py results/local/latest --closing     # and the last lines of make bench
    scripts/setup/python scripts/report.py results/published/FOLDER --splice README.md
    scripts/setup/python scripts/report.py BEFORE AFTER     # side by side, into AFTER/comparison

Exit: 0 written, 2 usage, 13 the folder cannot be read or written.
"""

import argparse
import pathlib
import shutil
import sys
import traceback

try:
    import jinja2
    from report import render
    from report.draw import drawing
    from report.read import load, said
    from report.say import closing
except ImportError as error:
    print(
        f"report: its Python packages are missing or damaged ({error.name}); "
        "install them with: rm -rf .deps/venv && scripts/setup/bootstrap bench",
        file=sys.stderr,
    )
    sys.exit(2)


def written(words: argparse.Namespace) -> list[str]:
    """Writes what the words ask for, and returns the lines to print."""
    folders = words.folders
    if len(folders) == 1:
        run = load.load(folders[0])
        if words.splice:
            render.splice(run, folders[0], words.splice)
        page = words.splice or render.write(run, folders[0], folders[0].as_posix())
    else:
        run = load.beside(load.named(folders))
        target = words.out or folders[-1] / "comparison"
        target.mkdir(parents=True, exist_ok=True)
        page = render.write(run, target, " ".join(folder.as_posix() for folder in folders))
    width = shutil.get_terminal_size((0, 0)).columns
    last = closing.text(run, f"Report: {page}", width) if words.closing else ""
    return [*(f"note: {notice}" for notice in run.notices), f"report: {page}"] + (
        [f"\n{last.rstrip()}"] if last else []
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folders",
        type=pathlib.Path,
        nargs="+",
        metavar="FOLDER",
        help="folder of a run that was judged; of several runs each claim and figure stands side by side",
    )
    parser.add_argument(
        "--out",
        type=pathlib.Path,
        metavar="FOLDER",
        help="where several are compared; LAST/comparison if not given",
    )
    parser.add_argument(
        "--splice",
        type=pathlib.Path,
        metavar="FILE",
        help="instead, fill the blocks <!-- report: ... FOLDER --> of this Markdown file",
    )
    parser.add_argument(
        "--closing",
        action="store_true",
        help="of one run, say what was found in a few lines, as make bench does",
    )
    words = parser.parse_args()
    if (
        len(words.folders) > 1
        and (words.splice or words.closing)
        or len(words.folders) == 1
        and words.out
    ):
        parser.error("--splice and --closing take one folder, --out several")
    folder = words.folders[-1]
    try:
        for line in written(words):
            said.say(line)
    except drawing.FigureFailed as error:  # a mistake in its code, not in the records
        traceback.print_exception(error)
        return said.refuse("report", str(error), 13)
    except (*said.CAUGHT, jinja2.TemplateError) as error:
        return said.refuse("report", said.sentence(error, folder), 13)
    return 0


if __name__ == "__main__":
    sys.exit(main())
