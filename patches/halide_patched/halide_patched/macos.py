"""The patches for the libHalide of this process, on macOS: those of the package, where they load into it, else built once by
build-patches. Written without a Mac."""

import ctypes
import pathlib
import subprocess
import zlib
from importlib.metadata import PackageNotFoundError, version

from halide_patched.attach import file_of

HERE = pathlib.Path(__file__).parent
IN_HALIDE = "_ZN6Halide15get_host_targetEv"  # a name that libHalide has in every version, with every C++ library


def halide_of(path):
    """The file of the Halide that a library is linked to, which may be the library itself; None where it does not load, or
    is linked to none."""
    try:
        address = ctypes.addressof(ctypes.c_char.in_dll(ctypes.PyDLL(str(path)), IN_HALIDE))
    except (OSError, ValueError):
        return None
    return pathlib.Path(file_of(address))


def shipped():
    try:
        return HERE / f"halide-patches/{version('halide')}.dylib"
    except PackageNotFoundError:
        return HERE / "halide-patches/none.dylib"


def patches(library, build):
    """(path, ""), or (None, why)"""
    path = shipped()
    if joins(path, library):
        return path, ""
    path, why = built(library, build)
    if path and joins(path, library):
        return path, ""
    return None, why or f"the patches in {path} do not load into {library}"


def joins(path, library):
    halide = halide_of(path)
    return halide is not None and halide.resolve() == library.resolve()


def built(library, build):
    """(path, ""), or (None, why)"""
    scripts = (HERE / "halide-patches/build-patches", HERE.parent / "build-patches")  # a wheel's, a checkout's
    script = next((path for path in scripts if path.exists()), scripts[0])
    contents = f"{zlib.crc32(library.read_bytes()):08x}"  # in place of a build ID
    try:
        done = subprocess.run(["sh", script, library, contents, *["--look"] * (not build)],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError as error:
        return None, f"no patches can be built: sh: {error.strerror}"
    words = done.stdout.strip()
    return (pathlib.Path(words), "") if done.returncode == 0 else (None, words or f"{script} ended without a message")
