"""The patches for Halide's wheels for macOS on arm64, cross-compiled by Zig and linked as these wheels are: with their
libHalide, and with the system's libc++, not a copy of it, which would bring a second runtime of exceptions. Nothing here
runs on a Mac; so each name that is used must be one that the wheel uses or exports too, on the oldest macOS that it supports."""

import pathlib
import subprocess
import sys
import tempfile

from assemble import ROOT, File
from linked import Broken, check_no_paths

sys.path.insert(0, str(ROOT / "scripts/setup/cross"))
TAG = "py3-none-macosx_11_0_arm64"
LIBCXX = "/usr/lib/libc++.1.dylib"
# In libc++ since its first release, though Halide has no use for them: members and tables of what it instantiates itself.
AS_OLD = {"__ZNSt16invalid_argumentD1Ev", "__ZTVSt16invalid_argument",
          "__ZNSt3__113basic_istreamIcNS_11char_traitsIcEEE4peekEv",
          "__ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEPNS_15basic_streambufIcS2_EE",
          "__ZTVNSt3__115basic_streambufIcNS_11char_traitsIcEEEE"}
# With the annotations libc++'s headers bring along what that macOS's own library lacks.
COMPILE = ["-std=c++20", "-O2", "-DNDEBUG", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-fno-sized-deallocation",
           "-U_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS", "-D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=1",
           f"-ffile-prefix-map={ROOT}=.", "-I", str(ROOT)]


def halides() -> dict:
    return {folder.name.removeprefix("halide-"): folder for folder in sorted((ROOT / ".deps/macos").glob("halide-*"))}


def used_of_libcxx(halide: pathlib.Path) -> set:
    """The names of libc++ that the wheel's library and extension use."""
    import macho
    names = set()
    for path in (halide / "lib/libHalide.dylib", next((halide / "python/halide").glob("halide_.*.so"))):
        for header in macho.load(path):
            libraries = macho.needed(header)
            names |= {name for name, number in macho.symbols(path, header)[0].items()
                      if 1 <= number <= len(libraries) and libraries[number - 1] == LIBCXX}
    return names


def stub(path: pathlib.Path, names: set):
    """A stand-in for libc++ to link against, with these names alone."""
    listed = ", ".join(f"'{name}'" for name in sorted(names))
    path.write_text(f"--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos ]\ninstall-name: '{LIBCXX}'\nexports:\n"
                    f"  - targets: [ arm64-macos ]\n    symbols: [ {listed} ]\n...\n")


def check(path: pathlib.Path, halide: pathlib.Path, libcxx: set):
    import macho
    system = (ROOT / ".deps/cross/python/ziglang/lib/libc/darwin/libSystem.tbd").read_text()
    library = halide / "lib/libHalide.dylib"
    exports = {macho.SYSTEM: macho.exports_of_tbd(system), LIBCXX: libcxx,
               "@rpath/libHalide.dylib": macho.symbols(library, macho.load(library)[0])[1]}
    faults = [fault for header in macho.load(path) for fault in macho.faults(path, header, exports)]
    if faults:
        raise Broken(f"{path.name} {faults[0]}")
    check_no_paths(path.name, path.read_bytes())


def library(folder: pathlib.Path, version: str, halide: pathlib.Path) -> bytes:
    path, libcxx = folder / f"{version}.dylib", folder / f"{version}.tbd"
    names = used_of_libcxx(halide) | AS_OLD
    stub(libcxx, names)
    # Both packages stand side by side; what is loaded already is found by its file.
    compiled = path.with_suffix(".o")
    subprocess.run([ROOT / "scripts/setup/cross/zig-c++", *COMPILE, "-isystem", halide / "include", "-c",
                    ROOT / "patches/halide_patched/patched_compile.cpp", "-o", compiled], check=True)
    subprocess.run([ROOT / "scripts/setup/cross/zig-c++", "-dynamiclib", "-nostdlib++", compiled, "-o", path, libcxx,
                    halide / "lib/libHalide.dylib", "-s", "-Wl,-rpath,@loader_path/../../halide/lib",
                    f"-Wl,-install_name,@rpath/{path.name}"], check=True)
    check(path, halide, names)
    return path.read_bytes()


def files() -> dict:
    if not halides():
        raise Broken("there is no Halide for macOS in .deps/macos; scripts/setup/bootstrap packages fetches them")
    with tempfile.TemporaryDirectory() as scratch:
        return {f"{version}.dylib": File(library(pathlib.Path(scratch), version, halide), executable=True)
                for version, halide in halides().items()}
