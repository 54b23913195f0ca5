"""What strangers, disks and signals do to cliffbench, as tables: what is damaged, how, the exit code, and the one sentence that
names the file. Each call ends by itself, in words of ours, and nothing that was measured is lost."""

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
from built import CLIFFBENCH, EMPTY, call, linux_only, plain_build_only, rows, sentence
from made_case import made_case
from made_gate import FAST, program, rulings

# Errors of a library, an interpreter or a shell that nobody caught.
FOREIGN = re.compile(r"json\.exception|filesystem error|Traceback|terminate called|what\(\)|basic_string|std::|stod|stoi|regex_error|"
                     r"Assertion|runtime error:|Sanitizer|core dumped|unbound variable")


def fair(result, codes):
    """The exit code is one of these, and no library speaks."""
    assert result.returncode in codes, (result.returncode, result.stdout[-500:], result.stderr[-500:])
    assert not FOREIGN.search(result.stdout + result.stderr), result.stdout + result.stderr
    return result


def kept(folder):
    """The bytes of a folder's files, but of those that a judge writes."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and not path.is_symlink() and not path.name.startswith(("verdicts.", "rulings."))}


def lost(before, folder):
    """The files that no longer begin with what they held."""
    now = kept(folder)
    return {name for name, data in before.items() if not now.get(name, b"").startswith(data)}


def decided(folder):
    """What was decided of a run or a gate, without what differs from one measurement to the next."""
    if (folder / "gate.json").exists():
        return [(line["name"], line["ruling"]) for line in rulings(folder)[1]]
    lines = map(json.loads, (folder / "verdicts.jsonl").read_text().splitlines())
    return [(line["id"], line["verdict"], line.get("seen")) for line in lines if line["kind"] == "claim"]


# Damaged files

def flipped(path):
    text = bytearray(path.read_bytes())
    text[len(text) // 2] ^= 4
    path.write_bytes(text)


def cut(path):
    path.write_bytes(path.read_bytes()[:path.stat().st_size * 2 // 3])


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
NO_CHECK = "is damaged, or no file of cliffbench: it has no checksum"
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
            fair(call("judge", copy), {0, 10})
            assert decided(copy) == decided(material / source)


@pytest.mark.parametrize("source", ["run", "gate"])
@pytest.mark.parametrize("damage", [flipped, cut, removed, empty])
def test_of_damaged_rows_the_rest_is_used_and_the_lost_are_measured_again(material, tmp_path, source, damage):
    copy = shutil.copytree(material / source, tmp_path / source)
    before = (copy / "rows.jsonl").read_bytes()
    damage(copy / "rows.jsonl")
    after = (copy / "rows.jsonl").read_bytes() if damage is not removed else b""
    if damage in (flipped, cut):
        judged = call("judge", copy)
        assert re.search(r"rows.jsonl line \d+ is (damaged|unfinished) and was left out", " ".join(judged.stdout.split())), judged.stdout
    words = ["run", material / "made"] if source == "run" else ["gate", *material.sides, *FAST]
    fair(call(*words, "--resume", copy), {0, 10})
    whole = [line for line in after.split(b"\n")[:-1] if line in before.split(b"\n")]
    assert set(whole) <= set((copy / "rows.jsonl").read_bytes().split(b"\n"))
    fair(call("judge", copy), {0, 10})
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
def test_what_is_in_the_output_s_place_stays(material, tmp_path, verb, make):
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


# Stopped at any moment

@linux_only
@pytest.mark.parametrize("source", ["run", "gate"])
@pytest.mark.parametrize("number", [1, 2, 3, 9, 15])
def test_stopped_at_a_random_moment_it_goes_on(material, tmp_path, source, number):
    delay = random.Random(f"{source} {number}").uniform(0.005, 1.2)
    words = ["run", material / "made", "--rounds", 6, "--seed", 1] if source == "run" else ["gate", *material.sides, *FAST]
    running = subprocess.Popen([CLIFFBENCH, *map(str, words), "--out", tmp_path / "out"] + ["--seed", "1"] * (source == "gate"),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    running.send_signal(number)
    running.wait(timeout=60)
    begun = (tmp_path / "out/plan.json").exists() or (tmp_path / "out/gate.json").exists()
    seed = ["--seed", "1"] if source == "gate" and not begun else []
    again = words[:2] if begun and source == "run" else [*words, *seed]
    fair(call(*again, "--resume" if begun else "--out", tmp_path / "out"), {0, 10})
    places = [row["position"] for row in rows(tmp_path / "out")]
    assert len(places) == len(set(places))
    fair(call("judge", tmp_path / "out"), {0, 10})
    assert decided(tmp_path / "out") == decided(material / source)


# Hostile programs, beside those of bad_programs_test.py

@pytest.mark.parametrize("settings, codes", [
    (dict(at={10: "crash"}), {13}), (dict(at={"*": "error"}), {13}), (dict(at={"*": "nan"}), {13}), (dict(at={"*": "empty"}), {13}),
    (dict(ms=0.0), {13}), (dict(ms=-1.0), {13}), (dict(ms=1e300), {0, 10, 13}), (dict(moody=True), {2, 13}), (dict(names=[]), {2, 13}),
    (dict(names=["one", "one"]), {2, 13}), (dict(names=["one", "a b", "$(touch hit)", "\x1b[31m", "%s", "x" * 9000]), {0, 2, 10, 13}),
    (dict(flood=64 << 20), {0, 10, 13}), (dict(counts=False), {0, 10, 13})])
@pytest.mark.parametrize("side", ["base", "head"])
def test_a_hostile_side_of_a_gate_gives_no_false_answer(tmp_path, settings, codes, side):
    sides = {"base": {}, "head": {}} | {side: settings}
    words = [word for name, one in sides.items() for word in (f"--{name}", program(tmp_path / name, **one))]
    result = fair(call("gate", *words, "--out", tmp_path / "gate", "--limit", "5s", "--budget", "10s", *FAST, cwd=tmp_path), codes)
    assert not re.search(r" -?nan| 000000000x", result.stdout.replace("not a number", "")) and not (tmp_path / "hit").exists()


@linux_only
@pytest.mark.parametrize("deed, status", [
    ("os.symlink('/etc/passwd', out)", "failed"), ("os.mkfifo(out)", "failed"), ("os.mkdir(out)", "failed"),
    ("write(**{'stage:copy': 1e308})", "ok"), ("os.close(1); os.close(2); write()", "ok"),
    ("os.write(2, b'y' * (1 << 24)); write()", "ok"),
    ("os.kill(os.getpid(), 19); write()", "timeout")])
def test_a_hostile_trial_is_a_row_of_its_own(tmp_path, deed, status):
    case = made_case(tmp_path / "made", f"if 'fast' in name:\n    {deed}\nelse:\n    write()", axes=(("n", ("1",)),), limit_s=1)
    fair(call("run", case, "--rounds", 1, "--out", tmp_path / "run"), {0})
    assert {row["variant"]: row["status"] for row in rows(tmp_path / "run")} == {"baseline": "ok", "fast": status}
    fair(call("judge", tmp_path / "run"), {0, 11, 13})


# Text that acts

PIECES = ["\x1b[31m", "\x1b]0;title\x07", "\x01", "\x08\x08", "\x7f", "\x9b31m", "\r",
          "\u202e", "\u2066", "\u200f", "\ufeff", "\u2028", "]]>",
          "<script>alert(1)</script>", "&amp;<b>", "--><!--", "|", "`", "](x)", "${x}", "\"'", "=cmd|' /C calc'!A0", "日", "\\"]
MARKS = {*range(0x00, 0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f,
         *range(0x2028, 0x202f), *range(0x2066, 0x206a), 0xfeff} - {0x09, 0x0a}
SHOWN = (".md", ".html", ".csv", ".svg", ".txt", ".xml")


def unclean(place, *results):
    """What acts in the output of these calls and in the files that people open."""
    texts = [text for result in results for text in (result.stdout, result.stderr)]
    texts += [path.read_text() for path in place.rglob("*") if path.suffix in SHOWN and path.is_file()]
    return {character for text in texts for character in text if ord(character) in MARKS}


@pytest.mark.parametrize("seed", range(4))
def test_no_name_claim_or_last_word_acts_on_a_terminal_or_a_page(tmp_path, seed):
    draw = random.Random(seed)
    drawn = lambda: "".join(draw.sample(PIECES, 5)) + "x"  # noqa: E731
    names = ["one", drawn(), drawn()]
    sides = [word for side, ms in (("base", 1.0), ("head", 1.1)) for word in (f"--{side}", program(tmp_path / side, names=names, ms=ms))]
    gate = fair(call("gate", *sides, "--out", tmp_path / "gate", "--seed", 1, *FAST), {2, 10, 13})
    claim = {"text": drawn(), "source": drawn()}
    deed = draw.choice(["os.write(2, {0!r}.encode()); sys.exit(3)", "write(error_occurred=True, error_message={0!r})",
                        "write(label={0!r})"])
    body = f"if 'fast' in name and 'n:1' in name:\n    {deed.format(drawn())}\nelse:\n    write()"
    case = made_case(tmp_path / "made", body, claims=[claim],
                     describe=f"describe = lambda whole: whole | dict(why={drawn()!r}, readme={drawn()!r})")
    said = [fair(call("list", case), {0, 13}), fair(call("run", case, "--rounds", 1, "--out", tmp_path / "run"), {0, 13})]
    if (tmp_path / "run/rows.jsonl").exists():
        said += [fair(call(*words), {0, 11, 13}) for words in (["judge", tmp_path / "run"], ["status", tmp_path / "run"],
                                                               ["merge", tmp_path / "run", "--out", tmp_path / "merged"])]
    assert not unclean(tmp_path, gate, *said)


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
