"""The built program from outside, for tests: where it is, how it is called, what its folders hold."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import xxhash

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from report.read import files, schemas  # noqa: E402

BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", ROOT / "build")).absolute()
CLIFFBENCH = BUILD / "cliffbench"
SANITIZED = "CLIFFBENCH_SANITIZED" in os.environ
own_disk_only = pytest.mark.skipif(SANITIZED, reason="a sanitizer writes to the temporary folder itself, more than fits here")
limited_memory_only = pytest.mark.skipif(SANITIZED, reason="a sanitizer's shadow counts, so that memory is not limited")
plain_build_only = pytest.mark.skipif(SANITIZED, reason="a sanitizer must be the first library that a program loads")
NAMESPACES = subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0 if shutil.which("unshare") else False
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc or preloads a library: Linux only")
needs_namespaces = pytest.mark.skipif(not NAMESPACES, reason="this system gives no mount namespace (unshare -rm)")
FAULTS, EMPTY = BUILD / "test_cases/faults", BUILD / "test_cases/empty"


def call(*words, timeout=120, **kwargs):
    return subprocess.run([CLIFFBENCH, *map(str, words)], capture_output=True, text=True, timeout=timeout, **kwargs)


def rows(folder):
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


def check_lines(folder):
    """Checks each record of a judged folder against its schema."""
    for line in rows(folder):
        schemas.check("row", line, folder)
        assert set(line) <= set(schemas.schema("row")["properties"])  # readers may know other fields, we do not
    for line in (folder / "verdicts.jsonl").read_text().splitlines():
        schemas.check("verdict", json.loads(line), folder)
    for part, kind in (("sessions", "session"), ("programs", "program")):
        for path in (folder / part).glob("*.json"):
            schemas.check(kind, json.loads(path.read_text()), path)


def sentence(result):
    """The one line on standard error."""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]


def state_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def mounted(options, folder, *words):
    """A call with a mount over the folder, in a name space of its own; then the folder's rows go to a copy."""
    script = f'mount {options} && shift && "$@"; code=$?; cp -r "{folder}" "{folder}.kept" 2>/dev/null; exit $code'
    return subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", "sh", CLIFFBENCH, *map(str, words)],
                          capture_output=True, text=True, timeout=60)


def with_line(folder, copy, number, change):
    """A copy of a run in which one line of the rows, from 1, is changed."""
    subprocess.run(["cp", "-r", folder, copy], check=True)
    lines = (copy / "rows.jsonl").read_text().splitlines()
    lines[number - 1] = change(lines[number - 1])
    (copy / "rows.jsonl").write_text("\n".join(lines) + "\n")
    return copy


def edit_json(path, change):
    """Changes one of a folder's JSON files by a function of its object, and gives it a right checksum."""
    record = files.read_json(path)
    change(record)
    files.write_json(path, record)


def sealed(row):
    """A row's line, as the harness writes it: with its checksum."""
    start = json.dumps({key: value for key, value in row.items() if key != "check"}, separators=(",", ":"))[:-1]
    return f'{start},"check":"{xxhash.xxh3_64_hexdigest(start.encode())}"}}'


def with_values(line, **changes):
    """The line of a row with other values."""
    return sealed(json.loads(line) | changes)


def steady_part(folder):
    """The part of each row that a made-up case (made_case.py) fixes: all but real times, memory and the session."""
    kept = ("position", "program", "name", "variant", "params", "round", "status", "wall_s", "stages", "digest")
    return sorted([[row[key] for key in kept] for row in rows(folder)])


def verdicts(folder):
    """The verdicts, without the fields that differ from run to run even for made-up cases."""
    call("judge", folder)
    lines = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    for line in lines:
        for noisy in ("rss_bytes", "rss_ratio", "cpu_s", "page_faults", "sessions"):
            line.pop(noisy, None)
    return lines


# Errors of a library, an interpreter or a shell that nobody caught.
FOREIGN = re.compile(r"json\.exception|filesystem error|Traceback|terminate called|what\(\)|basic_string|std::(?!locale::global)|"
                     r"stod|stoi|regex_error|"
                     r"Assertion|runtime error:|Sanitizer|core dumped|unbound variable")


def fair(result, codes):
    """The exit code is one of these, and no library speaks."""
    assert result.returncode in codes, (result.returncode, result.stdout[-500:], result.stderr[-500:])
    assert not FOREIGN.search(result.stdout + result.stderr), result.stdout + result.stderr
    return result


def whole_rows(folder):
    """The rows, each of which must be whole and its own trial; their number."""
    seen = [(row["run"], row["position"]) for row in rows(folder)]
    assert len(seen) == len(set(seen))
    return len(seen)
