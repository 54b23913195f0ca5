"""Damaged records: each file that a verdict depends on, damaged in each way, read by each verb."""

import json
import os
import random
import re

from attempt import Attempt, last, one_sentence
from material import rulings_of, sides, verdicts_of

BITS = 40  # flips of one bit a file


def drawn(seed, file, damage, number):
    """The same draws for the same seed, whatever a run was called."""
    kept = re.sub(r"\d{8}-\d{6}-[0-9a-f]{4}", "RUN", str(file))
    return random.Random(f"{seed} {kept} {damage.__name__} {number}")


def flip(path, draw):
    text = bytearray(path.read_bytes())
    place = draw.randrange(len(text) * 8)
    text[place // 8] ^= 1 << place % 8
    path.write_bytes(text)


def cut(path, draw):
    text = path.read_bytes()
    path.write_bytes(text[:draw.randrange(len(text))])


def empty(path, _):
    path.write_bytes(b"")


def nonsense(path, draw):
    path.write_bytes(bytes(draw.randrange(256) for _ in range(200)))


def deep(path, _):
    path.write_text("[" * 100_000)


def folder(path, _):
    path.unlink()
    path.mkdir()


def fifo(path, _):
    path.unlink()
    os.mkfifo(path)


def endless(path, _):
    path.unlink()
    path.symlink_to("/dev/zero")


def neighbours(path, _):
    """A link to a file of somebody else's, which holds what the file held."""
    outside = next(parent for parent in path.parents if parent.name == "work").parent / "neighbour/kept.txt"
    outside.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(outside)


def unreadable(path, _):
    path.chmod(0)


def removed(path, _):
    path.unlink()


def places(value, at=()):
    """The way to each value of a JSON document."""
    yield at
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*at, key))


def set_at(document, at, value):
    for key in at[:-1]:
        document = document[key]
    document[at[-1]] = value


def remove_at(document, at):
    for key in at[:-1]:
        document = document[key]
    del document[at[-1]]


def changed(change):
    """Damage of one value of a JSON file, or of one line of rows, drawn by the seed. A checksum goes: it was made by hand."""
    def damage(path, draw):
        lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
        number = draw.randrange(len(lines))
        document = json.loads(lines[number])
        document.pop("check", None)
        change(document, draw.choice([at for at in places(document) if at]))
        lines[number] = json.dumps(document)
        path.write_text("\n".join(lines) + "\n")
    damage.__name__ = change.__name__
    return damage


def without_key(document, at):
    remove_at(document, at)


def null(document, at):
    set_at(document, at, None)


def negative(document, at):
    set_at(document, at, -7)


def enormous(document, at):
    set_at(document, at, 1e300)


def another_word(document, at):
    set_at(document, at, "bastline")


def empty_list(document, at):
    set_at(document, at, [])


def another_schema(path, _):
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"schema": 99}))


def rows_changed(change):
    def damage(path, draw):
        lines = path.read_text().splitlines()
        change(lines, draw)
        path.write_text("\n".join(lines) + "\n")
    damage.__name__ = change.__name__
    return damage


def doubled(lines, draw):
    lines.append(draw.choice(lines))


def contradicted(lines, draw):
    row = json.loads(draw.choice(lines))
    del row["check"]
    lines.append(json.dumps(row | {"wall_s": 100.0}))


def negative_time(lines, draw):
    row = json.loads(lines.pop(draw.randrange(len(lines))))
    del row["check"]
    lines.append(json.dumps(row | {"wall_s": -1.0}))


def without_baseline(lines, _):
    lines[:] = [line for line in lines if '"variant":"baseline"' not in line and '"variant":"base"' not in line]


