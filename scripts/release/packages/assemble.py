"""Wheels, archives and their checksums from files in memory. The same files give the same bytes: names are sorted, and
each file has the time of the commit. Knows no package of ours."""

import base64
import gzip
import hashlib
import io
import pathlib
import subprocess
import tarfile
import time
import zipfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[3]


def said(*words: str) -> str:
    return subprocess.run([ROOT / "scripts/version", *words], check=True, capture_output=True, text=True).stdout.strip()


def version() -> str:
    return said()


def moment() -> int:
    """The commit's time; a zip file knows none before 1980."""
    return max(int(said("time")), 315532800)


@dataclass(frozen=True)
class File:
    data: bytes
    executable: bool = False

    @property
    def mode(self) -> int:
        return 0o755 if self.executable else 0o644


def tree(folder: pathlib.Path, under: str, pattern: str = "**/*") -> dict[str, File]:
    """The files of a folder, by their names under another; without tests and what Python left there."""
    return {f"{under}/{path.relative_to(folder).as_posix()}": File(path.read_bytes())
            for path in sorted(folder.glob(pattern))
            if path.is_file() and "__pycache__" not in path.parts and not path.name.endswith(("_test.py", "conftest.py"))}


@dataclass(frozen=True)
class Wheel:
    name: str                   # as pip writes it: halide-patched
    tag: str                    # py3-none-manylinux_2_28_x86_64
    fields: tuple[str, ...]     # of METADATA, but Name and Version
    description: str            # Markdown
    files: dict[str, File]      # by their names under site-packages
    licences: dict[str, File]
    commands: dict[str, str]    # {"cliffbench": "cliffbench.__main__:main"}


def write_wheel(folder: pathlib.Path, wheel: Wheel) -> pathlib.Path:
    stem = f"{wheel.name.replace('-', '_')}-{version()}"
    info = f"{stem}.dist-info"
    fields = ["Metadata-Version: 2.4", f"Name: {wheel.name}", f"Version: {version()}", *wheel.fields,
              *(f"License-File: {name}" for name in sorted(wheel.licences)), "Description-Content-Type: text/markdown"]
    commands = "".join(f"{name} = {place}\n" for name, place in sorted(wheel.commands.items()))
    files = wheel.files | {f"{info}/licenses/{name}": file for name, file in wheel.licences.items()} | {
        f"{info}/METADATA": File("\n".join([*fields, "", wheel.description]).encode()),
        f"{info}/WHEEL": File(f"Wheel-Version: 1.0\nGenerator: cliffbench\nRoot-Is-Purelib: false\nTag: {wheel.tag}\n".encode()),
        f"{info}/entry_points.txt": File(f"[console_scripts]\n{commands}".encode()),
    }
    record = "".join(f"{name},sha256={urlsafe(file.data)},{len(file.data)}\n" for name, file in sorted(files.items()))
    files[f"{info}/RECORD"] = File(f"{record}{info}/RECORD,,\n".encode())
    path = folder / f"{stem}-{wheel.tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, file in sorted(files.items(), key=lambda item: (".dist-info/" in item[0], item[0])):  # as PEP 427 asks
            entry = zipfile.ZipInfo(name, time.gmtime(moment())[:6])
            entry.external_attr = (0o100000 | file.mode) << 16
            entry.create_system = 3  # Unix, whose modes these are
            archive.writestr(entry, file.data, zipfile.ZIP_DEFLATED, 9)
    return path


def urlsafe(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def write_archive(folder: pathlib.Path, stem: str, files: dict[str, File]) -> pathlib.Path:
    """STEM.tar.gz, with all files in one folder STEM."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, file in sorted(files.items()):
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size, entry.mode, entry.mtime = len(file.data), file.mode, moment()
            archive.addfile(entry, io.BytesIO(file.data))
    path = folder / f"{stem}.tar.gz"
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=moment()) as packed:
        packed.write(content.getvalue())
    return path


def write_sums(folder: pathlib.Path) -> pathlib.Path:
    """SHA256SUMS, for `sha256sum --check`."""
    files = sorted(path for path in folder.iterdir() if path.suffix in (".whl", ".gz"))
    sums = folder / "SHA256SUMS"
    sums.write_text("".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files))
    return sums
