"""Attacks cliffbench with damaged records, wrong words, hostile programs and texts, bad disks and signals, and counts what it
got wrong.

    python3 scripts/attack [--build build] [--part 10] [--seed 1] [--group records] [--only TEXT] [--list]

Each group is a table; every attempt has a folder of its own. An attempt is bad on: exit 0 for a wrong or undecidable answer,
a signal, somebody else's words, a changed file that is not ours, more than 10 s of processor time or 2 GB. As root it goes on
as an ordinary user, because as root an attempt could destroy the machine's devices.
Exit: 0 none is bad, 1 some are, 2 usage.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GROUPS = ("records", "words", "programs", "disks", "stops", "pages", "text", "setup")


def copied(folder, build):
    """What an attempt needs, where anybody may read it; the options that name it."""
    for name in ("scripts", "harness", ".deps/venv/lib"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("*.[ch]pp", "__pycache__"))
    (folder / "build").mkdir()
    shutil.copy(build / "cliffbench", folder / "build")
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
    return ["--build", str(folder / "build")]


def as_ordinary_user(words, build):
    """Starts this again as nobody, with a Python that nobody may run; from a copy where the checkout is root's alone."""
    os.umask(0o022)
    drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]

    def can(*command):
        # By a shell: what setpriv starts itself is started with root's rights.
        return subprocess.run([*drop, "sh", "-c", '"$@"', "sh", *command], capture_output=True, cwd="/").returncode == 0

    for python in (sys.executable, shutil.which("python3", path="/usr/bin:/bin")):
        if not python or not can(python, "-c", "import json, resource"):
            continue
        with tempfile.TemporaryDirectory(prefix="attack.") as name:
            root = pathlib.Path(name)
            root.chmod(0o755)
            if all(can("test", "-r", str(path)) for path in (ROOT / "scripts/attack/__main__.py", build / "cliffbench")):
                root = ROOT
            else:
                words = words + copied(root, build)
            environment = {**os.environ, "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
            return subprocess.run([*drop, python, str(root / "scripts/attack"), *words], env=environment, cwd=root).returncode
    raise SystemExit("attack: as root it needs setpriv and a python3 that an ordinary user may run")


def chosen(options, material):
    import importlib
    for group in GROUPS:
        if options.group and group not in options.group:
            continue
        every = list(importlib.import_module(group).attempts(material, options.seed))
        every = [attempt for attempt in every if options.only in attempt.name]
        if options.part > 1:
            every = random.Random(f"{options.seed} {group}").sample(every, max(1, len(every) // options.part))
        yield from every


def main(words):
    parser = argparse.ArgumentParser(prog="attack", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="folder of the program (build)")
    parser.add_argument("--part", type=int, default=1, metavar="N", help="one attempt of N, drawn by the seed (all)")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--group", action="append", choices=GROUPS)
    parser.add_argument("--only", default="", metavar="TEXT", help="attempts whose name has this text")
    parser.add_argument("--list", action="store_true", help="name the attempts, start none")
    options = parser.parse_args(words)
    if os.geteuid() == 0:
        return as_ordinary_user(words, options.build.absolute())
    import attempt
    import material as made
    with tempfile.TemporaryDirectory(prefix="attack.", ignore_cleanup_errors=True) as folder:
        material = made.make((options.build / "cliffbench").absolute(), pathlib.Path(folder))
        every = list(chosen(options, material))
        if options.list:
            print("\n".join(f"{one.group}: {one.name!r}" for one in every))
            return 0
        bad = collections.defaultdict(list)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for one, faults in zip(every, pool.map(lambda one: attempt.perform(one, material.program), every)):
                if faults:
                    bad[one.group].append(one)
                    print(f"bad: {one.group}: {one.name!r}: {'; '.join(faults)}"[:600], flush=True)
    print("\n| group | attempts | bad |\n|---|---|---|")
    counts = collections.Counter(one.group for one in every)
    for group, count in counts.items():
        print(f"| {group} | {count} | {len(bad[group])} |")
    failed = sum(map(len, bad.values()))
    print(f"\n{len(every) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
