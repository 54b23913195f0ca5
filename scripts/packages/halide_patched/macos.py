"""The patches for the Halide of a folder, on macOS: those of the package, where they load, else built once with the C++
compiler. Written without a Mac."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import tempfile
import zlib

HERE = pathlib.Path(__file__).parent
SOURCES = next((folder for folder in (HERE / "halide-patches/source", HERE.parents[2]) if (folder / "patches/halide").is_dir()), HERE)


def loads(path):
    try:
        ctypes.PyDLL(str(path))
    except OSError:
        return False
    return True


def shipped():
    from importlib.metadata import PackageNotFoundError, version
    try:
        return HERE / f"halide-patches/{version('halide')}.dylib"
    except PackageNotFoundError:
        return HERE / "halide-patches/none.dylib"


def patches(halide, say):
    """The path of the patches for the Halide in this folder; None, after a sentence, when there are none."""
    path = shipped()
    if path.exists() and loads(path):
        return path
    library = next((found for found in (halide / "lib/libHalide.dylib", halide / "lib64/libHalide.dylib") if found.exists()), None)
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if not library or not (halide / "include/Halide.h").exists() and not (halide.parent.parent / "include/Halide.h").exists():
        return say(f"the library or the headers of the Halide in {halide} are not there; the pages are made unpatched")
    if not compiler:
        return say(f"no patches were built for {library}, and there is no C++ compiler to build them; the pages are made unpatched")
    return built(library.resolve(), halide, compiler, say)


def built(library, halide, compiler, say):
    include = halide / "include" if (halide / "include").is_dir() else halide.parent.parent / "include"
    sources = sorted(SOURCES.glob("patches/halide/**/*.[hcd]*"))
    edition = zlib.crc32(b"".join(path.read_bytes() for path in sources) + library.read_bytes())
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / "Library/Caches") / "halide-patched"
    path = cache / f"{edition:08x}.dylib"
    if path.exists():
        return path
    say(f"building the patches for {library}, once, into {path}")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        made = pathlib.Path(scratch) / path.name
        done = subprocess.run([compiler, "-std=c++20", "-O2", "-DNDEBUG", "-fvisibility=hidden", "-dynamiclib", "-I", SOURCES,
                               "-isystem", include, SOURCES / "patches/halide/preload/patched_compile.cpp", library,
                               f"-Wl,-rpath,{library.parent}", "-o", made], capture_output=True, text=True)
        if done.returncode or not loads(made):
            return say(f"the patches cannot be built for {library}: {done.stderr.strip()[:300]}; the pages are made unpatched")
        made.replace(path)
    return path
