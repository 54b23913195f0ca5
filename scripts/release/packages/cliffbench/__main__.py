"""The commands of the Python package: they give way to what lies beside this file, laid out as in the checkout. Any Python 3."""

import importlib.util
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
REPORT_NEEDS = ("jinja2", "matplotlib")
REPORT_PYTHON = (3, 11)


def stop(code, sentence):
    print("cliffbench: " + sentence, file=sys.stderr)
    return code


def give_way(*words, program=None):
    """Becomes that program, called by these words; so signals and exit codes are its own."""
    program = str(program or words[0])
    try:
        os.execv(program, [str(word) for word in words])
    except OSError as error:
        return stop(13, f"cannot run {program}: {error.strerror}")


def main():
    if sys.argv[1:2] != ["report"]:
        return give_way(*sys.argv, program=HERE / "bin/cliffbench")
    if sys.version_info < REPORT_PYTHON:
        return stop(2, "report needs Python {}.{} or later, and this is {}.{}".format(*REPORT_PYTHON, *sys.version_info[:2]))
    if not all(importlib.util.find_spec(name) for name in REPORT_NEEDS):
        return stop(2, "report needs more Python packages; install jinja2 and matplotlib, or the wheel with [report]")
    return give_way(sys.executable, HERE / "scripts/report.py", *sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
