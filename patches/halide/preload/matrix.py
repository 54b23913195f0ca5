"""Plain and patched runs of the generators with every pair of outputs by every kind of target, on each Halide, and of
other people's commands: make launcher-matrix, or

    scripts/python patches/halide/preload/matrix.py [--at-most N] [COMMAND...]

A COMMAND is run by a shell, plain and patched, each in an empty folder of its own ({halide} in it: the folder of a
Halide): a tutorial, a test, a generator. Ends with 1 when any pair differs; names each that does."""

import argparse
import itertools
import os
import pathlib
import random
import sys
import tempfile

from comparison import BUILD, HALIDES, Pair, environment

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


def pairs():
    """(name, command, Halide) of every combination; the generators take turns."""
    turn = itertools.cycle(GENERATORS)
    for halide, page, others, target in itertools.product(HALIDES, PAGES, OTHERS, TARGETS):
        if "," in target and not {"object", "static_library"} & set(others.split(",")):
            others = f"static_library,{others}".rstrip(",")
        generator, outputs = next(turn), f"{page},{others}".rstrip(",")
        program = BUILD / f"comparison_generators-{halide.name.removeprefix('halide-')}"
        command = [program, "-g", generator, "-f", "fn", "-e", outputs, "-o", ".", f"target={target}"]
        yield f"{halide.name} {generator} {outputs} {target}", command, halide


def given(commands):
    for command, halide in itertools.product(commands, HALIDES):
        yield f"{halide.name} {command}", ["sh", "-c", command.replace("{halide}", str(halide))], halide


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-most", type=int, default=None, metavar="N", help="so many pairs, drawn at random")
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help="run these instead of the generators")
    options = parser.parse_args()
    wanted = list(given(options.commands) if options.commands else pairs())
    random.Random(1).shuffle(wanted)
    wanted = wanted[:options.at_most]
    different = failed = 0
    for number, (name, command, halide) in enumerate(wanted, 1):
        with tempfile.TemporaryDirectory() as folder:
            pair = Pair(pathlib.Path(folder), command, environment(halide, LD_LIBRARY_PATH=f"{halide}/lib" if options.commands else os.environ.get("LD_LIBRARY_PATH", "")))
            found = pair.differences()
        different += bool(found)
        failed += pair.done["plain"].returncode != 0
        if found:
            print(f"differs: {name}: {'; '.join(found)}", flush=True)
        if number % 50 == 0 or number == len(wanted):
            print(f"{number} of {len(wanted)} pairs: {different} differ, {failed} end with an error in both", flush=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
