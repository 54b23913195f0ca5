"""Hostile programs, and text that acts on a terminal or a page. Beside bad_programs_test.py."""

import random
import re

import pytest
from built import call, fair, linux_only, rows
from made_case import made_case
from made_gate import FAST, program


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
    case = made_case(tmp_path / "made", f"if 'fast' in name:\n    {deed}\nelse:\n    write()", axes=(("n", ("1",)),), limit_s=0.5)
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
    """The characters and marks that would act on a reader's terminal or browser, in the output of these calls and in the files that
    people open."""
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
