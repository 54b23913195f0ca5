"""The house's directions: who may include whom, and nobody names a case or a patch in the harness."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent.parent
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)

# A file may include a header when one of its room's patterns matches it.
ALLOWED = {
    "patches/": [r"harness/patch\.hpp", r"patches/.*"],
    "cases/": [r"cases/.*", r"patches/.*", r"harness/case\.hpp", r"harness/case_data\.hpp", r"case_toml\.hpp"],
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
    "name_filter": {"gate_run", "name_filter", "name_filter_test", "sides"},
    "sides": {"gate_run", "sides"},
    "scratch": {"compare", "gate_run", "program", "run", "scratch"},
    "cli_options": {"cli", "cli_gate", "cli_options"},
    "pilot": {"gate_run", "pilot"},
    "layouts": {"gate_run", "layouts"},
    "fitness": {"fitness", "fitness_test", "gate_run", "gate_session"},
    "instructions": {"gate_run", "instructions", "instructions_test"},
    "signals": {"compare", "gate_folder", "gate_not_a_number_test", "gate_run", "gate_test", "rulings_test", "signals", "signals_test"},
    "rulings": {"gate_folder", "pairs", "rulings", "rulings_test", "signals"},
    "gate": {"gate", "gate_not_a_number_test", "gate_simulation_test", "gate_test", "instructions", "layouts", "pairs", "pilot", "rulings"},
    "benchmark_json": {"benchmark_json", "benchmark_json_test", "import", "instructions", "program"},
    "import": {"cli", "import"},
    "program": {"cli", "gate_folder", "identity", "import", "instructions", "pilot", "prepare", "program", "run", "sides"},
    "process": {"compare", "gate_run", "gate_session", "instructions", "layouts", "pairs", "process", "process_test", "program", "run"},
    "run": {"cli", "run"},
    "judge": {"cli", "judge"},
    "merge": {"cli", "merge"},
    "session": {"cli", "closing", "gate_folder", "import", "judge", "merge", "prepare", "record_test", "run", "session"},
    "progress": {"progress", "progress_test", "run", "status"},
    "stats": {"claim", "claim_text", "cli_options", "gate", "instructions", "judged_cell", "observe", "stats", "stats_test"},
    "claim": {"claim", "claim_not_a_number_test", "claim_test", "run", "verdicts"},
    "past_trials": {"past_trials", "prepare"},
    "case_data": {"case_data", "case_data_test", "case_reader"},
    "case_reader": {"case_claims", "case_data", "case_profiles"},
    "data_file": {"case_reader", "data_file"},
    "claim_grammar": {"case_claims", "case_data", "case_profiles", "claim_grammar", "claim_not_a_number_test", "claim_test", "declaration", "judge"},
    "claim_text": {"claim", "claim_test", "claim_text", "closing", "headline", "rulings", "table", "verdicts"},
    "observe": {"claim", "judged_cell", "observe"},
    "judged_cell": {"claim", "judged_cell"},
    "verdicts": {"closing", "closing_test", "headline", "judge", "table", "verdicts", "verdicts_test"},
    "headline": {"closing", "headline"},
    "closing": {"closing", "closing_test", "judge"},
    "table": {"closing_test", "judge", "table"},
    "folder": {"cli", "folder", "gate_folder", "import", "instructions", "judge", "layouts", "merge", "past_trials", "prepare", "row_check", "rulings", "run", "scratch", "session", "sides", "status", "verdicts"},
    "prepare": {"cli", "merge", "prepare", "run", "status"},
    "identity": {"gate_run", "identity", "prepare", "run"},
    "orphans": {"gate_run", "gate_session", "orphans", "process", "run"},
    "declaration": {"case_data", "declaration", "folder", "program", "record_test"},
    "row_check": {"gate_folder", "judge", "merge", "prepare", "row_check", "row_check_test", "status"},
    "status": {"cli", "status"},
}
PURE = ["stats.cpp", "observe.cpp", "judged_cell.cpp", "claim.cpp", "claim_text.cpp", "claim_grammar.cpp", "case_claims.cpp", "case_profiles.cpp", "headline.cpp", "closing.cpp", "table.cpp", "plan.cpp", "shard.cpp", "gate.cpp", "signals.cpp", "benchmark_json.cpp"]


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


def test_a_source_includes_its_own_header_first():
    """So that each such header compiles alone; scripts/standalone.cmake sees to the others."""
    for name, text in sources():
        own = name.removesuffix(".cpp") + ".hpp"
        if name.endswith(".cpp") and (ROOT / own).exists():
            assert re.search(r'^#include ["<](.*)[">]', text, re.MULTILINE)[1] == own, name


def test_pure_files_use_no_clock_and_no_files():
    for name in PURE:
        text = (ROOT / "harness" / name).read_text()
        assert not re.search(r"<(fstream|chrono|filesystem|ctime|unistd\.h)>", text), name


def test_the_harness_names_no_case_and_no_patch():
    names = [path.name for path in (ROOT / "cases").iterdir() if path.is_dir()]
    names += [path.stem for path in (ROOT / "patches").rglob("*.hpp") if path.stem != "patches"]  # the table
    named = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
    for name, text in sources():
        if name.startswith("harness/") and not name.endswith("cli.cpp"):  # its --help shows an example
            assert not (found := named.search(text)), f"{name} names {found[1]}"


def test_no_path_of_one_machine_and_no_registry_host():
    words = [*(f"/{name}/" for name in ("work", "root")), "pypi" + ".org", "deb" + ".debian", "python" + "hosted"]
    hosts = re.compile("|".join([r"(?<![\w}])/(work|root)/", *map(re.escape, words[2:])]))
    for path in ROOT.rglob("*"):
        relative = path.relative_to(ROOT).as_posix()
        if path.is_file() and relative != ".git" and not relative.startswith((".git/", ".deps/", "build", "results/local/")) and \
                path.suffix not in (".pyc", ".svg", ".png"):
            text = path.read_text(errors="replace")
            assert not any(word in text for word in words) or not hosts.search(text), relative
