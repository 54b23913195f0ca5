"""Plain and patched runs of generators with every pair of outputs by every kind of target, on each Halide, and of other
people's commands: make launcher-matrix, or

    scripts/setup/python patches/halide_patched/tests/matrix.py [--at-most N] [--jobs N] [COMMAND...]

The same is asked for in three ways: of generators in C++, by the launcher; in Python, by the import; of two libHalides in
one process, by the launcher. A COMMAND is run by a shell, plain and patched, each in an empty folder of its own ({halide} in
it: the folder of a Halide): a tutorial, a test, a generator. What is known of a pair stays in build/launcher-matrix.jsonl, so
the next call goes on, as long as the launcher, the patches and the program are the same. Ends with 1 when any pair differs;
names each that does."""

import argparse
import concurrent.futures
import functools
import hashlib
import itertools
import json
import os
import pathlib
import random
import sys
import tempfile

from comparison import (
    BUILD,
    HALIDES,
    IMPORT,
    IMPORTED,
    PIPELINES,
    PYTHON,
    ROOT,
    Pair,
    environment,
    folder_of_two,
    lay_out,
)

KNOWN = BUILD / "launcher-matrix.jsonl"

PAGES = ("stmt_html", "conceptual_stmt_html", "stmt_html,conceptual_stmt_html")
CODE = ("assembly", "bitcode", "llvm_assembly", "object", "static_library")
OTHERS = ("", *CODE, "c_header", "c_source", "cpp_stub", "device_code", "featurization", "function_info_header", "hlpipe",
          "python_extension", "pytorch_wrapper", "registration", "schedule", "stmt", "conceptual_stmt",
          "static_library,c_header,registration", "object,c_header,stmt,schedule", "static_library,c_header,c_source,registration,stmt,"
          "assembly,bitcode,llvm_assembly,function_info_header,pytorch_wrapper,python_extension")
TARGETS = ("host", "x86-64-linux-sse41", "arm-64-osx", "arm-32-android", "wasm-32-wasmrt", "x86-64-windows-no_runtime",
           "x86-64-linux-no_bounds_query-no_asserts", "x86-64-linux-cuda", "x86-64-linux-avx2-fma,x86-64-linux",
           "x86-64-linux-avx-avx2-f16c-fma-sse41,x86-64-linux-sse41,x86-64-linux")
GENERATORS = ("smooth", "pyramid", "layer")
PROGRAM = IMPORT + PIPELINES + """
make = {"smooth": blur, "pyramid": lambda: layer(768, 512), "layer": layer}[sys.argv[1]]
compile_to(make(), {getattr(T, name): "fn." + name for name in sys.argv[2].split(",") if hasattr(T, name)}, hl.Target(sys.argv[3]))
"""


def combinations():
    """(Halide, generator, outputs, target) of each; the generators take turns."""
    turn = itertools.cycle(GENERATORS)
    for halide, page, others, target in itertools.product(HALIDES, PAGES, OTHERS, TARGETS):
        if "," in target and not {"object", "static_library"} & set(others.split(",")):
            others = f"static_library,{others}".rstrip(",")
        yield halide, next(turn), f"{page},{others}".rstrip(","), target


def launched():
    """Pairs (name, command, Halide, more variables, launcher) of every combination, by the generators in C++."""
    for halide, generator, outputs, target in combinations():
        program = BUILD / f"comparison_generators-{halide.name.removeprefix('halide-')}"
        command = [program, "-g", generator, "-f", "fn", "-e", outputs, "-o", ".", f"target={target}"]
        yield f"{halide.name} {generator} {outputs} {target}", command, halide, {}, None


def in_python(site):
    for halide, generator, outputs, target in combinations():
        target = target.partition(",")[0]
        yield (f"import {halide.name} {generator} {outputs} {target}", [PYTHON, "-c", PROGRAM, generator, outputs, target], halide,
               {"PYTHONPATH": f"{site}:{halide}/python"}, IMPORTED)


def of_two(folder):
    folders = {halide: folder_of_two(folder / halide.name, halide, ["own", "other"]) for halide in HALIDES}
    for turn, (halide, _, outputs, target) in enumerate(combinations()):
        how, target, place = ("local", "global")[turn % 2], target.partition(",")[0], folders[halide]
        yield (f"two {how} {halide.name} {outputs} {target}",
               [BUILD / "comparison_host", how, f"{target} {outputs}", place / "own.so", place / "other.so"], halide,
               {"LD_LIBRARY_PATH": str(place)}, None)


def given(commands):
    for command, halide in itertools.product(commands, HALIDES):
        yield (f"{halide.name} {command}", ["sh", "-c", command.replace("{halide}", str(halide))], halide,
               {"LD_LIBRARY_PATH": f"{halide}/lib"}, None)


@functools.cache
def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def compared(name, command):
    """A digest of all that a result depends on: its name, and the bytes of all that runs."""
    programs = [BUILD / "halide-patched", *sorted((BUILD / "halide-patches").glob("*.so")), *BUILD.glob("comparison_plugin*"),
                *sorted((ROOT / "patches/halide_patched/halide_patched").glob("*.py")), pathlib.Path(command[0])]
    return hashlib.sha256(" ".join([name, *(digest(path) for path in programs if path.is_file())]).encode()).hexdigest()


def known():
    lines = KNOWN.read_text().splitlines() if KNOWN.exists() else []
    return {line["of"]: line for line in map(json.loads, filter(lambda line: line.endswith("}"), lines))}


def compare(pair):
    """One line of KNOWN."""
    name, command, halide, variables, launcher = pair
    with tempfile.TemporaryDirectory() as folder:
        done = Pair(pathlib.Path(folder), command, environment(halide, **variables), launcher, timeout=3600)
        return {"of": compared(name, command), "name": name, "differs": done.differences(),
                "failed": done.done["plain"].returncode != 0}


class Told:
    """Prints the results of the pairs as they become known."""

    def __init__(self, wanted):
        self.wanted, self.lines = wanted, []

    def add(self, line):
        self.lines.append(line)
        if line["differs"]:
            print(f"differs: {line['name']}: {'; '.join(line['differs'])}", flush=True)
        if len(self.lines) % 50 == 0 or len(self.lines) == self.wanted:
            failed = sum(line["failed"] for line in self.lines)
            print(f"{len(self.lines)} of {self.wanted} pairs: {self.different} differ, {failed} end with an error in both", flush=True)

    @property
    def different(self):
        return sum(bool(line["differs"]) for line in self.lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-most", type=int, default=None, metavar="N", help="so many pairs, drawn at random")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="pairs at once (default: %(default)s)")
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help="run these instead of the generators")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for halide in HALIDES:
            (folder / halide.name).mkdir()
        site = lay_out(folder / "site")
        wanted = list(given(options.commands) if options.commands else [*launched(), *in_python(site), *of_two(folder)])
        random.Random(1).shuffle(wanted)
        return compare_all(wanted[:options.at_most], options.jobs)


def compare_all(wanted, jobs):
    before, told = known(), Told(len(wanted))
    for name, command, *_ in wanted:
        if (line := before.get(compared(name, command))):
            told.add(line)
    with KNOWN.open("a") as log, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        left = [pool.submit(compare, pair) for pair in wanted if compared(*pair[:2]) not in before]
        print(f"{len(told.lines)} of {len(wanted)} pairs are known from before", flush=True)
        for line in map(concurrent.futures.Future.result, concurrent.futures.as_completed(left)):
            print(json.dumps(line), file=log, flush=True)
            told.add(line)
    return 1 if told.different else 0


if __name__ == "__main__":
    sys.exit(main())
