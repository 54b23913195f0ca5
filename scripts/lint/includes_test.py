"""The house's directions: who may include whom, and the harness names no case and no patch."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent.parent
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)

# The harness's layers from the bottom up: each may include those before it. (gate and run do not know each other, and
# only cases include the kit.)
LAYERS = ["text", "host", "case", "kit", "plan", "record", "judge", "program", "print", "run", "gate", "cli"]
# A file may include a header when one of its folder's patterns matches it.
ALLOWED = {
    "patches/": [r"harness/case/patch\.hpp", r"patches/.*"],
    "cases/": [r"cases/.*", r"patches/.*", r"harness/kit/(kit|case_data)\.hpp", r"case_toml\.hpp"],
    "harness/": [r"harness/.*"],
    "harness/test_cases/": [r"harness/kit/kit\.hpp", r"harness/test_cases/place\.hpp"],
}
ALLOWED |= {f"harness/{layer}/": [rf"harness/({'|'.join(LAYERS[:place + 1])})/.*", r"harness/build_info\.hpp"]
            for place, layer in enumerate(LAYERS)}
for layer, unknown in [("gate", "run|"), *((layer, "kit|") for layer in LAYERS[LAYERS.index("kit") + 1:])]:
    ALLOWED[f"harness/{layer}/"] = [pattern.replace(unknown, "") for pattern in ALLOWED[f"harness/{layer}/"]]
PURE = ["judge", "plan", "case/case.cpp", "case/claim_grammar.cpp", "case/declaration.cpp", "kit/case_claims.cpp",
        "kit/case_reader.cpp", "kit/case_profiles.cpp", "print/table.cpp", "program/benchmark_json.cpp"]
NO_TEXT = (".pyc", ".svg", ".png")
NOT_OURS = (".git/", ".deps/", ".ruff_cache/", ".pytest_cache/", "build", "results/local/", "cliffbench-gate/")  # paths that begin so
PRINTING = ["harness/text/terminal.hpp", "harness/text/terminal.cpp"]


def sources():
    for folder in ("cases", "harness", "patches"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp"):
                yield path.relative_to(ROOT).as_posix(), path.read_text()


def test_layers_include_only_what_their_direction_allows():
    wrong = []
    for name, text in sources():
        layer = max((layer for layer in ALLOWED if name.startswith(layer)), key=len)
        for included in INCLUDE.findall(text):
            if not any(re.fullmatch(pattern, included) for pattern in ALLOWED[layer]):
                wrong.append(f"{name} includes {included}")
    assert not wrong, wrong


def test_no_test_includes_another():
    """Code that two tests need stands in a file of its own."""
    for path in (path for folder in ("cases", "harness", "patches", "scripts") for path in (ROOT / folder).rglob("*_test.py")):
        assert not re.search(r"^ *(from|import) .*_test\b", path.read_text(), re.MULTILINE), path


def test_an_exit_code_is_of_the_one_enumeration():
    for name, text in sources():
        if name.startswith("harness/") and not re.search(r"_test\.|test_cases/|validation/|fuzz/|exit_code", name):
            assert not re.search(r"\b(return|exit\(|_exit\() *(1[0-4]|130)\b", text), name


def test_what_is_drawn_at_random_is_drawn_in_one_way():
    """The plan draws a run's order, pairs.cpp that of pairs, both by one shuffle."""
    shuffling = {name for name, text in sources()
                 if name.startswith("harness/") and "_test." not in name and re.search(r"\bshuffle\(", text)}
    assert shuffling == {"harness/host/shuffle.hpp", "harness/plan/plan.cpp", "harness/gate/pairs.cpp"}
    for name, text in sources():
        if name.startswith("harness/") and not re.search(r"_test\.|host/shuffle", name):
            assert not re.search(r"std::(ranges::)?shuffle|std::sample|_int_distribution|\brand\(", text), name


def test_a_source_includes_its_own_header_first():
    """So that each such header compiles alone; scripts/standalone.cmake sees to the others."""
    for name, text in sources():
        own = name.removesuffix(".cpp") + ".hpp"
        if name.endswith(".cpp") and (ROOT / own).exists():
            assert re.search(r'^#include ["<](.*)[">]', text, re.MULTILINE)[1] == own, name


def test_what_people_read_is_printable():
    """It goes through harness/text/terminal.hpp; JSON and what moves a terminal's cursor do not."""
    for name, text in sources():
        if re.match(rf"harness/({'|'.join(LAYERS)})/", name) and not name.endswith("_test.cpp") and name not in PRINTING:
            for line in text.splitlines():
                assert "fmt::print(" not in line or re.search(r"dump\(\)|record_text|\\x1b\[K", line), f"{name}: {line}"


def test_pure_files_use_no_clock_and_no_files():
    named = [ROOT / "harness" / name for name in PURE]
    paths = [path for one in named for path in ([one] if one.suffix == ".cpp" else one.glob("*.cpp"))]
    assert len(paths) > len(PURE)
    for path in paths:
        assert not re.search(r"<(fstream|chrono|filesystem|ctime|unistd\.h)>", path.read_text()), path


def test_the_harness_names_no_case_and_no_patch():
    names = [path.name for path in (ROOT / "cases").iterdir() if path.is_dir()]
    names += [path.stem for path in (ROOT / "patches").rglob("*.hpp") if path.stem != "patches"]  # the table
    named = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b(?!/)")
    for name, text in sources():
        if name.startswith("harness/") and not name.startswith("harness/cli/"):  # --help shows examples
            assert not (found := named.search(text)), f"{name} names {found[1]}"


def test_no_path_of_one_machine_and_no_registry_host():
    words = [*(f"/{name}/" for name in ("work", "root")), "pypi" + ".org", "deb" + ".debian", "python" + "hosted"]
    hosts = re.compile("|".join([r"(?<![\w}])/(work|root)/", *map(re.escape, words[2:])]))
    for path in ROOT.rglob("*"):
        relative = path.relative_to(ROOT).as_posix()
        if path.is_file() and relative != ".git" and not relative.startswith(NOT_OURS) and path.suffix not in NO_TEXT:
            text = path.read_text(errors="replace")
            assert not any(word in text for word in words) or not hosts.search(text), relative
