"""What the gate rules and prints about recorded gates, and its help, against golden files.

CLIFFBENCH_BLESS=1 scripts/setup/python -m pytest harness/gate/tests/golden_test.py        # writes them anew
CLIFFBENCH_BLESS=record ...                                                          # records the gates anew first
"""

import json
import os
import pathlib
import re
import shutil
import sys
import tarfile

import pytest
from built import CLIFFBENCH, call, edit_json, rows, sealed
from made_gate import VALGRIND, program

GOLDEN = pathlib.Path(__file__).parent / "golden"
BLESS = os.environ.get("CLIFFBENCH_BLESS")
MANY = [f"number {i}" for i in range(6)]
PARSERS = ["parse/1", "parse/2", "print"]
COUNTERS = [
    "--metric=counter:allocs",
    "--metric=counter:items_per_second",
    "--metric=counter:hits",
    "--larger-is-better=hits",
]
ODD = [
    "a<int, 3>/(x):1.5|[*]",
    "BM_it's<7>/2",
    "a|b<img>`c`*d*",
    "BM_a_benchmark_with_a_rather_long_name<std::string>/threads:4",
]

# What is recorded: the settings of both sides (fake_benchmark.cpp), and the words of the gate.
RECORDED = {
    "same": ({}, {}, []),
    "slower": ({}, {"ms": 1.1}, []),
    "much slower": ({}, {"ms": 3}, []),
    "faster": ({}, {"ms": 0.9}, []),
    "noisy": ({"noise": 0.15}, {"noise": 0.15, "ms": 1.034}, []),
    "rarely slower": ({"batches": [1] * 10}, {"batches": [1] * 4 + [2] * 2 + [1] * 4}, []),
    "slow to warm up": ({"batches": [1] * 10}, {"batches": [3] + [1] * 9}, []),
    "margins": ({}, {"ms": 1.05}, ["--margin=8%", "--must-find=15%"]),
    "own margins": ({"names": PARSERS}, {"names": PARSERS, "ms": 1.06}, ["--margin=^parse=10%", "--margin=/2$=3%"]),
    "counters": ({"counters": {"allocs": 4, "items_per_second": 100, "hits": 7}, "label": "small"},
                 {"counters": {"allocs": 20, "items_per_second": 50, "hits": 9}, "label": "large"}, COUNTERS),
    "two filters": ({"names": ["old/8", "old/64", "new/8", "new/64", "new/512"], "slower": "new/64"}, None,
                    ["--filter=^old", "--head-filter=^new"]),
    "no counts": ({"counts": False}, {"counts": False, "ms": 1.2}, []),
    "wall": ({}, {"ms": 1.1}, ["--metric=wall"]),
    "crash in the pilot": ({}, {"at": {"*": "crash"}}, []),
    "crash in round five": ({}, {"at": {6: "crash"}}, []),
    "one of two": ({"names": ["one", "two"]}, {"names": ["one", "two"], "at": {3: "error"}}, []),
    "skipped": ({"at": {"*": "error"}}, {"at": {"*": "error"}}, []),
    "no time": ({}, {"at": {"*": "zero"}}, []),
    "no number": ({}, {"at": {"*": "nan"}}, []),
    "names of one side": ({"names": ["one", "gone"]}, {"names": ["new", "one"]}, []),
    "odd names": ({"names": ODD, "regex": True, "own": ["--data", "my file"]},
                  {"names": ODD, "regex": True, "own": ["--data", "my file"], "ms": 1.2}, ["--", "--data", "my file"]),
    "many": ({"names": MANY}, {"names": MANY, "slower": "number 3"}, []),
    "no budget": ({}, {}, ["--budget=1ms"]),
    "unchanged": ({}, None, []),
    "more instructions": ({}, {}, ["--metric=instructions"]),
    "counted": ({}, {"ms": 1.1}, ["--instructions=always"]),
    "not counted": ({}, {"ms": 1.1}, ["--instructions=always"]),
}  # fmt: skip


