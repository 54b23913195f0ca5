"""The house's directions: who may include whom, and nobody names a case or a patch in the harness."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent.parent
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)

# A file may include a header when one of its room's patterns matches it.
ALLOWED = {
    "patches/": [r"harness/patch\.hpp", r"patches/.*"],
    "cases/": [r"cases/.*", r"patches/.*", r"harness/case\.hpp"],
    "harness/": [r"harness/.*"],
    "harness/test_cases/": [r"harness/case\.hpp"],
}
# Within the harness: a header that only these files may include, so that the arrows stay one-way.
ONLY = {
    "cli_gate": {"cli", "cli_gate"},
    # gate_session and compare take their requests from it; what runs is called by the command line alone.
    "gate_run": {"cli_gate", "compare", "gate_run", "gate_session"},
    "gate_session": {"compare", "gate_run", "gate_session"},
    "gate_folder": {"cli_gate", "gate_folder", "gate_run", "gate_session"},
    "pairs": {"gate_folder", "pairs"},
    "pilot": {"gate_run", "pilot"},
    "layouts": {"gate_run", "layouts"},
    "fitness": {"fitness", "fitness_test", "gate_run", "gate_session"},
    "instructions": {"gate_run", "instructions", "instructions_test"},
    "signals": {"compare", "gate_folder", "gate_run", "signals", "signals_test"},
    "rulings": {"gate_folder", "pairs", "rulings", "rulings_test", "signals"},
    "gate": {"gate", "gate_simulation_test", "gate_test", "layouts", "pairs", "pilot", "rulings"},
    "benchmark_json": {"benchmark_json", "benchmark_json_test", "import", "instructions", "program"},
    "import": {"cli", "import"},
    "program": {"cli", "gate_folder", "identity", "import", "instructions", "pilot", "prepare", "program", "run"},
    "process": {"compare", "gate_run", "gate_session", "instructions", "layouts", "process", "process_test", "program", "run"},
    "run": {"cli", "run"},
    "judge": {"cli", "judge"},
    "merge": {"cli", "merge"},
    "session": {"cli", "gate_folder", "import", "prepare", "run", "session"},
    "progress": {"progress", "progress_test", "run", "status"},
    "stats": {"claim", "claim_text", "gate", "observe", "stats", "stats_test"},
    "claim": {"claim", "claim_test", "run", "verdicts"},
    "claim_text": {"claim", "claim_test", "claim_text", "judge", "rulings", "verdicts"},
    "observe": {"claim", "observe"},
    "verdicts": {"judge", "verdicts", "verdicts_test"},
    "folder": {"cli", "folder", "gate_folder", "import", "instructions", "judge", "layouts", "merge", "prepare", "rulings", "run", "session", "status", "verdicts"},
    "prepare": {"cli", "merge", "prepare", "run", "status"},
    "identity": {"identity", "prepare", "run"},
    "orphans": {"gate_run", "gate_session", "orphans", "run"},
    "status": {"cli", "status"},
}
PURE = ["stats.cpp", "observe.cpp", "claim.cpp", "claim_text.cpp", "plan.cpp", "shard.cpp", "gate.cpp", "signals.cpp", "benchmark_json.cpp"]


def sources():
    for room in ("cases", "harness", "patches"):
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in (".cpp", ".hpp"):
                yield path.relative_to(ROOT).as_posix(), path.read_text()


def test_rooms_include_only_what_their_direction_allows():
    wrong = []
    for name, text in sources():
        room = max((room for room in ALLOWED if name.startswith(room)), key=len)
        for included in INCLUDE.findall(text):
            if not any(re.fullmatch(pattern, included) for pattern in ALLOWED[room]):
                wrong.append(f"{name} includes {included}")
    assert not wrong, wrong


def test_arrows_within_the_harness_point_one_way():
    wrong = []
    for name, text in sources():
        if not name.startswith("harness/") or "/test_cases/" in name:
            continue
        stem = pathlib.Path(name).stem
        for included in INCLUDE.findall(text):
            wanted = pathlib.Path(included).stem
            if wanted in ONLY and stem not in ONLY[wanted]:
                wrong.append(f"{name} includes {included}")
    assert not wrong, wrong


def test_pure_files_use_no_clock_and_no_files():
    for name in PURE:
        text = (ROOT / "harness" / name).read_text()
        assert not re.search(r"<(fstream|chrono|filesystem|ctime|unistd\.h)>", text), name


def test_the_harness_names_no_case_and_no_patch():
    names = [path.name for path in (ROOT / "cases").iterdir() if path.is_dir()]
    names += [path.stem for path in (ROOT / "patches").rglob("*.hpp")]
    for name, text in sources():
        if name.startswith("harness/") and not name.endswith("cli.cpp"):  # its --help shows an example
            for word in names:
                assert not re.search(rf"\b{word}\b", text), f"{name} names {word}"


def test_no_path_of_one_machine_and_no_registry_host():
    hosts = re.compile("|".join([r"(?<![\w}])/(work|root)/", "pypi" + r"\.org", "deb" + r"\.debian", "python" + "hosted"]))
    for path in ROOT.rglob("*"):
        relative = path.relative_to(ROOT).as_posix()
        if path.is_file() and relative != ".git" and not relative.startswith((".git/", ".deps/", "build", "results/local/")) and \
                path.suffix not in (".pyc", ".svg", ".png"):
            assert not hosts.search(path.read_text(errors="replace")), relative
