"""The demands of a linked file on the system that runs it, and whether its package promises as much. Read with binutils'
readelf, which knows every processor; a Mac's programs with scripts/setup/cross/macho.py."""

import pathlib
import re
import subprocess

from assemble import ROOT


class Broken(Exception):
    """A package is not as it has to be; one sentence says why."""


def readelf(path: pathlib.Path, *options: str) -> str:
    return subprocess.run(["readelf", "-W", *options, path], check=True, capture_output=True, text=True).stdout


def libraries(path: pathlib.Path) -> set[str]:
    """The libraries that it is linked to, without the loader: {"libc.so.6"}."""
    return {name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", readelf(path, "--dynamic")) if not name.startswith("ld-linux")}


def newest(path: pathlib.Path) -> dict[str, tuple[int, ...]]:
    """The newest version that it uses of each kind of symbol: {"GLIBC": (2, 27)}."""
    found: dict[str, tuple[int, ...]] = {}
    needs = readelf(path, "--version-info").partition("Version needs")[2]
    for kind, number in re.findall(r"Name: (\w+?)_([\d.]+)", needs):
        found[kind] = max(found.get(kind, ()), tuple(map(int, number.split("."))))
    return found


def check_elf(path: pathlib.Path, allowed: set[str], limits: dict[str, tuple[int, ...]]) -> None:
    """Nothing but these libraries, no symbol newer than these; a kind without a limit is not allowed."""
    others = libraries(path) - allowed
    if others:
        raise Broken(f"{path.name} is linked to {', '.join(sorted(others))}; {', '.join(sorted(allowed))} are allowed")
    for kind, version in newest(path).items():
        if version > limits.get(kind, ()):
            raise Broken(f"{path.name} uses a symbol of {kind}_{'.'.join(map(str, version))}, newer than its package promises")


def check_no_paths(name: str, data: bytes) -> None:
    """Nothing of the folder where it was built."""
    if str(ROOT).encode() in data:
        raise Broken(f"{name} names the folder in which it was built, {ROOT}")
