"""Tables of damage by strangers, disks and signals: what is damaged, how, the exit code, and the one sentence that names the
file. Each call ends by itself, in words of ours, and nothing that was measured is lost."""

import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import time

import pytest
from built import (
    CLIFFBENCH,
    EMPTY,
    FOREIGN,
    call,
    fair,
    linux_only,
    mounted,
    needs_namespaces,
    plain_build_only,
    rows,
    sentence,
)
from made_gate import FAST, rulings


def kept(folder):
    """The bytes of a folder's files, but of those that a judge writes."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and not path.is_symlink() and not path.name.startswith(("verdicts.", "rulings."))}


def lost(before, folder):
    """The files that no longer begin with what they held."""
    now = kept(folder)
    return {name for name, data in before.items() if not now.get(name, b"").startswith(data)}


def decided(folder):
    """The decisions of a run or a gate, without the numbers that differ from one measurement to the next."""
    if (folder / "gate.json").exists():
        return [(line["name"], line["ruling"]) for line in rulings(folder)[1]]
    lines = map(json.loads, (folder / "verdicts.jsonl").read_text().splitlines())
    return [(line["id"], line["verdict"], line.get("seen")) for line in lines if line["kind"] == "claim"]


def ruled(folder):
    return call(*(["gate", "--from"] if (folder / "gate.json").exists() else ["judge"]), folder)


# Damaged files

def flipped(path):
    text = bytearray(path.read_bytes())
    text[len(text) // 2] ^= 4
    path.write_bytes(text)


def cut(path):
    """In the middle of a line: rows of one length have a line end at every third of the file."""
    lines = path.read_bytes().splitlines(True)
    whole = (len(lines) - 1) // 2
    path.write_bytes(b"".join(lines[:whole]) + lines[whole][:len(lines[whole]) // 2])


def empty(path):
    path.write_bytes(b"")


def nonsense(path):
    path.write_bytes(bytes(range(256)) * 20)


def deep(path):
    path.write_text("[" * 100_000)


def unsealed(path):
    path.write_text(re.sub(r',\s*"check": ?"[0-9a-f]{16}"', "", path.read_text()))


def link(path):
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


def endless(path):
    path.unlink()
    path.symlink_to("/dev/zero")


def pipe(path):
    path.unlink()
    os.mkfifo(path)


def folder(path):
    path.unlink()
    path.mkdir()


def removed(path):
    path.unlink()


NO_FILE = "cannot (read|write) .*: it is (a|no) "
NO_CHECK = "has no checksum: it is damaged, or cliffbench did not write it"
OF_JSON = {flipped: "is damaged: its checksum does not match"} | dict.fromkeys((cut, empty, nonsense, deep, unsealed), NO_CHECK) \
    | dict.fromkeys((link, endless, pipe, folder), NO_FILE)
OF_ROWS = dict.fromkeys((link, endless, pipe, folder), NO_FILE) | dict.fromkeys((empty, nonsense, deep), "holds no rows") \
    | {removed: "cannot read"}
TABLE = [("run", file, damage, words) for file in ("plan.json", "sessions/*.json", "programs/made.json")
         for damage, words in OF_JSON.items()]
TABLE += [("run", "rows.jsonl", damage, words) for damage, words in OF_ROWS.items()]
TABLE += [("run", "sessions/*.json", removed, "but there is no sessions/"), ("run", "programs/made.json", removed, "there is no programs/")]
TABLE += [("gate", file, damage, words) for file in ("gate.json", "evidence.json", "sessions/*.json") for damage, words in OF_JSON.items()]
TABLE += [("gate", "rows.jsonl", damage, NO_FILE) for damage in (link, endless, pipe, folder)]


@pytest.mark.parametrize("source, file, damage, words", TABLE)
def test_a_damaged_file_is_named_and_nothing_else_is_touched(material, tmp_path, source, file, damage, words):
    copy = shutil.copytree(material / source, tmp_path / source)
    [path] = copy.glob(file)
    damage(path)
    before = kept(copy)
    verbs = {"run": [["judge", copy], ["merge", copy, "--out", tmp_path / "out"], ["run", material / "made", "--resume", copy]],
             "gate": [["gate", "--from", copy], ["gate", *material.sides, "--resume", copy, *FAST]]}[source]
    said = sentence(fair(call(*verbs[0], timeout=20), {13}))
    assert re.search(words, said) and (str(path) in said or path.parent.name in said), said
    for verb in verbs[1:]:
        result = fair(call(*verb, timeout=60), {13} if words == NO_FILE and damage is not folder else {0, 2, 10, 13})
        if result.returncode in (2, 13):
            assert len(result.stderr.splitlines()) == 1 and not lost(before, copy), result.stderr
        elif "--resume" in verb and damage is not removed:
            fair(ruled(copy), {0, 10})
            assert decided(copy) == decided(material / source)


@pytest.mark.parametrize("source", ["run", "gate"])
@pytest.mark.parametrize("damage", [flipped, cut, removed, empty])
def test_intact_rows_are_used_and_damaged_ones_measured_again(material, tmp_path, source, damage):
    copy = shutil.copytree(material / source, tmp_path / source)
    before = (copy / "rows.jsonl").read_bytes()
    damage(copy / "rows.jsonl")
    after = (copy / "rows.jsonl").read_bytes() if damage is not removed else b""
    if damage in (flipped, cut):
        judged = ruled(copy)
        assert re.search(r"rows.jsonl line \d+ is (damaged|unfinished) and was left out", " ".join(judged.stdout.split())), judged.stdout
    words = ["run", material / "made"] if source == "run" else ["gate", *material.sides, *FAST]
    fair(call(*words, "--resume", copy), {0, 10})
    whole = [line for line in after.split(b"\n")[:-1] if line in before.split(b"\n")]
    assert set(whole) <= set((copy / "rows.jsonl").read_bytes().split(b"\n"))
    fair(ruled(copy), {0, 10})
    assert decided(copy) == decided(material / source)


# Places that cannot be written

def device(path):
    path.symlink_to("/dev/full")


def link_to_file(path):
    path.symlink_to(path.parent / "theirs/kept.txt")


def link_to_folder(path):
    path.symlink_to(path.parent / "theirs")


def link_to_nothing(path):
    path.symlink_to(path.parent / "theirs/new.txt")


def fifo(path):
    os.mkfifo(path)


def a_file(path):
    path.write_text("mine\n")


WRITERS = {"run": ({0}, lambda it, at: ["run", EMPTY, "--rounds", 1, "--axis", "number=1"]),
           "plan": ({0}, lambda it, at: ["plan", EMPTY]),
           "merge": ({0}, lambda it, at: ["merge", it / "run"]),
           "gate": ({10}, lambda it, at: ["gate", *it.sides, *FAST]),
           "gate --from": ({10}, lambda it, at: ["gate", "--from", it / "gate"])}


@pytest.mark.parametrize("verb", WRITERS)
@pytest.mark.parametrize("make", [device, link_to_file, link_to_folder, link_to_nothing, fifo, a_file])
def test_what_is_in_the_place_of_the_output_stays(material, tmp_path, verb, make):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/kept.txt").write_text("theirs\n")
    make(tmp_path / "out")
    if verb == "plan" and make is a_file:
        pytest.skip("a plan is written again")
    kind = os.lstat(tmp_path / "out")[:2]
    _, words = WRITERS[verb]
    assert len(sentence(fair(call(*words(material, tmp_path), "--out", tmp_path / "out", timeout=60), {2, 13}))) > 20
    assert os.lstat(tmp_path / "out")[:2] == kind
    assert kept(tmp_path / "theirs") == {pathlib.Path("kept.txt"): b"theirs\n"}
    assert make is not a_file or (tmp_path / "out").read_text() == "mine\n"


@linux_only
@plain_build_only
@pytest.mark.parametrize("verb", WRITERS)
@pytest.mark.parametrize("trouble", ["files of 0 bytes", "files of 4096 bytes", "full", "closed",
                                     "TMPDIR=/nowhere", "TMPDIR=/proc", "TMPDIR="])
def test_without_room_it_is_a_sentence(material, tmp_path, verb, trouble):
    codes, words = WRITERS[verb]
    size = int(trouble.split()[2]) if "bytes" in trouble else resource.RLIM_INFINITY

    def prepare():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        if trouble == "closed":
            os.close(1)
    env = os.environ | dict([trouble.split("=")] if "=" in trouble else [])
    with open("/dev/full" if trouble == "full" else os.devnull, "w") as out:
        done = subprocess.run([CLIFFBENCH, *map(str, words(material, tmp_path)), "--out", tmp_path / "out"], env=env, text=True, timeout=60,
                              stdout=out, stderr=subprocess.PIPE, preexec_fn=prepare)
    assert done.returncode in codes | {2, 13} and not FOREIGN.search(done.stderr), done
    assert done.returncode in codes or len(done.stderr.splitlines()) == 1
    if (file := tmp_path / "out/rows.jsonl").exists():
        assert all(json.loads(line)["check"] for line in file.read_text().splitlines(True) if line.endswith("\n"))


@needs_namespaces
@pytest.mark.parametrize("verb", WRITERS)
def test_a_read_only_folder_is_a_sentence(material, tmp_path, verb):
    (disk := tmp_path / "disk").mkdir()
    words = [*WRITERS[verb][1](material, tmp_path), "--out", disk / "out"]
    assert "Read-only file system" in sentence(fair(mounted(f"-t tmpfs -o ro none {disk}", disk, *words), {13}))


# Stopped at any moment

@linux_only
@pytest.mark.parametrize("number", [1, 2, 3, 9, 15])
def test_a_gate_stopped_at_a_random_moment_goes_on(material, tmp_path, number):
    """A run: bad_days_test.py."""
    delay = random.Random(number).uniform(0.005, 1.2)
    words = ["gate", *material.sides, *FAST]
    running = subprocess.Popen([CLIFFBENCH, *map(str, words), "--out", tmp_path / "out", "--seed", "1"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    running.send_signal(number)
    running.wait(timeout=60)
    begun = (tmp_path / "out/gate.json").exists()
    fair(call(*words, *([] if begun else ["--seed", 1]), "--resume" if begun else "--out", tmp_path / "out"), {0, 10})
    places = [row["position"] for row in rows(tmp_path / "out")]
    assert len(places) == len(set(places))
    fair(ruled(tmp_path / "out"), {0, 10})
    assert decided(tmp_path / "out") == decided(material / "gate")


# Wrong words, beside those of options_test.py

ODD = [" ", "-", "x" * 5000, "grün\n", "\x1b[31m", "/dev/null/x", "nowhere", "%s%n", "/etc/passwd", "/dev/zero", "/proc/self/mem"]
NUMBERS = ["nan", "inf", "-inf", "-1", "1e400", "9" * 30, "1,5", "1.5", "ten", "1 2", "--", "٣", "0", "100001"]
CLAIMS = ["x", "made fast ratio", "made fast ratio >= ", "made fast ratio >= nan", "made fast luck >= 2", "made slow ratio >= 2",
          "made fast ratio at m=1 >= 2", "made fast ratio at n=3 >= 2", "other fast ratio >= 2", "made fast ratio >= 2 <= 1",
          "made fast share of nothing >= 1", "≥", "a" * 20000, "made fast ratio >= inf", "made fast ratio at n=1,n=2 >= 2"]


@pytest.mark.parametrize("words, values", [
    (["run", "CASE", "--rounds"], NUMBERS), (["run", "CASE", "--axis"], ["n", "n=", "=1", "n=3", "m=1", "n=1,,2"]),
    (["run", "CASE", "--profile"], ODD[:9]),
    (["run", "CASE", "--variant"], ["fats", "baseline,,fast"]), (["run", "CASE", "--resume"], ODD), (["run", "CASE", "--plan"], ODD),
    (["run", "CASE", "--plan", "PLAN", "--shard"], ["0/2", "3/2", "1", "1/", "/1", "1/0", "-1/2", "1/9999999999", "a/b", "1/2/3"]),
    (["run"], ODD), (["judge"], ODD), (["status"], ODD), (["list"], ODD), (["merge", "--out", "merged"], ODD), (["gate", "--from"], ODD),
    (["judge", "RUN", "--claim"], CLAIMS), ([], ["jugde", "--profil", "RUN"])], ids=lambda it: " ".join(it)[:40] or "verb")
def test_wrong_words_are_one_sentence_and_nothing_is_begun(material, tmp_path, words, values):
    known = {"CASE": material / "made", "PLAN": material / "run/plan.json", "RUN": material / "run"}
    for value in values:
        result = fair(call(*[known.get(word, word) for word in words], value, cwd=tmp_path, timeout=20), {2, 13})
        assert 10 < len(sentence(result)) < 6000, value
        assert not list(tmp_path.rglob("rows.jsonl")), value
