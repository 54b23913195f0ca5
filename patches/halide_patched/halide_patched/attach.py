"""Puts the patches before the Halide that this process has, or will have, and takes them away again."""

import ctypes
import functools
import os
import pathlib
import sys
import threading
from importlib.machinery import PathFinder

from halide_patched import methods

EXTENSION = "halide.halide_"
HERE = pathlib.Path(__file__).parent
# Halide::Module::compile, a name that libHalide has in every version.
MODULE_COMPILE = ("_ZNK6Halide6Module7compileERKSt3mapINS_14OutputFileTypeENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
                  "St4lessIS2_ESaISt4pairIKS2_S8_EEE")
changing = threading.RLock()


def is_command(name):
    return os.path.basename(name).startswith("halide-patched")


def say(sentence):
    print("halide-patched: " + sentence, file=sys.stderr, flush=True)


def verbose():
    return "HALIDE_PATCHES_VERBOSE" in os.environ


def launched():
    """Whether the launcher has started this process, so that everything is patched from outside."""
    return hasattr(ctypes.CDLL(None), "halide_patched_rebind")


def is_active():
    return launched() or (EXTENSION in sys.modules and methods.replaced(sys.modules[EXTENSION]))


class Loader:
    """The extension's own loader, and on() behind it."""

    def __init__(self, own):
        self.own = own

    def create_module(self, spec):
        return self.own.create_module(spec)

    def exec_module(self, module):
        self.own.exec_module(module)
        module.__loader__ = module.__spec__.loader = self.own
        attach(module)


class Finder:
    """Waits for `import halide`."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != EXTENSION:
            return None
        stop_waiting()
        spec = PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            spec.loader = Loader(spec.loader)
        return spec


def on():
    """Patches the pages that this process makes from here on."""
    if launched():
        if verbose():
            say("importing halide_patched changes nothing: the launcher has patched this process")
        return
    with changing:
        stop_waiting()
        if EXTENSION in sys.modules:
            attach(sys.modules[EXTENSION])
        else:
            sys.meta_path.insert(0, Finder)


def off():
    """Halide is as it was."""
    with changing:
        stop_waiting()
        extension = sys.modules.get(EXTENSION)
        if extension and methods.replaced(extension):
            methods.restore(extension)
            if sys.platform != "darwin":
                preloaded().halide_patched_rebind(inside(extension), False)


def stop_waiting():
    sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, "__module__", "") != __name__]


def inside(extension):
    """An address in the libHalide of the extension; 0 when there is no such library."""
    try:
        return ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(extension.__file__), MODULE_COMPILE))
    except (OSError, ValueError):
        return 0


def preloaded():
    """The library that the launcher would preload; here it only waits to be called."""
    library = ctypes.PyDLL(str(HERE / "halide-patches/preload.so"))
    library.halide_patched_rebind.restype = ctypes.c_void_p
    library.halide_patched_rebind.argtypes = [ctypes.c_void_p, ctypes.c_bool]
    library.halide_patched_library.restype = ctypes.c_char_p
    library.halide_patched_library.argtypes = [ctypes.c_void_p]
    return library


def attach(extension):
    try:
        return attach_on_macos(extension) if sys.platform == "darwin" else attach_on_linux(extension)
    except (OSError, AttributeError) as error:
        say(f"{error}; the pages are made unpatched")


def attach_on_linux(extension):
    address = inside(extension)
    if not address:
        return say_inside(extension)
    library = preloaded()
    methods.replace(extension, lambda: library.halide_patched_library(address), rebound(library, address))


def say_inside(extension):
    say(f"{extension.__file__} has its Halide inside, and no library of its own; the pages are made unpatched")


def rebound(library, address):
    """The address of our Module::compile; None when libHalide's calls of its own cannot be pointed to us."""
    return library.halide_patched_rebind(address, True)


def attach_on_macos(extension):
    from halide_patched import macos
    library = macos.halide_of(extension.__file__)
    if not library or library.samefile(extension.__file__):
        return say_inside(extension)

    @functools.lru_cache
    def found():  # by the first page, as it may have to build them
        path = macos.patches(library, say)
        if path and verbose():
            say(f"{library} runs with the patches in {path}")
        return path and os.fsencode(path)
    methods.replace(extension, found, None)
