"""Google Benchmark JSON of a program that this project cannot hold, as a run: scripts/python scripts/import.py FILE
--case C --subject S --variant V --out FOLDER

Each measured result becomes a row of the program C@S, each repetition a round; "axis:value" parts of a name become axes,
the others the axis `benchmark`. FOLDER is new, or holds other variants that were imported. Put it beside a measured run with
`cliffbench merge`. Exit: 0 written, 2 usage, 13 FILE is not a Google Benchmark report.
"""

import argparse
import hashlib
import json
import pathlib
import re
import sys
import time

from report import said

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
UNKNOWN = {"id": "unknown", "cpu": "unknown", "arch": "unknown", "cores": 0, "core_kinds": "", "caches": "", "memory_bytes": 0,
           "os": "unknown", "kernel": "unknown", "virtualised": False, "emulated": False}


class Refused(Exception):
    """One sentence, and the exit code."""


def results_of(file):
    """The machine that it names, and what it measured."""
    try:
        report = json.loads(file.read_text())
        results = [one for one in report["benchmarks"] if one.get("run_type") != "aggregate"]
        host = report.get("context", {}).get("host_name", "")
    except said.CAUGHT:
        raise Refused(f"{file} is not a Google Benchmark report", 13) from None
    for result in results:
        if not isinstance(result.get("name"), str) or not isinstance(result.get("run_name", ""), str) or result.get("time_unit", "ns") not in SECONDS:
            raise Refused(f"{file} has a result without a name, or with a unit of time that Google Benchmark does not write", 13)
    if not results:
        raise Refused(f"{file} holds no measured result; run it without --benchmark_report_aggregates_only", 13)
    return host, results


def number_of(file, result, field, kinds):
    number = result.get(field)
    if type(number) not in kinds or not 0 < number < 2**63:
        raise Refused(f"{file}: {field} of {result['name']} is {json.dumps(number)}, which is no {'whole ' * (kinds == (int,))}number above 0", 13)
    return number


def params_of(name):
    parts = [part.split(":", 1) for part in name.split("/")]
    params = {part[0]: part[1] for part in parts if len(part) == 2 and part[0] not in ("", "variant")}
    return params | {"benchmark": "/".join(part[0] for part in parts if len(part) == 1)}


def row_of(result, number, turn, words, run):
    failed, scale = result.get("error_occurred", False), SECONDS[result.get("time_unit", "ns")]
    row = {"schema": 1, "run": run, "session": 1, "program": f"{words.case}@{words.subject}", "case": words.case,
           "subject": words.subject, "name": result.get("run_name", result["name"]), "variant": words.variant,
           "params": params_of(result.get("run_name", result["name"])), "round": turn, "position": number,
           "status": "failed" if failed else "ok", "reason": result.get("error_message", "")}
    if not failed:
        wall, cpu = (number_of(words.file, result, field, (int, float)) for field in ("real_time", "cpu_time"))
        row |= {"iterations": number_of(words.file, result, "iterations", (int,)), "wall_s": wall * scale, "cpu_s": cpu * scale,
                "digest": str(result.get("label", ""))}
    return row


def declaration(path, words, rows):
    """What is known of the program, with the new variant and its values."""
    known = json.loads(path.read_text()) if path.exists() else {
        "schema": 1, "case": words.case, "subject": {"name": words.subject, "version": "imported", "sha256": ""},
        "why": "Imported from a report of Google Benchmark; this project did not run it.", "readme": "",
        "build": {"compiler": "imported", "flags": "imported", "commit": "imported", "dirty": False}, "axes": [], "variants": [],
        "stages_from": "", "patches": [], "claims": [], "profiles": [], "limit_s": 600.0}
    if any(variant["name"] == words.variant for variant in known["variants"]):
        raise Refused(f"{words.out} has rows of {words.case}@{words.subject} {words.variant} already; choose another folder or variant", 2)
    known["variants"].append({"name": words.variant, "role": "baseline" if words.variant == "baseline" else "reference",
                              "why": f"imported from {words.file.name}", "patches": [], "equals": ""})
    axes = {axis["name"]: axis for axis in known["axes"]}
    for row in rows:
        for name, value in row["params"].items():
            axis = axes.setdefault(name, {"name": name, "unit": "", "values": []})
            if value not in axis["values"]:
                axis["values"].append(value)
    return known | {"axes": list(axes.values())}


def convert(words):
    for word in (words.case, words.subject, words.variant):
        if not re.fullmatch(r"[^/@ \n]+", word):
            raise Refused(f"'{word}' is not a name for a case, subject or variant (no blanks, / or @)", 2)
    if (words.out / "plan.json").exists():
        raise Refused(f"{words.out} holds a measured run; choose a folder of its own, and put both together by: cliffbench merge", 2)
    host, results = results_of(words.file)
    run = f"import-{hashlib.sha256(words.file.read_bytes()).hexdigest()[:12]}-{words.variant}"
    turns, rows = {}, []
    for number, result in enumerate(results):
        name = result.get("run_name", result["name"])
        turns[name] = turns.get(name, 0) + 1
        rows.append(row_of(result, number, turns[name], words, run))
    program = words.out / "programs" / f"{words.case}@{words.subject}.json"
    declared = declaration(program, words, rows)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    session = {"schema": 1, "run": run, "session": 1, "command": "scripts/import.py", "profile": "import", "seed": 0,
               "shard": [1, 1], "started": now, "ended": now, "load_before": [], "imported_from": words.file.name,
               "machine": UNKNOWN | {"cpu": f"imported from {host or 'an unknown machine'}"}}
    for folder in ("programs", "sessions", "cases"):
        (words.out / folder).mkdir(parents=True, exist_ok=True)
    program.write_text(json.dumps(declared, indent=1) + "\n")
    (words.out / f"sessions/{run}.1.json").write_text(json.dumps(session, indent=1) + "\n")
    with (words.out / "rows.jsonl").open("a") as file:
        file.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    said.say(f"{len(rows)} rows of {program.stem} {words.variant} in {words.out}, marked as imported")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    for flag in ("--case", "--subject", "--variant"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    words = parser.parse_args()
    try:
        convert(words)
    except Refused as error:
        return said.refuse("import", *error.args)
    except said.CAUGHT as error:
        return said.refuse("import", said.sentence(error, words.out), 13)
    return 0


if __name__ == "__main__":
    sys.exit(main())
