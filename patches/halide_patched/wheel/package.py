"""The package `halide-patched`, for Linux on x86-64 and arm64: what is imported, the launcher, the library that both use, the
patches for the Halides of the registry and of Debian 13, and their sources, for other Halides; nothing newer than what these
Halides need themselves (a test reads it). And for macOS on arm64: what is imported, with macos_patches.py's."""

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

TAG = "py3-none-manylinux_2_28_"
COMPILERS = {"x86_64": os.environ.get("CXX", "g++"), "aarch64": "aarch64-linux-gnu-g++"}
DEBIAN = {"x86_64": ROOT / ".deps/debian13-amd64/usr", "aarch64": ROOT / ".deps/debian13-arm64/usr"}
PRODUCT = ROOT / "patches/halide_patched"
FIELDS = (
    "Summary: Halide's (conceptual) stmt HTML pages in the time of the pipeline's code, not of its embedded data",
    "Author: The cliffbench authors",
    "Requires-Python: >=3.8",
    "Keywords: halide,performance,compiler",
    "Classifier: Environment :: Console",
    "Classifier: Operating System :: MacOS",
    "Classifier: Operating System :: POSIX :: Linux",
    "Classifier: Topic :: Software Development :: Compilers",
    "Project-URL: Issue, https://github.com/halide/Halide/issues/8717",
)
OF_PRELOADED = {"libc.so.6", "libdl.so.2", "libpthread.so.0"}  # what musl, too, has under these names
OLDEST = {"GLIBC": (2, 17)}
OF_DEBIAN = {"GLIBC": (2, 41), "GLIBCXX": (3, 4, 33), "CXXABI": (1, 3, 15), "GCC": (14, 0, 0)}  # 13's
COMPILE = ["-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", f"-ffile-prefix-map={ROOT}=.", "-I", str(ROOT)]
STRIPPED = ["-s", "-Wl,--build-id=none"]  # a build id would only make bytes depend on more


def library(path: pathlib.Path, source: str, exported: str, linked: list, options: list = (), processor: str = "x86_64"):
    """One shared library by the system's C++ compiler, whose standard library is Halide's. All but what is exported stays
    inside: names of libstdc++.a would else come before those of the program's own."""
    compiler = COMPILERS[processor]
    names = path.with_suffix(".map")
    names.write_text(f"{{ global: {exported}; local: *; }};\n")
    subprocess.run([compiler, *COMPILE, *options, "-shared", PRODUCT / source, "-o", path, *STRIPPED, "-Wl,--as-needed",
                    "-Wl,-z,defs", f"-Wl,--version-script={names}", *linked], check=True)


def on_old_systems(folder: pathlib.Path) -> list:
    return ["-nodefaultlibs", *old_libraries.stand_ins(folder / "stand-ins", COMPILERS["x86_64"])]


def halides() -> dict:
    return {folder.name.removeprefix("halide-"): folder for folder in sorted((ROOT / ".deps").glob("halide-*"))}


def zig(*words):
    subprocess.run([ROOT / "scripts/setup/cross/zig-c++", *words], check=True)


def launcher(path: pathlib.Path, processor: str):
    """Meets no library of the program's, so Zig's own C++ library is inside."""
    headers = path.parent / "headers"
    headers.mkdir()
    (headers / "CLI").symlink_to("/usr/include/CLI")
    zig("-target", f"{processor}-linux-gnu.2.28", *COMPILE, "-isystem", headers, PRODUCT / "halide_patched.cpp", "-o", path, *STRIPPED)


def preload(path: pathlib.Path, processor: str):
    """Comes into every program that a patched one starts, old ones and those of other C libraries too."""
    target, compiled = ("-target", f"{processor}-linux-gnu.2.17"), path.with_suffix(".o")
    zig(*target, *COMPILE, *(PRODUCT / "preload.options").read_text().split(), "-c", PRODUCT / "preload.cpp", "-o", compiled)
    zig(*target, "-shared", "-nostdlib++", compiled, "-o", path, *STRIPPED)


def sources() -> dict:
    """build-patches and the files that it compiles, by their names in the repository."""
    names = ["harness/suite/case/patch.hpp", "patches/halide/patches.def", "patches/halide_patched/patched_compile.cpp"]
    headers = [*(ROOT / "patches/halide").rglob("*.hpp"), *PRODUCT.glob("*.hpp")]
    names += [str(path.relative_to(ROOT)) for path in headers]
    return {f"source/{name}": File((ROOT / name).read_bytes()) for name in names} | {
        "build-patches": File((PRODUCT / "build-patches").read_bytes(), executable=True)}


def libraries(folder: pathlib.Path, processor: str) -> dict:
    """halide-patches/, as the launcher expects it beside itself."""
    preload(folder / "preload.so", processor)
    for name, halide in halides().items() if processor == "x86_64" else ():
        library(folder / f"{name}.so", "patched_compile.cpp", "halide_patched_*", [halide / "lib/libHalide.so", *on_old_systems(folder)],
                ["-isystem", halide / "include"])
    # The same code, but the patches ask for libHalide by its soname, which is another one here.
    for found in DEBIAN[processor].glob("lib/*/libHalide19.so.0"):
        library(folder / "19.0.0-debian.so", "patched_compile.cpp", "halide_patched_*", [found],
                ["-isystem", DEBIAN[processor] / "include/halide19"], processor)
    return {path.name: File(path.read_bytes(), executable=True) for path in folder.glob("*.so")} | {
        "builds.txt": File((PRODUCT / "wheel/builds.txt").read_bytes())} | sources()


def check(folder: pathlib.Path):
    """Checks all that is compiled against the promises of the wheel's tag."""
    allowed = program.LIBRARIES | {"libstdc++.so.6", "libgcc_s.so.1", "libHalide.so"}
    check_elf(folder / "preload.so", OF_PRELOADED, OLDEST)
    for path in [folder / "halide-patched", *folder.glob("*.so")]:
        if path.stem.endswith("debian"):
            check_elf(path, allowed | {"libHalide19.so.0"}, OF_DEBIAN)
        else:
            check_elf(path, allowed, old_libraries.NEWEST)
        check_no_paths(path.name, path.read_bytes())


def build(dist: pathlib.Path) -> Iterator[pathlib.Path]:
    for processor in COMPILERS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            launcher(folder / "halide-patched", processor)
            files = {f"halide_patched/halide-patches/{name}": file for name, file in libraries(folder, processor).items()}
            files["halide_patched/halide-patched"] = File((folder / "halide-patched").read_bytes(), executable=True)
            check(folder)
        yield write_wheel(dist, wheel(TAG + processor, files, ("CLI11", "libc++", "libc++abi", "libunwind", "zig"),
                                      {"halide-patched": "halide_patched.__main__:main"}))
    mac = macos_patches.files() | sources()
    yield write_wheel(dist, wheel(macos_patches.TAG, {f"halide_patched/halide-patches/{name}": file for name, file in mac.items()}, (), {}))


def wheel(tag: str, files: dict, linked_in: tuple, commands: dict) -> Wheel:
    licence = "MIT AND BSD-3-Clause AND Apache-2.0 WITH LLVM-exception" if linked_in else "MIT"
    return Wheel(name="halide-patched", tag=tag, fields=(*FIELDS, f"License-Expression: {licence}"),
                 description=(PRODUCT / "README.md").read_text(), files=files | tree(PRODUCT / "halide_patched", "halide_patched"),
                 licences=program.licences(linked_in), commands=commands)
