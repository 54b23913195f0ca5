"""Places that cannot be written or read: each at every verb that writes there."""

import functools
import os
import resource
import stat
import subprocess

from attempt import Attempt, last, must_refuse
from material import FAST, sides


def verbs(material, place):
    """Every verb that writes: its words for an output of this name, and the codes of success."""
    run = ["run", material.case, "--rounds", 1, "--seed", 1]
    return {
        "run": ([*run, "--out"], {0}),
        "plan": (["plan", material.case, "--out"], {0}),
        "gate": (["gate", *sides(place, material), *FAST, "--out"], {10}),
        "compare": (["compare", "true", "true", "--budget", "1s", "--out"], {0, 10, 12, 13, 14}),
        "merge": (["merge", place.copy(material.run, "whole"), "--out"], {0}),
        "gate --from": (["gate", "--from", place.copy(material.gate, "gated"), "--out"], {10}),
        "schema": (["schema"], {0}),
    }


def device(path):
    path.symlink_to("/dev/full")


def link_to_neighbour(path):
    path.symlink_to(path.parent.parent / "neighbour/kept.txt")


def link_to_folder(path):
    path.symlink_to(path.parent.parent / "neighbour")


def link_to_nothing(path):
    path.symlink_to(path.parent.parent / "neighbour/new.txt")


def a_file(path):
    path.write_text("mine\n")


def a_fifo(path):
    os.mkfifo(path)


def a_locked_folder(path):
    path.mkdir(mode=0o500)


def a_full_folder(path):
    path.mkdir()
    (path / "mine.txt").write_text("mine\n")


def kind_of(path):
    info = os.lstat(path)
    text = path.read_text() if stat.S_ISREG(info.st_mode) else ""
    return stat.S_IFMT(info.st_mode), text, os.readlink(path) if stat.S_ISLNK(info.st_mode) else ""


def occupied(verb, make):
    """The output's place holds something else, which is not replaced."""
    def act(place):
        words, _ = verbs(material_of(place), place)[verb]
        target = place.work / "target"
        make(target)
        before = kind_of(target)
        result = place.call(*words, target, timeout=60)
        if not os.path.lexists(target) or kind_of(target) != before:
            legal = verb in ("plan",) and make is a_file  # a plan file is written again
            return "" if legal and result.code == 0 else f"exit {result.code}, what stood there was replaced"
        if make is a_full_folder:
            kept = (target / "mine.txt").read_text() == "mine\n"
            return "" if kept else "somebody's file in the folder is gone"
        return must_refuse(result)
    return Attempt("disks", f"{verb} --out {make.__name__}", act)


def limited(verb, size):
    """Files may grow to `size` bytes only (ulimit -f): a sentence, no signal."""
    def act(place):
        words, good = verbs(material_of(place), place)[verb]
        result = place.call(*words, "target", timeout=60,
                            before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        return "" if result.code in good | {2, 13} else f"exit {result.code}: {last(result.said)}"
    return Attempt("disks", f"{verb} with files of at most {size} bytes", act)


@functools.cache
def mounts():
    """Whether an ordinary user may mount here (containers and chroots forbid it)."""
    return subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0


def full(verb, size):
    """A file system of `size` bytes, and room again at the next call, which goes on."""
    def act(place):
        if not mounts():
            return ""
        words, good = verbs(material_of(place), place)[verb]
        script = ("mount -t tmpfs -o size=$1 tmpfs small || exit 99; shift; \"$@\"; code=$?\n"
                  "mount -o remount,size=100m small; echo \"code $code\"; cp -r small/target kept 2>/dev/null; exit 0")
        (place.work / "small").mkdir()
        result = place.start(["unshare", "-rm", "sh", "-c", script, "sh", size, place.program, *words, "small/target"], timeout=60)
        if result.code == 99:
            return ""
        code = next((int(line[5:]) for line in result.out.splitlines() if line.startswith("code ")), None)
        if code not in good | {2, 13}:
            return f"exit {code}: {last(result.said)}"
        if verb != "gate" or code in good or not (place.work / "kept/gate.json").exists():
            return ""
        again = place.call("gate", "--base", place.work / "base/fake", "--head", place.work / "head/fake", "--trust-times",
                           "--instructions", "never", "--resume", "kept", timeout=60)
        return "" if again.code == 10 else f"with room again --resume ends with {again.code}: {last(again.said)}"
    return Attempt("disks", f"{verb} on a disk of {size} bytes", act)


def streams(verb, closed):
    """Standard output is full or closed."""
    def act(place):
        words, good = verbs(material_of(place), place)[verb]
        out = open("/dev/full", "wb") if not closed else None
        result = place.call(*words, "target", timeout=60, stdout=out, before=(lambda: os.close(1)) if closed else None)
        return "" if result.code in good | {2, 13} else f"exit {result.code}: {last(result.said)}"
    return Attempt("disks", f"{verb} with a {'closed' if closed else 'full'} standard output", act)


def without_scratch(verb, value):
    def act(place):
        words, good = verbs(material_of(place), place)[verb]
        result = place.call(*words, "target", timeout=60, env={"TMPDIR": value})
        return "" if result.code in good | {2, 13} else f"exit {result.code}: {last(result.said)}"
    return Attempt("disks", f"{verb} with TMPDIR={value}", act)


MATERIAL = []


def material_of(_place):
    return MATERIAL[0]


def attempts(material, _seed):
    MATERIAL[:] = [material]
    names = ["run", "plan", "gate", "compare", "merge", "gate --from", "schema"]
    for verb in names:
        for make in (device, link_to_neighbour, link_to_folder, link_to_nothing, a_file, a_fifo, a_locked_folder, a_full_folder):
            if verb in ("schema", "gate --from") and make in (a_full_folder, a_file):
                continue
            yield occupied(verb, make)
        for size in (0, 1, 4096, 20000):
            yield limited(verb, size)
        for size in ("4k", "16k", "48k", "200k"):
            yield full(verb, size)
        for closed in (True, False):
            yield streams(verb, closed)
        for value in ("/nowhere", "/dev/null", "", "/proc"):
            yield without_scratch(verb, value)
