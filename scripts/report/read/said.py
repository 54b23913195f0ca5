"""How a script's words reach people: text of programs and files can act on no terminal and no page, and what another library
complains of becomes one sentence of ours."""

import os
import sys
import typing


class Unreadable(Exception):
    """One sentence: which file, and what is wrong with it."""


# The exceptions that reading a malformed record raises.
DAMAGED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    StopIteration,
    TypeError,
    ValueError,
)
CAUGHT = (Unreadable, OSError, *DAMAGED)


def printable(text: str) -> str:
    """Escapes what is not printable, as the harness does: control characters other than tabs and line ends, marks that reverse a
    line, halves of a character."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one in "\n\t" else one.encode("unicode_escape").decode()
        for one in text
    )


def all_printable(value: typing.Any) -> typing.Any:
    """The same of every text in a JSON value."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable(key): all_printable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [all_printable(inner) for inner in value]
    return value


def sentence(error: BaseException, folder: object) -> str:
    """The error as one sentence about the records of this folder, or about what is written from them."""
    if isinstance(error, Unreadable):
        return str(error)
    if isinstance(error, OSError):
        return f"cannot write {error.filename or folder}: {error.strerror or error}"
    if isinstance(error, KeyError) and isinstance(error.args[0], str):
        return f"a record in {folder} has no {error}; was it written by this version of cliffbench?"
    return f"a record in {folder} is not what this version of cliffbench writes; run: cliffbench judge {folder}"


def say(text: str) -> None:
    """A line on standard output. Raises OSError, once, when that takes no more."""
    try:
        print(printable(text), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python flushes again when it ends
        raise OSError(error.errno, error.strerror, "standard output") from None


def refuse(name: str, text: str, code: int) -> int:
    """The script's last line, on standard error; its exit code."""
    print(f"{name}: {printable(text)}", file=sys.stderr)
    return code
