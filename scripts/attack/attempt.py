"""One attempt: a call of the program that must not lie, die of a signal, hang, eat the machine or touch what is not its own."""

import dataclasses
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
from typing import Callable

# What a library, an interpreter or a shell says when nobody caught it.
FOREIGN = ("json.exception", "filesystem error", "Traceback (most recent", "terminate called", "what():", "basic_string",
           "std::", "vector::", "stod", "stoi", "regex_error", "Assertion", "runtime error:", "AddressSanitizer",
           "core dumped", "syntax error near", ": 1: usage", "unbound variable", "parameter not set", "not callable",
           "object has no attribute")
MOST_S = 10  # of processor time; with other programs beside it, of twice that on the wall
MOST_BYTES = 2_000_000_000
ROOM_BYTES = 3 * MOST_BYTES  # of address space: an attempt that eats memory must not eat the machine's


@dataclasses.dataclass
class Result:
    words: list
    code: int
    out: str
    err: str
    faults: list

    @property
    def said(self):
        return self.out + self.err


@dataclasses.dataclass
class Attempt:
    group: str
    name: str
    act: Callable  # takes a Place, returns what was wrong, or ""


class Place:
    """A folder for one attempt, the calls made in it, and a neighbour's file that must stay as it is."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)
        self.work = self.folder / "work"
        self.work.mkdir()
        self.neighbour = self.folder / "neighbour"
        self.neighbour.mkdir()
        self.kept = self.neighbour / "kept.txt"
        self.kept.write_text("this file is somebody else's\n")
        self.kept_as = None  # what it holds when the first call starts
        self.faults = []

    def copy(self, source, name="copy"):
        shutil.copytree(source, self.work / name, symlinks=True)
        return self.work / name

    def call(self, *words, timeout=2 * MOST_S, signals_are_fine=False, stop=None, before=None, env=None, stdout=None,
             may_take_s=MOST_S, cwd=None):
        """Runs cliffbench with these words; `stop` = (seconds, signal) sends one; `before` runs in the child."""
        return self.start([self.program, *words], timeout, signals_are_fine, stop, before, env, stdout, may_take_s, cwd)

    def start(self, words, timeout=2 * MOST_S, signals_are_fine=False, stop=None, before=None, env=None, stdout=None,
              may_take_s=MOST_S, cwd=None):
        if self.kept_as is None:
            self.kept_as = self.kept.read_bytes()
        def prepare():
            resource.setrlimit(resource.RLIMIT_AS, (ROOM_BYTES, ROOM_BYTES))
            if before:
                before()
        out, err = self.folder / "stdout", self.folder / "stderr"
        with open(out, "wb") as out_file, open(err, "wb") as err_file:
            child = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=stdout or out_file,
                                     stderr=err_file, cwd=cwd or self.work, preexec_fn=prepare, start_new_session=True,
                                     env={**os.environ, **(env or {})})
            hung = threading.Event()
            timers = [threading.Timer(timeout, lambda: (hung.set(), kill_group(child.pid)))]
            if stop:
                timers.append(threading.Timer(stop[0], lambda: send(child.pid, stop[1])))
            for timer in timers:
                timer.start()
            _, status, usage = os.wait4(child.pid, 0)
            for timer in timers:
                timer.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
            kill_group(child.pid)
        result = Result(words, child.returncode, out.read_bytes()[:1 << 22].decode(errors="replace"),
                        err.read_bytes()[:1 << 22].decode(errors="replace"), [])
        if hung.is_set():
            result.faults.append(f"ran for more than {timeout} s")
        elif child.returncode < 0 and not signals_are_fine and not (stop and -child.returncode == stop[1]):
            result.faults.append(f"died of signal {-child.returncode}")
        if usage.ru_utime + usage.ru_stime > may_take_s:
            result.faults.append(f"took {usage.ru_utime + usage.ru_stime:.0f} s of processor time")
        if usage.ru_maxrss * 1024 > MOST_BYTES:
            result.faults.append(f"took {usage.ru_maxrss / 1e6:.1f} GB")
        for foreign in FOREIGN:
            if foreign in result.said:
                result.faults.append(f"speaks somebody else's words: {line_with(foreign, result.said)}")
                break
        self.faults += result.faults
        return result

    def end(self):
        """What else was touched, after the attempt."""
        files = sorted(path.name for path in self.neighbour.iterdir())
        if files != ["kept.txt"] or self.kept.is_symlink() or not self.kept.is_file() or \
                self.kept_as not in (None, self.kept.read_bytes()):
            self.faults.append(f"changed a file that is not its own: {files}")
        return self.faults


def kill_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def line_with(word, text):
    return next(line for line in text.splitlines() if word in line)[:200]


def refused(result):
    """Whether it was refused as it should be: 2 or 13, and one sentence of ours."""
    return result.code in (2, 13) and one_sentence(result) == ""


def one_sentence(result):
    lines = [line for line in result.err.splitlines() if line.strip()]
    if len(lines) == 1 and 10 < len(lines[0]) < 6000:
        return ""
    return f"exit {result.code} with {len(lines)} lines on standard error: {' / '.join(lines)[:200]}"


def must_refuse(result):
    """What is wrong where only a refusal is right."""
    if result.code not in (2, 13):
        return f"exit {result.code} where 2 or 13 was due: {last(result.said)}"
    return one_sentence(result)


def last(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else "(nothing was said)"


def perform(attempt, program, keep=None):
    """Runs one attempt in a folder of its own; what was wrong with it, a list of sentences."""
    with tempfile.TemporaryDirectory(prefix="attack.", dir=keep, ignore_cleanup_errors=True) as folder:
        place = Place(program, folder)
        wrong = attempt.act(place)
        faults = place.end() + ([wrong] if wrong else [])
        unlock(folder)
    return faults


def unlock(folder):
    for path, folders, _ in os.walk(folder):
        for name in folders:
            if not os.path.islink(os.path.join(path, name)):
                os.chmod(os.path.join(path, name), 0o755)
