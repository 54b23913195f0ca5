"""The one place where a run's files are opened: read are regular files alone, never through a link; written is a new file
beside the old one, which then takes its place. A JSON file of a run ends with a checksum (results/README.md)."""

import gzip
import io
import json
import os
import pathlib
import re
import shutil
import stat
import zlib
from typing import BinaryIO

import xxhash

from report.read.said import Unreadable

CHECK = re.compile(rb',\n "check": "([0-9a-f]{16})"\n}\n\Z')
MOST = 256 << 20  # bytes of a file that is read as a whole


def opened(path: pathlib.Path) -> BinaryIO:
    """A regular file, to read. Nothing here waits, not for the other end of a pipe either."""
    try:
        kind = path.lstat().st_mode
        if not stat.S_ISREG(kind):
            what = (
                "a link" if stat.S_ISLNK(kind) else "a folder" if stat.S_ISDIR(kind) else "no file"
            )
            raise Unreadable(f"cannot read {path}: it is {what}")
        file = os.fdopen(
            os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb"
        )
    except OSError as error:
        raise Unreadable(f"cannot read {path}: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise Unreadable(f"cannot read {path}: it is not a file")
    return file


def unpacked(path: pathlib.Path) -> BinaryIO:
    """A file of lines, to read, which of a published run is compressed: `<name>.gz`."""
    packed = path.with_name(path.name + ".gz")
    if os.path.lexists(path) or not os.path.lexists(packed):
        return opened(path)
    return gzip.GzipFile(fileobj=opened(packed))


def pack(source: pathlib.Path, target: pathlib.Path) -> None:
    """The same bytes for the same content: no name and no date in them."""
    packed = io.BytesIO()
    with opened(source) as file, gzip.GzipFile("", "wb", 9, packed, mtime=0) as packing:
        shutil.copyfileobj(file, packing)
    write(target, packed.getvalue())


def read_bytes(path: pathlib.Path) -> bytes:
    try:
        with unpacked(path) as file:
            data = file.read(MOST + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Unreadable(
            f"cannot read {path}.gz: its compressed bytes are damaged ({error})"
        ) from None
    if len(data) > MOST:
        raise Unreadable(f"cannot read {path}: it is larger than 256 MB")
    return data


def read_text(path: pathlib.Path) -> str:
    return read_bytes(path).decode(errors="replace")


def read_json(path: pathlib.Path) -> dict:
    """Without the checksum, which must be right."""
    data = read_bytes(path)
    found = CHECK.search(data)
    if not found:
        raise Unreadable(f"{path} is damaged, or no file of cliffbench: it has no checksum")
    if found[1].decode() != xxhash.xxh64_hexdigest(data[: found.start()]):
        raise Unreadable(f"{path} is damaged: its checksum does not match")
    record = parse(data.decode(errors="replace"), str(path))
    del record["check"]
    return record


def parse(text: str, where: str) -> dict:
    """Its keys in alphabetical order: the order in the file means nothing."""
    try:
        record = json.loads(text, object_pairs_hook=in_order)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise Unreadable(f"{where} is not a JSON object")
    return record


def in_order(pairs: list[tuple[str, object]]) -> dict:
    return dict(sorted(pairs))


def inside(folder: pathlib.Path, pattern: str) -> list[pathlib.Path]:
    """The files of a folder of a run and of the folders in it, by name; none when it is not there."""
    if folder.is_symlink():
        raise Unreadable(f"cannot read {folder}: it is a link")
    return sorted(folder.rglob(pattern))  # which follows no link


def write(path: pathlib.Path, data: str | bytes) -> None:
    """The whole file or none of it; what is there and is no regular file stays. Raises OSError, Unreadable."""
    write_from(io.BytesIO(data.encode() if isinstance(data, str) else data), path)


def copy(source: pathlib.Path, target: pathlib.Path) -> None:
    with opened(source) as file:
        write_from(file, target)


def write_from(source: BinaryIO, path: pathlib.Path) -> None:
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise Unreadable(f"cannot write {path}: something that is not a regular file is there")
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with open(
            os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666), "wb"
        ) as file:
            shutil.copyfileobj(source, file)
        os.replace(fresh, path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_json(path: pathlib.Path, record: dict, indent: int | None = 1) -> None:
    """With its checksum, as the harness writes it; or, without an indent, on one line."""
    after_colon = "" if indent is None else " "
    write(
        path,
        sealed(
            json.dumps(
                record,
                indent=indent,
                separators=(",", f":{after_colon}"),
                sort_keys=True,
                ensure_ascii=False,
            ).encode()
        ),
    )


def sealed(text: bytes) -> bytes:
    """A JSON object with its checksum as the last field, in place of one that it has."""
    start = CHECK.sub(b"\n}", text).removesuffix(b"}").rstrip()
    return start + f',\n "check": "{xxhash.xxh64_hexdigest(start)}"\n}}\n'.encode()


def own_folder(folder: pathlib.Path) -> pathlib.Path:
    """A folder in a run's, made when it is not there."""
    if folder.is_symlink():
        raise Unreadable(f"cannot write into {folder}: it is a link")
    folder.mkdir(exist_ok=True)
    return folder
