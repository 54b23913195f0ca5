"""halide-patched PROGRAM...              a program of any kind, with the patches
python -m halide_patched x.py...       the same for this Python, as python x.py (or -m MODULE, or -c CODE)"""

import os
import pathlib
import sys

LAUNCHER = pathlib.Path(__file__).parent / "halide-patched"


def own_options(words: list) -> int:
    """How many of the words are the launcher's."""
    count = 0
    while count < len(words) and (words[count] in ("-v", "--patches", "--help", "-h") or words[count].startswith("--patches=")):
        count += 2 if words[count] == "--patches" else 1
    return min(count, len(words))


def launch(words: list):
    """Never comes back."""
    if sys.platform != "linux":
        print("halide-patched: it starts programs on Linux only; here write `import halide_patched` into the program", file=sys.stderr)
        sys.exit(2)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(LAUNCHER, ["halide-patched", *words])
    except OSError as error:
        print(f"halide-patched: cannot run {LAUNCHER}: {error.strerror}; install the package again", file=sys.stderr)
        sys.exit(126)


def main():
    words = sys.argv[1:]
    own = own_options(words)
    if words[own:own + 1] == ["--check"]:
        from halide_patched import check
        sys.exit(check.main())
    if words[own:own + 1] == ["--version"]:
        from importlib.metadata import version
        print(version("halide-patched"))
        return
    as_module = pathlib.Path(sys.argv[0]).name == "__main__.py"
    if as_module and words[own:] and words[own] != "--":
        words[own:own] = ["--", sys.executable]
    launch(words)


if __name__ == "__main__":
    main()