def record(place):
    for name, (base, head, words) in RECORDED.items():
        sides = [program(place / "made" / name / "base", **base)]
        sides.append(sides[0] if head is None else program(place / "made" / name / "head", **head))
        tool = place / "made" / name / "valgrind"
        each = (
            "5000 * (1 + 0.04 * ('head' in program[0]))" if name == "more instructions" else "5000"
        )
        if name != "not counted":
            tool.write_text(
                VALGRIND.format(python=sys.executable, file=str(tool.with_name("calls")), each=each)
            )
            tool.chmod(0o755)
        fast = [] if any("instructions" in word for word in words) else ["--instructions=never"]
        paths = [path.relative_to(place) for path in sides]
        result = call(
            "gate",
            "--base",
            paths[0],
            "--head",
            paths[1],
            "--seed=1",
            f"--out=recorded/{name}",
            *fast,
            *words,
            cwd=place,
            env=os.environ | {"PATH": str(tool.parent)},
        )
        assert (place / "recorded" / name / "gate.json").exists(), result.stderr

    def steady(member):
        member.mtime = member.uid = member.gid = 0
        member.uname = member.gname = ""
        return member

    with tarfile.open(GOLDEN / "recorded.tar.xz", "w:xz") as archive:
        for path in sorted((place / "recorded").glob("*/*")):
            if path.name in ("gate.json", "evidence.json", "rows.jsonl", "sessions"):
                archive.add(path, path.relative_to(place / "recorded"), filter=steady)


# What is changed in a copy of a recorded one


def timed(change):
    """Changes the times of each row by a function of it."""

    def edit(row):
        factor = change(row)
        return row | {
            key: row[key] * factor
            for key in ("wall_s", "cpu_s", "mean_wall_s", "mean_cpu_s")
            if row.get(key)
        }

    return edit


def is_head(row):
    return row["variant"] == "head"


def grows(row):
    """A cost that grows with the number of iterations, which differs from row to row."""
    count = 4 + row["position"] * 7 % 5
    return timed(lambda row: (count / 5) ** 0.9 * (1.1 if is_head(row) else 1))(
        row | {"iterations": count}
    )


def stopped(row):
    if not is_head(row):
        return row
    lost = ("wall_s", "cpu_s", "mean_wall_s", "mean_cpu_s")
    return {key: value for key, value in row.items() if key not in lost} | {
        "status": "timeout",
        "limit_s": 2,
        "iterations": 50,
    }


def waits(row):
    """The head waits for half as long as it computes."""
    if not is_head(row):
        return row
    times = {"wall_s": row["cpu_s"] * 1.5, "mean_wall_s": row["mean_cpu_s"] * 1.5}
    return row | times | {"blocked_s": 0.5, "process_cpu_s": 1, "process_s": 1.5}


def screened(row):
    """Five pairs of each, then only number 3."""
    early = row["round"] <= 5
    return row if (row["variant"] != "control" if early else row["name"] == "number 3") else None


def plan(**changes):
    return lambda gate, evidence: gate.update(changes)


def suspects(gate, evidence):
    gate["screening"] = 5
    for benchmark in gate["benchmarks"]:
        benchmark["suspect"] = benchmark["name"] == "number 3"


def digests(gate, evidence):
    gate["benchmarks"][0]["digests"] = True


def unfit(gate, evidence):
    evidence["unfit"] = "the processor's model changed during the run"


def more_counted(gate, evidence):
    evidence["evidence"][0]["instructions"] = [5000, 5500]