def without_half(lines, draw):
    lines[:] = draw.sample(lines, len(lines) // 2)


SEVERAL = [(flip, BITS), (cut, 4), (changed(without_key), 8), (changed(null), 8), (changed(negative), 8), (changed(enormous), 5),
           (changed(another_word), 10), (changed(empty_list), 6)]
ONCE = [empty, nonsense, deep, folder, fifo, endless, neighbours, unreadable, removed]
OF_ROWS = [(rows_changed(doubled), 3), (rows_changed(contradicted), 3), (rows_changed(negative_time), 3),
           (rows_changed(without_baseline), 1), (rows_changed(without_half), 2)]


def owned(result, wrong_answer, file):
    """The one rule of damaged records: the same answer, a refusal of one sentence, or an answer that names the loss."""
    if result.code in (2, 13) and result.err.strip():
        return one_sentence(result)
    if not wrong_answer:
        return ""
    notes = [line for line in result.out.splitlines() if line.startswith("note:") or "left out" in line or "missing" in line]
    return "" if notes else f"exit {result.code}, {wrong_answer}, and not a word of {file}: {last(result.out)}"


def difference(make, expected):
    try:
        seen = make()
    except (OSError, ValueError, KeyError):
        return "no answer was written"
    return "" if seen == expected else f"another answer: {[s for s, e in zip(seen, expected) if s != e][:2]}"


def judged(place, material, copy, file):
    (copy / "verdicts.jsonl").unlink()
    result = place.call("judge", copy)
    return owned(result, result.code != 0 and "another exit code"
                 or difference(lambda: verdicts_of(copy), material.verdicts), file)


def listed(place, material, copy, file):
    result = place.call("status", copy)
    return "" if result.code == 0 or result.code in (2, 13) and not one_sentence(result) else one_sentence(result)


def merged(place, material, copy, file):
    result = place.call("merge", copy, "--out", place.work / "merged")
    if result.code != 0:
        return one_sentence(result) if result.code in (2, 13) else f"exit {result.code}"
    after = place.call("judge", place.work / "merged")
    after.out += result.out
    return owned(after, after.code != 0 and "another exit code"
                 or difference(lambda: verdicts_of(place.work / "merged"), material.verdicts), file)


def resumed(place, material, copy, file):
    result = place.call("run", material.case, "--resume", copy, timeout=60)
    if result.code != 0:
        return one_sentence(result) if result.code in (2, 13) else f"exit {result.code}: {last(result.said)}"
    return judged(place, material, copy, file)


def ruled(place, material, copy, file):
    (copy / "rulings.jsonl").unlink()
    result = place.call("gate", "--from", copy)
    return owned(result, result.code != 10 and "another exit code"
                 or difference(lambda: rulings_of(copy), material.rulings), file)


def gate_resumed(place, material, copy, file):
    (copy / "rulings.jsonl").unlink()
    result = place.call("gate", *sides(place, material), "--resume", copy, "--trust-times", "--instructions", "never", timeout=60)
    return owned(result, result.code != 10 and "another exit code"
                 or difference(lambda: rulings_of(copy), material.rulings), file)


def attempts(material, seed):
    def files(folder, *patterns):
        return sorted(path.relative_to(folder) for pattern in patterns for path in folder.glob(pattern))
    run_files = files(material.run, "rows.jsonl", "plan.json", "sessions/*.json", "programs/*.json")
    gate_files = files(material.gate, "rows.jsonl", "gate.json", "evidence.json", "sessions/*.json")
    tables = [(material.run, run_files, [judged, listed, merged, resumed]), (material.gate, gate_files, [ruled, gate_resumed])]
    for source, names, verbs in tables:
        for file in names:
            damages = SEVERAL + [(damage, 1) for damage in ONCE]
            damages += OF_ROWS if file.suffix == ".jsonl" else [(another_schema, 1)]
            for damage, times in damages:
                for verb in verbs:
                    slow = verb in (resumed, gate_resumed)  # a start of many processes
                    for number in range(max(1, times // 8) if slow else times):
                        yield one(source, file, damage, verb, number, seed, material)


def one(source, file, damage, verb, number, seed, material):
    name = f"{source.name}/{file}: {damage.__name__} {number}, {verb.__name__}"

    def act(place):
        copy = place.copy(source)
        damage(copy / file, drawn(seed, file, damage, number))
        return verb(place, material, copy, f"{source.name}/{file}")
    return Attempt("records", name, act)
