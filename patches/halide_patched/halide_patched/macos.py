"""The patches for the libHalide of this process, on macOS: those of the package, where they load into it, else built once by
build-patches. Written without a Mac."""

import ctypes
import os
import pathlib
import subprocess
import zlib
from importlib.metadata import PackageNotFoundError, version

HERE = pathlib.Path(__file__).parent
IN_HALIDE = "_ZN6Halide15get_host_targetEv"  # a name that libHalide has in every version, with every C++ library


class Symbol(ctypes.Structure):
    """Dl_info of <dlfcn.h>."""
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def halide_of(path):
    """The file of the Halide that a library is linked to, which may be the library itself; None where it does not load, or
    is linked to none."""
    try:
        address = ctypes.addressof(ctypes.c_char.in_dll(ctypes.PyDLL(str(path)), IN_HALIDE))
    except (OSError, ValueError):
        return None
    found = Symbol()
    ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(found))
    return pathlib.Path(os.fsdecode(found.file))


def shipped():
    try:
        return HERE / f"halide-patches/{version('halide')}.dylib"
    except PackageNotFoundError:
        return HERE / "halide-patches/none.dylib"


def patches(library, say):
    """The path of the patches for this libHalide; None, after a sentence, when there are none."""
    path = shipped()
    if joins(path, library):
        return path
    path, why = built(library)
    if path and joins(path, library):
        return path
    return say((why or f"the patches in {path} do not load into {library}") + "; the pages are made unpatched")


def joins(path, library):
    halide = halide_of(path)
    return halide is not None and halide.resolve() == library.resolve()


def built(library):
    """(path, None), or (None, why)"""
    scripts = (HERE / "halide-patches/build-patches", HERE / "../../../patches/halide/preload/build-patches")  # a wheel's, a checkout's
    script = next((path for path in scripts if path.exists()), scripts[0])
    contents = f"{zlib.crc32(library.read_bytes()):08x}"  # in place of a build ID
    try:
        done = subprocess.run(["sh", script, library, contents], stdout=subprocess.PIPE, text=True)
    except OSError as error:
        return None, f"no patches can be built: sh: {error.strerror}"
    words = done.stdout.strip()
    return (pathlib.Path(words), None) if done.returncode == 0 else (None, words or f"{script} ended without a word")