# What is judged: a recorded gate, or a copy with other rows and other files; and further words.
MADE = {
    "noisy, strict": ("noisy", None, None, ["--strict"]),
    "its control moved": ("same", timed(lambda row: 1.1 if row["variant"] == "control" else 1), None, []),
    "slower and its control moved": ("slower", timed(lambda row: 1.1 if row["variant"] == "control" else 1), None, []),
    "grows": ("no counts", grows, None, []),
    "stopped": ("same", stopped, None, []),
    "waits": ("same", waits, None, []),
    "other output": ("same", lambda row: row | {"digest": "new" if is_head(row) else "old"}, digests, []),
    "wrong output": ("same", lambda row: {"status": "wrong", "reason": "2 and 2 made 5"} | {
        key: row[key] for key in row if key not in ("status", "reason", "wall_s", "cpu_s", "mean_wall_s", "mean_cpu_s")}
        if row["position"] == 7 else row, None, []),
    "four pairs": ("slower", lambda row: row if row["round"] <= 4 else None, None, []),
    "a row is missing": ("slower", lambda row: None if row["position"] == 8 else row, None, []),
    "screened": ("many", screened, suspects, []),
    "screened, another suspect": ("many", lambda row: row if row["round"] <= 5 and row["variant"] != "control" else None, suspects, []),
    "unfit": ("slower", None, unfit, []),
    "unfit and much slower": ("much slower", None, unfit, []),
    "undecided, more instructions": ("counted", timed(lambda row: 0.8 if is_head(row) and row["round"] < 3 else 1),
                                     more_counted, []),
}  # fmt: skip


def made(recordings, place, name):
    """The folder of a gate that is to be judged, and further words."""
    recorded, rows_of, files_of, words = MADE.get(name, (name, None, None, []))
    source, folder = recordings / recorded, place / name
    shutil.copytree(source, folder)
    if rows_of:
        changed = [row for row in map(rows_of, rows(source)) if row]
        (folder / "rows.jsonl").write_text("".join(sealed(row) + "\n" for row in changed))
    if files_of:
        both = {
            path: json.loads(path.read_text())
            for path in (folder / "gate.json", folder / "evidence.json")
        }
        files_of(*both.values())
        for path, value in both.items():
            edit_json(path, lambda record, value=value: record.update(value))
    return folder, words


def steady(text):
    """Without what a recording's machine and load decide."""
    text = re.sub(r"[0-9.]+ [mu]?s (in all|of it in|for the control)", r"N s \1", text)
    return re.sub(r' time="[^"]*"', ' time="N"', text)


def rounded(value):
    if isinstance(value, dict):
        return {
            key: "N" if key in ("seconds", "measured_s", "control_s", "machine") else rounded(one)
            for key, one in value.items()
        }
    return float(f"{value:.4g}") if isinstance(value, float) else value


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("golden")
    if BLESS == "record":
        record(place)
    with tarfile.open(GOLDEN / "recorded.tar.xz") as archive:
        archive.extractall(place / "recorded", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return place


def compare(name, text):
    file = GOLDEN / name
    if BLESS:
        file.write_text(text)
    assert text.splitlines() == file.read_text().splitlines()


def test_rulings_and_exit_codes(place):
    text = ""
    for name in [*RECORDED, *MADE]:
        folder, words = made(place / "recorded", place, name)
        result = call("gate", "--from", folder.name, *words, cwd=place)
        assert result.stderr == "", (name, result.stderr)
        text += f"======== {name}: exit {result.returncode}\n{result.stdout}"
    compare("rulings.txt", steady(text))


def test_rulings_of_two_folders_and_their_files(place):
    folders = [
        "recorded/" + name
        for name in (
            "many",
            "counters",
            "crash in the pilot",
            "odd names",
            "noisy",
            "skipped",
            "unchanged",
        )
    ]
    place.joinpath("again").mkdir()
    made(place / "recorded", place / "again", "other output")
    result = call("gate", "--from", *folders, "again/other output", "--out", "both", cwd=place)
    text = f"======== exit {result.returncode}\n{result.stdout}{result.stderr}"
    for name in ("rulings.md", "rulings.xml"):
        text += f"======== {name}\n{(place / 'both' / name).read_text()}"
    machine = json.loads((place / "both/rulings.jsonl").read_text().splitlines()[0])["machine"]
    text = text.replace(machine, "MACHINE").replace(
        machine.replace("(", "\\(").replace(")", "\\)"), "MACHINE"
    )
    call("gate", "--from", "recorded/counted", "--out", "counted", cwd=place)
    text += "======== rulings.jsonl of another\n"
    for line in (place / "counted/rulings.jsonl").read_text().splitlines():
        text += json.dumps(rounded(json.loads(line))) + "\n"
    compare("files.txt", steady(text))


def test_help():
    compare("help.txt", call("gate", "--help").stdout.replace(str(CLIFFBENCH), "cliffbench"))
