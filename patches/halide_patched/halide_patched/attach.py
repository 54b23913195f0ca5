"""Puts the patches before the Halide that this process has, or will have, and takes them away again."""

import contextlib
import ctypes
import os
import pathlib
import select
import sys
import threading
from typing import NamedTuple

from halide_patched import methods

EXTENSION = "halide.halide_"
HERE = pathlib.Path(__file__).parent
# Halide::Module::compile, a name that libHalide has in every version.
MODULE_COMPILE = ("_ZNK6Halide6Module7compileERKSt3mapINS_14OutputFileTypeENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
                  "St4lessIS2_ESaISt4pairIKS2_S8_EEE")
changing = threading.RLock()
said = False


class Status(NamedTuple):
    active: bool            # pages are patched
    halide: str | None   # the file of its library; None: not imported
    patches: str | None  # their file
    why: str                # what is not patched, and why; "": everything is


def verbose():
    return "HALIDE_PATCHES_VERBOSE" in os.environ


def say(sentence):
    """One sentence a process on a terminal; every sentence with HALIDE_PATCHES_VERBOSE."""
    global said
    if sys.platform != "darwin":
        with contextlib.suppress(OSError, AttributeError):
            return preloaded().halide_patched_say(sentence.encode())
    with contextlib.suppress(OSError, ValueError):
        if getattr(sys, "__stderr__", None) and (verbose() or (os.isatty(2) and not said)) and select.select([], [2], [], 0)[1]:
            said = True
            os.write(2, f"halide-patched: {sentence}\n".encode())


class Loader:
    """The extension's own loader, and on() behind it."""

    def __init__(self, own):
        self.own = own

    def create_module(self, spec):
        return self.own.create_module(spec)

    def exec_module(self, module):
        self.own.exec_module(module)
        module.__loader__ = module.__spec__.loader = self.own
        stop_waiting()
        attach(module)


class Finder:
    """Waits for `import halide`, whoever finds it."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != EXTENSION:
            return None
        specs = (finder.find_spec(name, path, target) for finder in others() if hasattr(finder, "find_spec"))
        spec = next((spec for spec in specs if spec), None)
        if spec and spec.loader:
            spec.loader = Loader(spec.loader)
        return spec


def others():
    return [finder for finder in sys.meta_path if getattr(finder, "__module__", "") != __name__]


def stop_waiting():
    sys.meta_path[:] = others()


def on():
    """Patches the pages that this process makes from here on."""
    with changing:
        stop_waiting()
        if sys.platform != "darwin":
            with contextlib.suppress(OSError, AttributeError):  # attach() says it
                preloaded()
        if EXTENSION in sys.modules:
            attach(sys.modules[EXTENSION])
        else:
            sys.meta_path.insert(0, Finder)


def off():
    """Halide is as it was."""
    with changing:
        stop_waiting()
        extension = sys.modules.get(EXTENSION)
        if extension and methods.is_on(extension):
            methods.restore(extension)
            if sys.platform != "darwin":
                preloaded().halide_patched_rebind(inside(extension), False)


def status():
    extension = sys.modules.get(EXTENSION)
    if not extension:
        return Status(False, None, None, "halide is not imported yet")
    try:
        library = halide_of(extension)
        if not library:
            return Status(False, extension.__file__, None, f"{extension.__file__} has its Halide inside, and no library of its own")
        if not methods.is_on(extension):
            return Status(False, library, None, "the patches are off; halide_patched.on() puts them on")
        patches, why = patches_of(extension, False)
        return Status(bool(patches), library, patches, why or methods.left_out(extension))
    except (OSError, AttributeError) as error:
        return Status(False, extension.__file__, None, str(error))


def attach(extension):
    try:
        if not halide_of(extension):
            return say(status().why + "; the pages are made unpatched")
        on_a_mac = sys.platform == "darwin"
        methods.replace(extension, lambda: patches_of(extension, True)[0],
                        None if on_a_mac else rebound(preloaded(), inside(extension)), say if on_a_mac else None)
    except (OSError, AttributeError) as error:
        say(f"{error}; the pages are made unpatched")


def halide_of(extension):
    """The file of the extension's libHalide; None when there is no such library."""
    if sys.platform == "darwin":
        from halide_patched import macos
        library = macos.halide_of(extension.__file__)
        return str(library) if library and not library.samefile(extension.__file__) else None
    address = inside(extension)
    return file_of(address) if address else None


def patches_of(extension, build):
    """(path, ""), or (None, why); `build`: they may be built now."""
    if sys.platform == "darwin":
        from halide_patched import macos
        path, why = macos.patches(pathlib.Path(halide_of(extension)), build)
        if build:
            say(f"{halide_of(extension)} runs with the patches in {path}" if path else f"{why}; the pages are made unpatched")
        return path and str(path), why
    why = ctypes.c_char_p()
    path = preloaded().halide_patched_library(inside(extension), build, ctypes.byref(why))
    return (os.fsdecode(path), "") if path else (None, os.fsdecode(why.value))


def inside(extension):
    """An address in the libHalide of the extension; 0 when there is no such library."""
    try:
        return ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(extension.__file__), MODULE_COMPILE))
    except (OSError, ValueError):
        return 0


class Symbol(ctypes.Structure):
    """Dl_info of <dlfcn.h>."""
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def file_of(address):
    """The file of the library around an address."""
    found = Symbol()
    ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(found))
    return os.fsdecode(found.file)


def preloaded():
    """The library that the launcher has preloaded, or would preload; then it only waits to be called."""
    library = ctypes.PyDLL(None)
    if not hasattr(library, "halide_patched_library"):
        library = ctypes.PyDLL(str(HERE / "halide-patches/preload.so"))
        if not getattr(sys, "__stderr__", None):
            library.halide_patched_quiet()
    library.halide_patched_rebind.restype = ctypes.c_void_p
    library.halide_patched_rebind.argtypes = [ctypes.c_void_p, ctypes.c_bool]
    library.halide_patched_library.restype = ctypes.c_char_p
    library.halide_patched_library.argtypes = [ctypes.c_void_p, ctypes.c_bool, ctypes.c_void_p]
    return library


def rebound(library, address):
    """The address of our Module::compile; None when libHalide's calls of its own cannot be pointed to us."""
    return library.halide_patched_rebind(address, True)
