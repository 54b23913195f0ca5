"""The package `halide-patched`, for Linux on x86-64: what is imported, the launcher, the library that both use, the patches for
the Halides of the registry, and their sources, for other Halides; nothing newer than manylinux_2_28 has (a test reads it). And
for macOS on arm64: what is imported, with patches.py's."""

import os
import pathlib
import subprocess
import tempfile
from collections.abc import Iterator

import macos_patches
import old_libraries
import program
from assemble import ROOT, File, Wheel, tree, write_wheel
from linked import check_elf, check_no_paths

TAG = "py3-none-manylinux_2_28_x86_64"
PRELOAD = ROOT / "patches/halide/preload"
HERE = pathlib.Path(__file__).parent
FIELDS = (
    "Summary: Halide's (conceptual) stmt HTML pages in the time of the pipeline's code, not of its embedded data",
    "Author: The cliffbench authors",
    "License-Expression: MIT AND BSD-3-Clause AND Apache-2.0 WITH LLVM-exception",
    "Requires-Python: >=3.8",
    "Keywords: halide,performance,compiler",
    "Classifier: Environment :: Console",
    "Classifier: Operating System :: MacOS",
    "Classifier: Operating System :: POSIX :: Linux",
    "Classifier: Topic :: Software Development :: Compilers",
    "Project-URL: Issue, https://github.com/halide/Halide/issues/8717",
)
PRELOADED = "_ZN6Halide*; _ZNK6Halide*; unlink; halide_patched_*"  # what preload.so puts before libHalide's own
COMPILE = ["-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", f"-ffile-prefix-map={ROOT}=.", "-I", str(ROOT)]


def library(path: pathlib.Path, source: str, exported: str, linked: list, options: list = ()):
    """One shared library by the system's C++ compiler, whose standard library is Halide's. All but what is exported stays
    inside: names of libstdc++.a would else come before those of the program's own."""
    compiler = os.environ.get("CXX", "g++")
    names = path.with_suffix(".map")
    names.write_text(f"{{ global: {exported}; local: *; }};\n")
    # Link-time optimisation and build ids would only make bytes depend on more.
    subprocess.run([compiler, *COMPILE, *options, "-shared", "-nodefaultlibs", PRELOAD / source, "-o", path, "-s", "-Wl,--as-needed",
                    "-Wl,-z,defs", "-Wl,--build-id=none", f"-Wl,--version-script={names}", *linked,
                    *old_libraries.stand_ins(path.parent / "stand-ins", compiler)], check=True)


def halides() -> dict:
    return {folder.name.removeprefix("halide-"): folder for folder in sorted((ROOT / ".deps").glob("halide-*"))}


def launcher(path: pathlib.Path):
    """Meets no library of the program's, so Zig's own C++ library is inside."""
    headers = path.parent / "headers"
    headers.mkdir()
    (headers / "CLI").symlink_to("/usr/include/CLI")
    subprocess.run([ROOT / "scripts/cross/zig-c++", "-target", "x86_64-linux-gnu.2.28", *COMPILE, "-isystem", headers,
                    PRELOAD / "halide_patched.cpp", "-o", path, "-s", "-Wl,--build-id=none"], check=True)


def sources() -> dict:
    """The files that build-patches compiles, by their names in the repository."""
    names = ["harness/case/patch.hpp", "patches/halide/patches.def", "patches/halide/preload/patched_compile.cpp"]
    names += [str(path.relative_to(ROOT)) for path in (ROOT / "patches/halide").rglob("*.hpp")]
    return {f"source/{name}": File((ROOT / name).read_bytes()) for name in names}


def libraries(folder: pathlib.Path) -> dict:
    """halide-patches/, as the launcher expects it beside itself."""
    library(folder / "preload.so", "preload.cpp", PRELOADED, [])
    for name, halide in halides().items():
        library(folder / f"{name}.so", "patched_compile.cpp", "halide_patched_*", [halide / "lib/libHalide.so"],
                ["-isystem", halide / "include"])
    return {path.name: File(path.read_bytes(), executable=True) for path in folder.glob("*.so")} | {
        "builds.txt": File((HERE / "builds.txt").read_bytes()),
        "build-patches": File((PRELOAD / "build-patches").read_bytes(), executable=True)} | sources()


def check(folder: pathlib.Path):
    """Checks all that is compiled against the promises of the wheel's tag."""
    allowed = program.LIBRARIES | {"libstdc++.so.6", "libgcc_s.so.1", "libHalide.so"}
    for path in [folder / "halide-patched", *folder.glob("*.so")]:
        check_elf(path, allowed, old_libraries.NEWEST)
        check_no_paths(path.name, path.read_bytes())


def build(dist: pathlib.Path) -> Iterator[pathlib.Path]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        launcher(folder / "halide-patched")
        files = {f"halide_patched/halide-patches/{name}": file for name, file in libraries(folder).items()}
        files["halide_patched/halide-patched"] = File((folder / "halide-patched").read_bytes(), executable=True)
        check(folder)
    yield write_wheel(dist, wheel(TAG, files, ("CLI11", "libc++", "libc++abi", "libunwind", "zig"),
                                  {"halide-patched": "halide_patched.__main__:main"}))
    mac = macos_patches.files() | sources()
    yield write_wheel(dist, wheel(macos_patches.TAG, {f"halide_patched/halide-patches/{name}": file for name, file in mac.items()}, (), {}))


def wheel(tag: str, files: dict, linked_in: tuple, commands: dict) -> Wheel:
    return Wheel(name="halide-patched", tag=tag, fields=FIELDS, description=(ROOT / "docs/halide-patched.md").read_text(),
                 files=files | tree(HERE / "halide_patched", "halide_patched"), licences=program.licences(linked_in),
                 commands=commands)
