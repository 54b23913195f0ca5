"""scripts/setup/cross/macho.py BUILD NAMES WHEELS...: checks the Mach-O programs of a cross build, which nothing here can run.

Each must be for arm64, ask for macOS 11 or later, be signed (Apple silicon starts nothing else), need only
libraries that a Mac or Halide's wheel has, and use only symbols that these export: libHalide.dylib's
own table, and the list of libSystem's symbols that Zig brings. NAMES, by comma, must be among them: a program
that is not there is a fault. Exit: 0, 13 when a program is not so, 2 usage.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / ".deps/cross/python"))
from macholib import mach_o  # noqa: E402
from macholib.MachO import MachO  # noqa: E402
from macholib.SymbolTable import SymbolTable  # noqa: E402

SYSTEM = "/usr/lib/libSystem.B.dylib"
OLDEST = (11, 0)
CPU_ARM64 = 0x0100000C


def load(path):
    """The headers of a Mach-O file; None for any other file."""
    with open(path, "rb") as file:
        if file.read(4) not in (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"):
            return None
    return MachO(str(path)).headers


def commands(header, *names):
    wanted = {getattr(mach_o, name) for name in names}
    return [(command, data) for start, command, data in header.commands if start.cmd in wanted]


def minimum_os(header):
    """(11, 0); None when the program does not say."""
    for command, _ in commands(header, "LC_BUILD_VERSION", "LC_VERSION_MIN_MACOSX"):
        packed = int(getattr(command, "minos", 0) or getattr(command, "version", 0))
        return packed >> 16, packed >> 8 & 0xFF
    return None


def needed(header):
    """The libraries in the order of their numbers, from 1."""
    return [data.rstrip(b"\0").decode() for _, data in commands(
        header, "LC_LOAD_DYLIB", "LC_LOAD_WEAK_DYLIB", "LC_REEXPORT_DYLIB")]


def symbols(path, header):
    """(undefined: {name: number of its library}, exported: {name})"""
    table = SymbolTable(MachO(str(path)), header=header)
    undefined, exported = {}, set()
    for entry, name in table.nlists:
        kind = entry.n_type
        if kind & 0xE0 or not kind & 0x01:  # for a debugger, or local
            continue
        if kind & 0x0E:
            exported.add(name.decode())
        else:
            undefined[name.decode()] = entry.n_desc >> 8 & 0xFF
    return undefined, exported


def exports_of_tbd(text):
    """The symbols of a text stub, those of the libraries that it re-exports included."""
    return set(re.findall(r"[_$][\w$.]+", text)) | {"dyld_stub_binder"}  # the loader's own, in no stub


def faults(path, header, exports):
    """Sentences; none when the program is right. `exports`: {library: its symbols}."""
    found = []
    if header.header.cputype != CPU_ARM64:
        found.append("is not for arm64")
    version = minimum_os(header)
    if version is None or version < OLDEST:
        found.append(f"asks for macOS {version}, not 11 or later")
    if not commands(header, "LC_CODE_SIGNATURE"):
        found.append("has no code signature: Apple silicon does not start it")
    if header.header.filetype == mach_o.MH_EXECUTE and not commands(header, "LC_MAIN"):
        found.append("has no entry point")
    libraries = needed(header)
    for library in libraries:
        if library not in exports:
            found.append(f"needs {library}, which neither a Mac nor Halide's wheel has")
    undefined, _ = symbols(path, header)
    if not undefined:
        found.append("uses no symbol of any library: its symbol table was not read")
    for name, number in sorted(undefined.items()):
        if not 1 <= number <= len(libraries):
            found.append(f"does not say where {name} is from")
        elif name not in exports.get(libraries[number - 1], {name}):
            found.append(f"uses {name}, which {libraries[number - 1]} does not export")
    return found


def programs(build):
    folders = [build, build / "cases", *(build / "cases").glob("*_objects")]
    return [file for folder in folders for file in sorted(folder.glob("*"))
            if file.is_file() and not file.is_symlink() and file.suffix != ".a" and load(file)]


def main(build, names, wheels):
    zig = pathlib.Path(__file__).parents[3] / ".deps/cross/python/ziglang/lib/libc/darwin/libSystem.tbd"
    system = exports_of_tbd(zig.read_text())
    halides = {}
    for wheel in wheels:
        library = wheel / "lib/libHalide.dylib"
        header = next(h for h in load(library) if h.header.cputype == CPU_ARM64)
        halides[wheel.name] = symbols(library, header)[1]
    bad = 0
    print(f"{'linked for Apple silicon':<44} {'bytes':>10}  macOS  undefined  libraries")
    linked = programs(build)
    for name in sorted(set(names) - {file.name for file in linked}):
        print(f"! {name} was not linked")
        bad += 1
    for file in linked:
        exports = {SYSTEM: system}
        for name, exported in halides.items():
            if name in file.name:
                exports["@rpath/libHalide.dylib"] = exported
        for header in load(file):
            wrong = faults(file, header, exports)
            version = ".".join(map(str, minimum_os(header) or ("?",)))
            names = ", ".join(pathlib.PurePosixPath(name).name for name in needed(header))
            print(f"{str(file.relative_to(build)):<44} {file.stat().st_size:>10}  {version:<5}"
                  f"  {len(symbols(file, header)[0]):>9}  {names}")
            for sentence in wrong[:5]:
                print(f"  ! {sentence}")
            bad += bool(wrong)
    compiled_only = build / "generated/objects.txt"
    folders = compiled_only.read_text().split() if compiled_only.exists() else []
    for file in sorted(file for folder in folders for file in (build / folder).rglob("*.o")):
        print(f"{file.name.removesuffix('.cpp.o') + ', not linked: no LLVM 19 for macOS here':<44} {file.stat().st_size:>10}")
        bad += load(file)[0].header.cputype != CPU_ARM64
    return 13 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or not pathlib.Path(sys.argv[1]).is_dir():
        print("macho: usage: scripts/setup/cross/macho.py BUILD NAMES WHEELS...", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2].split(","), [pathlib.Path(word) for word in sys.argv[3:]]))
