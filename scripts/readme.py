"""Runs the commands of README and docs/ one after another, from top to bottom, and says what became of each.

    scripts/python scripts/readme.py [WORD...]     only commands that contain one of these words

For a release, in a fresh clone. Names that stand for something of the reader's are replaced; what takes hours, another system
or a machine of its own is left out, and the reason is printed. Exit: 0 all did what the pages say, 13 one did not.
"""

import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "patches/halide_patched/README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]
COMMAND = r"(?:HALIDE_ROOT=\S+ )?(?:make|cmake|build/[^\s`]*|scripts/[^\s`]*)(?= )[^`]*"
LEFT_OUT = {"PROFILE=full": "hours", "--profile full": "hours", "FORM=full": "a day", "make tidy": "an hour", "make sanitize": "an hour",
            "HALIDE_ROOT=": "a Halide of the reader's", "make test-all": "a browser",
            "--budget 8h": "hours", "make cross-macos": "half a gigabyte of packages", "make test-arm": "packages for arm64",
            "/shared/run": "a cluster", "--out more": "cells of the reader's", "merge FOLDER more": "cells of the reader's",
            "--shard": "a plan of hours", "merge rows": "a plan of hours", "merge A B": "a run of hours", "judge C": "a run of hours",
            "RUN=C": "a run of hours", "--resume A": "a run of hours", "judge copy": "of a published run",
            "RUN=copy": "of a published run", "/NAME": "a run of the reader's",
            "scripts/new-case": "writes into the tree; new_case_test.py runs it", "make format": "writes into the tree",
            "--record": "writes into the tree", "make readme": "this", "make release": "tags a version"}
# Stand-ins for the names that a reader fills in.
INSTEAD = {"old/my_benchmark": "build/cases/string_building", "new/my_benchmark": "build/cases/string_building",
           "--budget 10m": "--budget 20s", "python my_llama.py": "true", "PREFIX": "build/prefix", "KERNEL": "freivalds",
           "BASE=v1": "BASE=HEAD~1", "SECONDS=300": "SECONDS=2", "FOLDER": "results/local/latest",
           "results/local/...": "results/local/latest"}
# Codes that are an answer: a claim is not as expected, a control moved, a benchmark is inconclusive; make has one for all.
ANSWERS = {"make verify": (0, 2), "judge": (0, 11, 14), "gate": (0, 2, 10, 12, 14), "make publish": (0, 2)}


def commands():
    found = []
    for line in [line for page in PAGES for line in page.read_text().splitlines()]:
        block = re.fullmatch(rf" {{4,}}({COMMAND})", line)
        for command in [block[1]] if block else re.findall(rf"`({COMMAND})`", line):
            command = re.sub(r"\s+#.*", "", command).replace(r"\|", "|").strip()
            if command not in found:
                found.append(command)
    return found


def left_out(command):
    return next((why for what, why in LEFT_OUT.items() if what in command), "")


def filled(command):
    for what, instead in INSTEAD.items():
        command = command.replace(what, instead)
    return command


def main() -> int:
    code = 0
    for command in commands():
        if sys.argv[1:] and not any(word in command for word in sys.argv[1:]):
            continue
        reason = left_out(command)
        if reason:
            print(f"left out  {command}   ({reason})", flush=True)
            continue
        run = filled(command)
        start = time.monotonic()
        result = subprocess.run(run, shell=True, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        good = next((codes for what, codes in ANSWERS.items() if what in command), (0,))
        told = "as said  " if result.returncode in good else "NOT SO   "
        print(f"{told} {command}   ({time.monotonic() - start:.0f} s, code {result.returncode})", flush=True)
        if result.returncode not in good:
            code = 13
            print("".join(f"            {line}\n" for line in result.stdout.splitlines()[-12:]), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
